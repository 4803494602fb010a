"""The command `cutelearn`: what it says, what it copies, and that it never takes a learner's work."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.sign import NotebookNotary
from nbformat.v4 import new_code_cell, new_notebook, new_output

from cutelearn import cli
from cutelearn.course import doctor, lab, workfolder

FIRST = "notebooks/00-start.ipynb"
SECOND = "notebooks/01-next.ipynb"


def write_lesson(path: Path, source: str) -> None:
    picture = new_output("display_data", {"image/svg+xml": "<svg/>", "text/plain": "a picture"})
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(new_notebook(cells=[new_code_cell(source, id="cell-1", outputs=[picture])]), path)


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course of two lessons and one exercise, which `cutelearn lab` finds in place of the real one."""
    folder = tmp_path / "course"
    for name in (FIRST, SECOND, "exercises/01-next.ipynb"):
        write_lesson(folder / name, name)
    monkeypatch.setattr(workfolder, "course_folder", lambda: folder)
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter-data"))  # leave the user's signatures alone
    return folder


@pytest.fixture
def work(tmp_path):
    return tmp_path / "work"


def run(capsys, *words) -> tuple[int, str, str]:
    code = cli.main([str(word) for word in words])
    said = capsys.readouterr()
    return code, said.out, said.err


# What is copied, and what is left alone.


def test_first_copy_brings_everything(course, work, capsys):
    code, out, _ = run(capsys, "lab", work, "--copy-only")
    assert code == 0
    assert out == f"{work}: 3 new.\n"
    for name in (FIRST, SECOND, "exercises/01-next.ipynb"):
        assert (work / name).read_bytes() == (course / name).read_bytes()


def test_second_copy_changes_nothing(course, work, capsys):
    run(capsys, "lab", work, "--copy-only")
    code, out, _ = run(capsys, "lab", work, "--copy-only")
    assert (code, out) == (0, f"{work}: 3 unchanged.\n")


def test_default_folder_is_work(course, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(capsys, "lab", "--copy-only")[0] == 0
    assert (tmp_path / "work" / FIRST).is_file()


@pytest.mark.parametrize("inside", ["", "notebooks", "exercises/deeper"])
def test_no_second_folder_inside_the_first(course, work, capsys, monkeypatch, inside):
    run(capsys, "lab", work, "--copy-only")
    (work / inside).mkdir(exist_ok=True)
    monkeypatch.chdir(work / inside)
    code, out, _ = run(capsys, "lab", "--copy-only")
    assert code == 0
    assert out == f"You are in your folder, {work}: it is used, and no second one is made.\n{work}: 3 unchanged.\n"
    code, _, err = run(capsys, "lab", "work", "--copy-only")
    assert code == 1
    assert f"work is inside {work}, which is your folder already. Leave the name out" in err
    assert list(work.parent.rglob(workfolder.MEMORY)) == [work / workfolder.MEMORY]
    assert not (work / inside / "work").exists()


def test_the_nearest_folder_is_meant(course, tmp_path, capsys):
    """One who once made their home the folder still finds the ./work below them."""
    home, work = tmp_path, tmp_path / "clone" / "work"
    run(capsys, "lab", work, "--copy-only")
    run(capsys, "lab", home, "--copy-only")
    assert workfolder.found_from(work.parent) == work
    assert workfolder.found_from(work / "notebooks") == work
    assert workfolder.found_from(home) == home
    assert run(capsys, "lab", work, "--copy-only")[0] == 0


def test_update_replaces_only_what_the_learner_never_changed(course, work, capsys):
    run(capsys, "lab", work, "--copy-only")
    write_lesson(work / FIRST, "mine")
    mine = (work / FIRST).read_bytes()
    write_lesson(course / FIRST, "newer")
    write_lesson(course / SECOND, "newer")
    _, out, _ = run(capsys, "lab", work, "--copy-only")
    assert (work / FIRST).read_bytes() == mine
    assert (work / SECOND).read_bytes() == (course / SECOND).read_bytes()
    assert out == (
        f"{work}: 1 updated, 1 unchanged.\n"
        "Left alone, because you changed them, though the course has a newer version:\n"
        f"  {FIRST}\n"
        "To get the newer version of one, rename yours and run this command again.\n"
    )


def test_the_way_out_that_the_update_names_works(course, work, capsys):
    run(capsys, "lab", work, "--copy-only")
    write_lesson(work / FIRST, "mine")
    write_lesson(course / FIRST, "newer")
    (work / FIRST).rename(work / "notebooks" / "00-mine.ipynb")
    _, out, _ = run(capsys, "lab", work, "--copy-only")
    assert out == f"{work}: 1 new, 2 unchanged.\n"
    assert (work / FIRST).read_bytes() == (course / FIRST).read_bytes()


def test_own_changes_without_news_are_named(course, work, capsys):
    run(capsys, "lab", work, "--copy-only")
    write_lesson(work / FIRST, "mine")
    _, out, _ = run(capsys, "lab", work, "--copy-only")
    assert out == f"{work}: 2 unchanged.\nLeft alone, because you changed them: {FIRST}.\n"


def test_a_lesson_that_left_the_course_stays(course, work, capsys):
    run(capsys, "lab", work, "--copy-only")
    (course / SECOND).unlink()
    _, out, _ = run(capsys, "lab", work, "--copy-only")
    assert f"No longer part of the course, left where they are: {SECOND}." in out
    assert (work / SECOND).is_file()


@pytest.mark.parametrize("memory", ["{", "[]", '{"given": 3}', '{"other": {}}'])
def test_lost_memory_costs_no_work(course, work, capsys, memory):
    run(capsys, "lab", work, "--copy-only")
    write_lesson(course / FIRST, "newer")
    before = (work / FIRST).read_bytes()
    (work / workfolder.MEMORY).write_text(memory)
    _, out, _ = run(capsys, "lab", work, "--copy-only")
    assert f"{workfolder.MEMORY} could not be read" in out
    assert (work / FIRST).read_bytes() == before


def test_files_that_were_there_before_are_the_learners(course, work, capsys):
    write_lesson(work / FIRST, "mine, from before")
    before = (work / FIRST).read_bytes()
    _, out, _ = run(capsys, "lab", work, "--copy-only")
    assert FIRST in out
    assert (work / FIRST).read_bytes() == before


edits = st.tuples(st.sampled_from(["learner", "course", "delete", "copy"]), st.sampled_from("abc"), st.integers(0, 3))


@given(st.lists(edits, max_size=25))
def test_never_overwrites_what_a_learner_changed(steps):
    """Whatever the order of edits, updates and copies, only text that was given out is ever replaced."""
    with tempfile.TemporaryDirectory() as top:
        course, work = Path(top, "course"), Path(top, "work")
        (course / "notebooks").mkdir(parents=True)
        (work / "notebooks").mkdir(parents=True)
        given_out: dict[str, str] = {}
        for who, name, text in [*steps, ("copy", "a", 0)]:
            if who == "learner":
                (work / "notebooks" / name).write_text(str(text))
            elif who == "course":
                (course / "notebooks" / name).write_text(str(text))
            elif who == "delete":
                (work / "notebooks" / name).unlink(missing_ok=True)
            else:
                before = {path.name: path.read_text() for path in (work / "notebooks").iterdir()}
                workfolder.copy_course(course, work)
                after = {path.name: path.read_text() for path in (work / "notebooks").iterdir()}
                ships = {path.name: path.read_text() for path in (course / "notebooks").iterdir()}
                for file in before.keys() | ships.keys():
                    if file in before and before[file] != given_out.get(file):
                        assert after[file] == before[file]
                    elif file in ships:
                        assert after[file] == ships[file]
                    if file in ships and after[file] == ships[file]:
                        given_out[file] = ships[file]


def test_checkpoints_and_hidden_files_stay_behind(course, work, capsys):
    (course / "notebooks" / ".ipynb_checkpoints").mkdir()
    (course / "notebooks" / ".ipynb_checkpoints" / "00-checkpoint.ipynb").write_text("{}")
    assert run(capsys, "lab", work, "--copy-only")[1] == f"{work}: 3 new.\n"


def test_folder_that_cannot_be_one(course, tmp_path, capsys):
    (tmp_path / "file").write_text("here already")
    code, _, err = run(capsys, "lab", tmp_path / "file", "--copy-only")
    assert code == 1
    assert err == f"cutelearn lab: {tmp_path / 'file'} is a file. Name a folder: cutelearn lab FOLDER.\n"
    code, _, err = run(capsys, "lab", tmp_path / "file" / "in it", "--copy-only")
    assert code == 1
    assert err.startswith(f"cutelearn lab: the folder {tmp_path / 'file' / 'in it'} cannot be used: Not a directory")


def test_a_link_that_leads_round_in_a_circle(course, tmp_path, capsys):
    (tmp_path / "loop").symlink_to("loop")
    code, _, err = run(capsys, "lab", str(tmp_path / "loop"), "--copy-only")
    assert code == 1
    assert err.startswith(f"cutelearn lab: the folder {tmp_path / 'loop'} cannot be used: ")


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps a folder that somebody is in")
@pytest.mark.parametrize("command", [["lab", "--copy-only"], ["check", "04"], ["build", "--check"]], ids=" ".join)
def test_a_current_folder_that_is_gone(command, tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(SystemExit, match="the folder that you are in is there no longer"):
        cli.main(command)


def test_ctrl_c_ends_a_command_without_a_traceback(monkeypatch, capsys):
    def pressed():
        raise KeyboardInterrupt

    monkeypatch.setattr(doctor, "diagnose", pressed)
    assert run(capsys, "doctor") == (130, "", "\nStopped.\n")


def test_two_commands_may_write_one_file_at_once(tmp_path, monkeypatch):
    """Each has a half of its own, so that none takes away what the other is about to put in place."""
    target, halves = tmp_path / "x.ipynb", []
    replace = Path.replace

    def meanwhile(half, to):
        halves.append(half.name)
        if len(halves) == 1:
            with monkeypatch.context() as other:
                other.setattr(os, "getpid", lambda: -1)
                workfolder.write_whole(target, b"the other's")
        return replace(half, to)

    monkeypatch.setattr(Path, "replace", meanwhile)
    workfolder.write_whole(target, b"mine")
    assert len(set(halves)) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["x.ipynb"]
    assert target.read_bytes() == b"mine"


@pytest.mark.parametrize("inside", ["", "notebooks", "exercises/mine"])
def test_the_courses_own_folder_is_refused(course, capsys, inside):
    code, _, err = run(capsys, "lab", course / inside, "--copy-only")
    assert code == 1
    assert "is where the course itself is kept. Name a folder of your own: cutelearn lab FOLDER." in err


def test_installation_without_lessons_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(workfolder, "PACKAGE", tmp_path / "cutelearn")
    code, _, err = run(capsys, "lab", tmp_path / "work", "--copy-only")
    assert code == 1
    assert "this installation of cutelearn holds no lessons" in err
    assert not (tmp_path / "work").exists()


def rerun(path: Path) -> bytes:
    """What JupyterLab writes when a lesson was only run: other outputs, counts and metadata, the same text."""
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata["language_info"] = {"name": "python", "version": "3.13"}
    notebook.cells[0].execution_count = 7
    notebook.cells[0].outputs = [new_output("stream", text="other")]
    nbformat.write(notebook, path)
    return path.read_bytes()


def test_a_lesson_that_was_only_run_keeps_its_outputs(course, work, capsys):
    run(capsys, "lab", work, "--copy-only")
    after_run = rerun(work / FIRST)
    assert run(capsys, "lab", work, "--copy-only")[1] == f"{work}: 3 unchanged.\n"
    assert (work / FIRST).read_bytes() == after_run


@pytest.mark.parametrize("copies_between", [0, 1])
def test_a_lesson_that_was_only_run_is_updated(course, work, capsys, copies_between):
    run(capsys, "lab", work, "--copy-only")
    rerun(work / FIRST)
    for _ in range(copies_between):
        run(capsys, "lab", work, "--copy-only")
    write_lesson(course / FIRST, "newer")
    assert run(capsys, "lab", work, "--copy-only")[1] == f"{work}: 1 updated, 2 unchanged.\n"
    assert (work / FIRST).read_bytes() == (course / FIRST).read_bytes()


def test_new_outputs_reach_a_lesson_that_was_never_opened(course, work, capsys):
    run(capsys, "lab", work, "--copy-only")
    rerun(course / FIRST)
    assert run(capsys, "lab", work, "--copy-only")[1] == f"{work}: 1 updated, 2 unchanged.\n"
    assert (work / FIRST).read_bytes() == (course / FIRST).read_bytes()


# Figures show only in trusted notebooks.


def test_copies_are_signed_and_changed_ones_are_not(course, work, capsys):
    run(capsys, "lab", work, "--copy-only")
    write_lesson(work / SECOND, "mine")
    rerun(work / "exercises/01-next.ipynb")
    run(capsys, "lab", work, "--copy-only")
    notary = NotebookNotary()
    assert notary.check_signature(nbformat.read(work / FIRST, as_version=4))
    assert not notary.check_signature(nbformat.read(work / SECOND, as_version=4))
    assert not notary.check_signature(nbformat.read(work / "exercises/01-next.ipynb", as_version=4))
    notary.store.close()


# JupyterLab.


def test_opens_at_chapter_00_on_loopback(course, work, capsys):
    run(capsys, "lab", work, "--copy-only")
    arguments = lab.lab_arguments(work, port=8899, browser=False)
    assert "--ServerApp.ip=127.0.0.1" in arguments
    assert f"--LabApp.default_url=/lab/tree/{FIRST}" in arguments
    assert "--ServerApp.port=8899" in arguments


@pytest.mark.parametrize(("user", "added"), [(0, True), (1000, False)])
def test_root_needs_one_more_argument(monkeypatch, tmp_path, user, added):
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert ("--allow-root" in lab.lab_arguments(tmp_path, None, browser=False)) is added


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_display_is_what_the_environment_says(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    assert not lab.has_display()
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert lab.has_display()


def test_what_lab_starts_finds_the_commands_of_this_python(tmp_path):
    scripts = sysconfig.get_path("scripts")
    path = os.pathsep.join([str(tmp_path), scripts, str(tmp_path / "other")])
    assert lab.scripts_first(path).split(os.pathsep) == [scripts, str(tmp_path), str(tmp_path / "other")]
    assert lab.scripts_first("") == scripts


def test_lab_starts_with_that_path(monkeypatch, tmp_path):
    class Started(Exception):
        pass

    def start(argv):
        raise Started

    monkeypatch.setattr("jupyterlab.labapp.LabApp.initialize_server", start)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Started):
        lab.open_lab(tmp_path, None, browser=False)
    assert os.environ["PATH"].split(os.pathsep) == [sysconfig.get_path("scripts"), str(tmp_path)]


@pytest.mark.skipif(sys.platform == "win32", reason="stops the server with a signal")
def test_a_real_jupyterlab_shows_the_lesson_to_the_token_alone(course, work, tmp_path, capsys):
    """On this machine only, even where the user's own settings open every address; and nbgrader says nothing."""
    run(capsys, "lab", work, "--copy-only")
    (tmp_path / "settings").mkdir()
    (tmp_path / "settings" / "jupyter_server_config.py").write_text("c.ServerApp.ip = '0.0.0.0'\n")
    program = f"from pathlib import Path; from cutelearn.course.lab import open_lab; open_lab(Path({str(work)!r}), None, True)"
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")}
    environment["JUPYTER_CONFIG_DIR"] = str(tmp_path / "settings")
    logged = (tmp_path / "log").open("w+")
    server = subprocess.Popen(
        [sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, stderr=logged, text=True
    )
    try:
        said = ""
        while "JupyterLab: " not in said and server.poll() is None:
            said += server.stdout.readline()
        address = re.search(r"JupyterLab: (http://127\.0\.0\.1:\d+)(/lab/tree/\S+)\?token=(\w+)", said)
        assert address, said
        if lab.is_root():
            assert "You are root, as in a container: adding --allow-root" in said
        if sys.platform == "linux":
            assert "There is no display here: open the address below in a browser yourself." in said
        host, lesson, token = address.groups()
        assert lesson == f"/lab/tree/{FIRST}"
        contents = f"{host}/api/contents/{FIRST}"
        with urllib.request.urlopen(f"{contents}?token={token}", timeout=30) as answer:
            notebook = json.load(answer)["content"]
        assert notebook["cells"][0]["metadata"]["trusted"] is True
        with pytest.raises(urllib.error.HTTPError, match="403") as refused:
            urllib.request.urlopen(contents, timeout=30)
        refused.value.close()
        if sys.platform == "linux":  # all of 127.*.*.* leads here, and the server has the one address alone
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.2", int(host.rpartition(":")[2])), timeout=30)
        with urllib.request.urlopen(f"{host}/lab?token={token}", timeout=30) as answer:
            page = answer.read().decode()
        (facts,) = re.findall(r'<script id="jupyter-config-data" type="application/json">(.*?)</script>', page, re.S)
        assert lab.NBGRADER in json.loads(facts)["disabledExtensions"]
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=30)
        server.stdout.close()
        logged.seek(0)
        log = logged.read()
        logged.close()
    assert "http://127.0.0.1:" in log
    assert "nbgrader" not in log


def test_no_argument_weakens_jupyter(tmp_path):
    """What lab passes on says nothing of tokens, passwords, origins or proxies: Jupyter's own ways stay as they are."""
    text = " ".join(lab.lab_arguments(tmp_path, 8899, browser=True)).casefold()
    assert text.count("serverapp.ip=") == 1
    for word in ("token", "password", "allow_origin", "allow_remote", "xsrf", "authenticate", "identityprovider"):
        assert word not in text


# The doctor.


@pytest.fixture(scope="module")
def found():
    return doctor.diagnose()


def test_doctor_tries_the_simulator_and_the_compiler(found):
    assert found.simulator == {"works": True}
    if found.packages["numba-cuda"]:
        assert {"7.5", "8.0", "9.0"} <= set(found.compile["targets"])
    assert found.can_follow


def test_doctor_prints_sentences(found, monkeypatch, capsys):
    monkeypatch.setattr(doctor, "diagnose", lambda: found)
    code, out, _ = run(capsys, "doctor")
    assert code == 0
    assert re.search(r"^simulator  works", out, re.MULTILINE)
    assert re.search(r"^compile    ", out, re.MULTILINE)
    assert re.search(r"^GPU        ", out, re.MULTILINE)
    assert out.endswith("You can follow the course on this machine.\n")


def test_doctor_prints_json(found, monkeypatch, capsys):
    monkeypatch.setattr(doctor, "diagnose", lambda: found)
    code, out, _ = run(capsys, "doctor", "--json")
    facts = json.loads(out)
    assert code == 0
    assert facts["simulator"]["works"] is True
    assert facts["can_follow"] is True


H200 = {
    "works": True,
    "driver": "580.1",
    "driver_cuda": "13.0",
    "devices": [{"name": "H200", "compute_capability": "9.0"}],
}
WORKS = {"works": True, "targets": ["9.0"], "toolkit": "13.0"}
ALL_THERE = dict.fromkeys(doctor.NEEDED + doctor.FOR_KERNELS, "1.0")
NO_GPU = {"works": False, "devices": [], "reason": "no NVIDIA driver on this machine"}


def test_doctor_names_a_gpu_and_the_extra_for_it(monkeypatch):
    monkeypatch.setattr(doctor, "installed", lambda name: None)
    assert doctor._gpu_line(H200) == "H200 (compute capability 9.0), driver 580.1 for CUDA 13.0; kernels run on it"
    assert doctor.advise(ALL_THERE, WORKS, WORKS, H200) == [
        'To race your kernels against cuBLAS: pip install "cutelearn[gpu-cu13]"'
    ]


def test_doctor_sends_an_old_driver_to_its_own_extra():
    old = H200 | {"works": False, "driver_cuda": "12.8", "reason": "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"}
    (advice,) = doctor.advise(ALL_THERE, WORKS, WORKS, old)
    assert "knows CUDA 12.8" in advice
    assert "cutelearn[gpu-cu12]" in advice
    assert doctor._gpu_line(old).endswith("no kernel runs on it: CUDA_ERROR_UNSUPPORTED_PTX_VERSION")


def test_doctor_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "installed", lambda name: None if name in ("nbval", "numba") else "1.0")
    monkeypatch.setattr(doctor, "probe", lambda name, **environment: {"works": False, "devices": [], "reason": "why"})
    code, out, _ = run(capsys, "doctor")
    assert code == 1
    assert "Needed by the lessons and not here: pip install numba nbval" in out
    assert out.endswith("The course cannot be followed on this machine yet.\n")


def test_doctor_finds_a_package_that_was_upgraded_by_hand(monkeypatch):
    needs = ["numpy<2.5,>=2.0", "jupyterlab<5,>=4.4", "numba; sys_platform == 'nowhere'", "dask>1; extra == 'grade'"]
    monkeypatch.setattr(doctor, "requires", lambda name: needs)
    monkeypatch.setattr(doctor, "installed", {"numpy": "2.5.2", "jupyterlab": "4.6.6", "numba": "0", "dask": "0"}.get)
    broken = {"works": False, "reason": "AttributeError: module 'numpy' has no attribute 'row_stack'"}
    assert doctor.advise(ALL_THERE, WORKS, broken, NO_GPU) == [
        'numpy 2.5.2 does not fit the course: pip install "numpy<2.5,>=2.0"'
    ]


@pytest.mark.parametrize("name", ["simulator", "compile"])
def test_doctor_tries_numpy_as_the_kernels_do(tmp_path, name):
    """numba-cuda 0.30 looks up numpy.row_stack, which numpy 2.5 no longer has; this fake of it has none either."""
    if name == "compile" and not doctor.installed("numba-cuda"):
        pytest.skip("nothing compiles here")
    fake = "import numpy\nif hasattr(numpy, 'row_stack'):\n    del numpy.row_stack\n"
    (tmp_path / "sitecustomize.py").write_text(fake)
    answer = doctor.probe(name, NUMBA_ENABLE_CUDASIM=str(int(name == "simulator")), PYTHONPATH=str(tmp_path))
    assert answer["works"], answer["reason"]


def test_doctor_survives_a_probe_that_dies():
    answer = doctor.probe("nonsense")
    assert answer["works"] is False
    assert "KeyError: 'nonsense'" in answer["reason"]
    assert "(exit code 1)" in answer["reason"]


def test_no_gpu_is_a_plain_sentence():
    assert doctor._gpu_line(NO_GPU) == (
        "none: no NVIDIA driver on this machine. Every lesson works without one; a GPU only adds measured cells."
    )


# Mistakes at the keyboard.


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["lba"], "there is no command 'lba'. Did you mean 'cutelearn lab'? The commands are: lab, "),
        (["docter"], "there is no command 'docter'. Did you mean 'cutelearn doctor'?"),
        (["quit"], "there is no command 'quit'. The commands are: lab, "),
    ],
)
def test_mistyped_command(capsys, words, sentence):
    code, _, err = run(capsys, *words)
    assert code == 2
    assert sentence in err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["lab", "--port", "lots"], "a port is a number from 1 to 65535, not 'lots'"),
        (["lab", "--port", "70000"], "a port is a number from 1 to 65535, not '70000'"),
        (["lab", "--wrong"], "unrecognized arguments: --wrong\n"),
        (["lab", "--prot", "9999"], "unrecognized arguments: --prot. Did you mean '--port'?"),
        (["lab", "--prot=9999"], "unrecognized arguments: --prot=9999. Did you mean '--port'?"),
        (["lab", "--copyonly"], "unrecognized arguments: --copyonly. Did you mean '--copy-only'?"),
        (["lab", "a", "b"], "unrecognized arguments: b\n"),
        (["lab", "check"], "'check' is a command: cutelearn check. For a folder of that name write ./check"),
        (["doctor", "now"], "unrecognized arguments: now\n"),
        (["doctor", "--jsn"], "unrecognized arguments: --jsn. Did you mean '--json'?"),
        (["--verison"], "unrecognized arguments: --verison. Did you mean '--version'?"),
    ],
)
def test_mistyped_argument(capsys, words, sentence):
    with pytest.raises(SystemExit) as stop:
        cli.main(words)
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert sentence in said
    command = " " + words[0] if words[0] in cli.COMMANDS else ""
    assert said.startswith(f"usage: cutelearn{command} [-h]")


def test_build_of_a_chapter_that_is_not_there(capsys, monkeypatch):
    monkeypatch.chdir(Path(cli.__file__).parent)
    code, out, err = run(capsys, "build", "--check", "99")
    assert (code, out) == (1, "")
    assert err == "cutelearn build: there is no chapter 99: no notebook has its number.\n"


def test_no_command_shows_what_there_is(capsys):
    code, out, _ = run(capsys)
    assert code == 2
    for name, command in cli.COMMANDS.items():
        assert f"{name} " in out
        assert command.help.split()[0] in out


def test_version(capsys):
    code, out, _ = run(capsys, "--version")
    assert code == 0
    assert re.fullmatch(r"cutelearn \S.*\n", out)


def test_as_a_module_of_python():
    """`python -m cutelearn` is the command: the same words, the same exit codes, the same name in what it says."""
    ask = [sys.executable, "-m", "cutelearn"]
    done = subprocess.run([*ask, "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"cutelearn {cli.own_version()}\n")
    done = subprocess.run([*ask, "lab", "--prot"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: cutelearn lab [-h]")
    done = subprocess.run([*ask, "lba"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.split(".")[0]) == (2, "cutelearn: there is no command 'lba'")
