"""The command `cutelearn`. It reads the arguments and prints; what a command does is in `cutelearn.course`.

To add a command, write its `run` function here and add one line to COMMANDS.
"""

import argparse
import difflib
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def add_lab_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", type=Path, default=Path("work"), help="your folder, or ./work")
    parser.add_argument("--copy-only", action="store_true", help="copy the lessons, do not open JupyterLab")
    parser.add_argument("--no-browser", action="store_true", help="print the address, open no browser")
    parser.add_argument("--port", type=port_number, help="the port to use, or 8888 or the next free one")


def run_lab(options: argparse.Namespace) -> int:
    from cutelearn.course import lab, workfolder

    folder = options.folder.resolve()
    try:
        report = workfolder.copy_course(workfolder.course_folder(), folder)
    except workfolder.WorkfolderError as error:
        print(f"cutelearn lab: {error}", file=sys.stderr)
        return 1
    print(workfolder.describe(report))
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


@dataclass(frozen=True)
class Command:
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]  # gives the exit code


COMMANDS = {
    "lab": Command("copy the lessons into your folder and open JupyterLab there", add_lab_arguments, run_lab),
    "doctor": Command("say what this machine can do and what more there is", add_doctor_arguments, run_doctor),
}


def port_number(text: str) -> int:
    if text.isdecimal() and 1 <= int(text) <= 65535:
        return int(text)
    raise argparse.ArgumentTypeError(f"a port is a number from 1 to 65535, not {text!r}")


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="cutelearn", description="A course that teaches NVIDIA's CuTe layouts.")
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
    return COMMANDS[options.command].run(options)


def unknown_command(word: str) -> str:
    near = difflib.get_close_matches(word, COMMANDS, n=1)
    guess = f" Did you mean 'cutelearn {near[0]}'?" if near else ""
    return f"cutelearn: there is no command '{word}'.{guess} The commands are: {', '.join(COMMANDS)}."


def own_version() -> str:
    try:
        return version("cutelearn")
    except PackageNotFoundError:
        return "(not installed: used from its folder)"


if __name__ == "__main__":
    sys.exit(main())
