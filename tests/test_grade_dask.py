"""`cutelearn grade --dask`: the same marks from a cluster, also when a worker dies on the way."""

import subprocess
import sys

import pytest
from grade_tools import C1, RIGHT, graded, hand_in, notebook

from cutelearn.course import grade

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own


def start(folder, *words):
    command = [sys.executable, "-m", "distributed.cli." + words[0], *words[1:]]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.fixture
def cluster(tmp_path):
    """The address of a scheduler on this machine, and its two workers."""
    (tmp_path / "dask").mkdir()
    described = tmp_path / "dask" / "scheduler.json"
    words = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(described)]
    scheduler = start(tmp_path, "dask_scheduler", *words)
    words = ["--scheduler-file", str(described), "--nthreads", "1", "--no-dashboard", "--no-nanny"]
    words += ["--host", "127.0.0.1", "--local-directory", str(tmp_path / "dask")]
    workers = [start(tmp_path, "dask_worker", *words) for _worker in range(2)]
    try:
        with distributed.Client(scheduler_file=str(described), timeout=60, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
            grade.course_version.cache_clear()
            yield client.scheduler.address, workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def test_a_dead_worker_loses_nothing(tmp_path, cluster):
    address, workers = cluster
    for learner in range(8):
        slow = f"learner = {learner}\nimport time; time.sleep(1)"
        hand_in(tmp_path / "class" / f"{learner}.ipynb", notebook(slow, RIGHT, C1))
    progress = []

    def tell(text):
        progress.append(text)
        if len(progress) == 1:
            workers[0].kill()

    there = graded(tmp_path / "class", tmp_path / "there", dask=address, tell=tell)
    assert workers[0].wait(timeout=10) != 0
    here = graded(tmp_path / "class", tmp_path / "here")
    assert there.rows == here.rows
    assert there.run == 8
    assert sum(row.mark.points for row in there.rows) == 8


def test_another_version_is_refused(tmp_path, cluster, monkeypatch):
    hand_in(tmp_path / "class" / "x.ipynb", notebook(RIGHT, C1))
    monkeypatch.setattr(grade, "PACKAGE", tmp_path)  # here; the workers read the real one
    grade.course_version.cache_clear()
    try:
        with pytest.raises(grade.CannotGrade, match=r"2 of the cluster's 2 workers have another cutelearn than this"):
            graded(tmp_path / "class", tmp_path / "kept", dask=cluster[0])
    finally:
        grade.course_version.cache_clear()
