"""The command `cutelearn`. It reads the arguments and prints; what a command does is in `cutelearn.course`.

To add a command, write its `run` function here and add one line to COMMANDS.
"""

import argparse
import difflib
import json
import os
import re
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def add_lab_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", type=folder_name, help="your folder, or the one you are in, or ./work")
    parser.add_argument("--copy-only", action="store_true", help="copy the lessons, do not open JupyterLab")
    parser.add_argument("--no-browser", action="store_true", help="print the address, open no browser")
    parser.add_argument("--port", type=port_number, help="the port to use, or 8888 or the next free one")
    parser.add_argument(
        "--path", type=path_name, metavar="4h", help="only the chapters for 2, 4 or 8 hours: 2h, 4h, 8h"
    )


def run_lab(options: argparse.Namespace) -> int:
    from cutelearn.course import lab, paths, workfolder

    here = current_folder()
    folder = real(options.folder or workfolder.found_from(here))
    if options.folder is None and here.is_relative_to(folder):
        print(f"You are in your folder, {folder}: it is used, and no second one is made.")
    try:
        report = workfolder.copy_course(
            workfolder.course_folder(), folder, lambda name: paths.belongs(options.path, name)
        )
    except workfolder.WorkfolderError as error:
        print(f"cutelearn lab: {error}", file=sys.stderr)
        return 1
    print(workfolder.describe(report))
    if options.path:
        print(paths.describe(options.path, folder, report.left_out))
    if not workfolder.sign([folder / name for name in report.as_shipped]):
        print("Jupyter's data folder cannot be written. To see figures, choose 'Trust Notebook' in a lesson.")
    if not options.copy_only:
        lab.open_lab(folder, options.port, browser=not options.no_browser)
    return 0


def add_doctor_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the facts as JSON")


def run_doctor(options: argparse.Namespace) -> int:
    from cutelearn.course import doctor

    found = doctor.diagnose()
    print(json.dumps(asdict(found), indent=2) if options.json else doctor.describe(found))
    return 0 if found.can_follow else 1


def add_check_arguments(parser: argparse.ArgumentParser) -> None:
    what = "chapters, such as 04, or notebooks; without any, all that are in your folder"
    parser.add_argument("what", nargs="*", help=what)
    parser.add_argument("--folder", type=Path, help="your folder, or the one you are in, or ./work")


def run_check(options: argparse.Namespace) -> int:
    from cutelearn.course import progress

    here = current_folder()
    folder = real(options.folder or progress.working_folder(here, options.what))
    if options.folder is None and folder in here.parents:
        print(f"You are inside your folder, {folder}.")
    states, code = {}, 0
    try:
        paths = progress.notebooks_to_check(folder, options.what)
    except progress.CannotCheck as error:
        print(f"cutelearn check: {error}", file=sys.stderr)
        return 1
    for path in paths:
        try:
            rows = progress.check_notebook(path)
        except progress.CannotCheck as error:
            print(f"cutelearn check: {error}", file=sys.stderr)
            code = 1
            continue
        print(progress.table(path, rows))
        states = progress.remember(folder, rows)
    if states:
        print(progress.summary(states))
    return code


def add_build_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("chapters", nargs="*", help="chapters, such as 04; without any, all")
    parser.add_argument("--check", action="store_true", help="write and run nothing; say what is not as it should be")
    parser.add_argument(
        "--any-versions", action="store_true", help="build with other versions than constraints.txt has"
    )


def run_build(options: argparse.Namespace) -> int:
    from cutelearn.course import build

    try:
        root, wanted = build.course_root(current_folder()), build.chapters_wanted(options.chapters)
        for word, chapter in zip(options.chapters, wanted, strict=True):
            if not any(build.notebooks(root, folder, [chapter]) for folder in build.KIND_OF_FOLDER):
                raise build.BuildError(f"there is no chapter {word}: no notebook has its number.")
        if options.check:
            found = build.differences(root, wanted)
            print("\n".join(map(str, found)) or "Every notebook is in its form.")
            return 1 if found else 0
        if not options.any_versions and (other := build.unpinned(root)):
            raise build.BuildError(
                f"the stored outputs belong to the versions in constraints.txt, but there is {', '.join(other)}."
                " pip install -c constraints.txt -e '.[test]', or build with --any-versions."
            )
        changed = build.build(root, wanted)
    except build.BuildError as error:
        print(f"cutelearn build: {error}", file=sys.stderr)
        return 1
    print("\n".join(f"written: {name}" for name in changed) or "Nothing changed.")
    return 0


def add_bench_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--check", action="store_true", help="only check every kernel, on small ragged sizes")
    parser.add_argument("--stages", nargs="+", metavar="STAGE", help="the stages to time; without it, all")
    parser.add_argument(
        "--sizes", nargs="+", type=int, metavar="N", help="square sizes; without it, 1024 to 8192 and ragged ones"
    )
    parser.add_argument("--letters", nargs="+", metavar="NT", help="how A and B lie: NT, TN, NN, TT")
    parser.add_argument("--quick", action="store_true", help="leave out the slow stages' largest size")
    parser.add_argument("--beside", nargs="+", type=Path, metavar="FILE", help="Python files with further STAGES")
    parser.add_argument("--to", type=Path, default=Path("bench"), help="the folder for JSON and pictures, or ./bench")
    parser.add_argument(
        "--record", nargs="?", type=Path, const=False, metavar="FILE", help="for authors: keep it for the lessons"
    )


def run_bench(options: argparse.Namespace) -> int:
    from cutelearn.kernels import bench

    return bench.main(options)


def add_grade_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="holds the learners' notebooks: a folder or a file for each learner")
    parser.add_argument("--csv", type=Path, required=True, metavar="FILE", help="write all marks to this table")
    parser.add_argument("--totals", type=Path, metavar="FILE", help="write a table with one line for each learner")
    parser.add_argument("--html", type=Path, metavar="FOLDER", help="write a page for each learner, and an index")
    parser.add_argument("--jobs", type=above_zero, metavar="N", help="notebooks at once, or one for each core")
    parser.add_argument("--seconds", type=above_zero, default=300, metavar="N", help="for a notebook, or 300")
    parser.add_argument("--memory", type=above_zero, default=4, metavar="GIB", help="for a notebook, or 4 GiB")
    parser.add_argument("--dask", default="", metavar="ADDRESS", help="run the notebooks on this Dask cluster")


def run_grade(options: argparse.Namespace) -> int:
    from cutelearn.course import fence, grade, gradebook

    if not options.dask and not fence.version():
        print("This machine cannot shut notebooks in: they may read and write all that you may.", file=sys.stderr)
    limits = grade.Limits(options.seconds, min(60, options.seconds), options.memory << 30)
    try:
        gradebook.can_write(options.csv, options.totals, options.html)
        report = grade.grade(
            options.folder,
            gradebook.kept_beside(options.csv),
            limits,
            options.jobs or grade.default_jobs(),
            options.dask,
            gradebook.progress,
        )
        print(gradebook.summary(report))
        for path in gradebook.write_all(report, options.csv, options.totals, options.html):
            print(f"written: {path}")
    except grade.CannotGrade as error:
        print(f"cutelearn grade: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. What is graded is kept: the same command goes on from there.", file=sys.stderr)
        return 130
    return 0 if any(row.mark.exercise for row in report.rows) else 1


@dataclass(frozen=True)
class Command:
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]  # gives the exit code


COMMANDS = {
    "lab": Command("copy the lessons into your folder and open JupyterLab there", add_lab_arguments, run_lab),
    "check": Command("run your exercises and say which are done", add_check_arguments, run_check),
    "grade": Command("grade a folder of learners' notebooks", add_grade_arguments, run_grade),
    "doctor": Command("say what this machine can do and what more there is", add_doctor_arguments, run_doctor),
    "bench": Command("time the GEMM kernels beside cuBLAS on your GPU", add_bench_arguments, run_bench),
    "build": Command("for authors: write the notebooks in their form", add_build_arguments, run_build),
}


class Parser(argparse.ArgumentParser):
    """Answers what it does not know itself, so that the usage shown is that of the command, and guesses what was meant."""

    def parse_known_args(self, args=None, namespace=None):
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self.guess(unknown[0])}")
        return options, unknown

    def guess(self, word: str) -> str:
        options = re.findall(r"--[a-z-]+", self.format_usage())
        near = difflib.get_close_matches(word.partition("=")[0], options, n=1)
        return f". Did you mean '{near[0]}'?" if near else ""


def current_folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        sys.exit("cutelearn: the folder that you are in is there no longer. Go to another one, as with: cd ~")


def real(folder: Path) -> Path:
    """The folder with its links followed; one that leads round in a circle stays, and cannot be used later."""
    return Path(os.path.realpath(folder))


def folder_name(text: str) -> Path:
    if text in COMMANDS:
        raise argparse.ArgumentTypeError(
            f"'{text}' is a command: cutelearn {text}. For a folder of that name write ./{text}"
        )
    return Path(text)


def port_number(text: str) -> int:
    if text.isdecimal() and 1 <= int(text) <= 65535:
        return int(text)
    raise argparse.ArgumentTypeError(f"a port is a number from 1 to 65535, not {text!r}")


def above_zero(text: str) -> int:
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"a number from 1 on is wanted here, not {text!r}")


def path_name(text: str):
    from cutelearn.course.paths import WAYS

    if text in WAYS:
        return WAYS[text]
    *others, last = WAYS
    raise argparse.ArgumentTypeError(
        f"there is no path {text!r}: write {', '.join(others)} or {last}, for so many hours"
    )


def build_parser() -> argparse.ArgumentParser:
    parser = Parser(prog="cutelearn", description="A course that teaches NVIDIA's CuTe layouts.")
    parser.add_argument("--version", action="store_true", help="print the version and stop")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, command in COMMANDS.items():
        command.add_arguments(subparsers.add_parser(name, help=command.help, description=command.help))
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run one command; gives its exit code (2: not understood)."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments and not arguments[0].startswith("-") and arguments[0] not in COMMANDS:
        print(unknown_command(arguments[0]), file=sys.stderr)
        return 2
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.version:
        print(f"cutelearn {own_version()}")
        return 0
    if options.command is None:
        parser.print_help()
        return 2
    try:
        return COMMANDS[options.command].run(options)
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130


def unknown_command(word: str) -> str:
    near = difflib.get_close_matches(word, COMMANDS, n=1)
    guess = f" Did you mean 'cutelearn {near[0]}'?" if near else ""
    return f"cutelearn: there is no command '{word}'.{guess} The commands are: {', '.join(COMMANDS)}."


def own_version() -> str:
    try:
        return version("cutelearn")
    except PackageNotFoundError:
        return "(not installed: used from its folder)"
