"""Write constraints.txt: the exact versions of everything an install can bring, for every Python we support.

    python scripts/lock.py python3.11 python3.12 python3.13

asks each of these Pythons' pip what it would install now (nothing is installed) and writes name==version lines,
with a marker where the Pythons differ. Versions already in constraints.txt are kept unless `--upgrade` is given.
"""

import argparse
import json
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "constraints.txt"
EXTRAS = "test,grade,gpu-cu13"  # gpu-cu12 takes another toolkit, so it cannot be pinned in the same file
HEADER = """\
# The exact versions that CI and the stored outputs use. Written by scripts/lock.py; do not edit by hand.
# pip install -c constraints.txt -e .
"""
# Needed on other systems than the one that runs this script; pip reads only this machine's markers.
ELSEWHERE = {"appnope": "1.0.0", "colorama": "0.4.6", "pywinpty": "3.1.2"}


def resolve(python: str, constraints: list[str]) -> dict[str, str]:
    """name -> version of what this Python's pip would install, build backend included."""
    command = [python, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as held:
        held.write("\n".join(constraints))
        held.flush()
        command += ["-c", held.name, "hatchling", f"{ROOT}[{EXTRAS}]"]
        report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    found = {entry["metadata"]["name"]: entry["metadata"]["version"] for entry in report["install"]}
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in found.items() if name != "cutelearn"}


def lines(resolved: dict[str, dict[str, str]]) -> list[str]:
    """One line a package; one line a Python where they differ. `resolved`: "3.11" -> name -> version."""
    written = []
    for name in sorted(set().union(*resolved.values())):
        versions = {python: packages[name] for python, packages in resolved.items() if name in packages}
        if len(set(versions.values())) == 1:
            written.append(f"{name}=={next(iter(versions.values()))}")
        else:
            written += [f"{name}=={v}; python_version == '{python}'" for python, v in versions.items()]
    return written


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pythons", nargs="+", help="the interpreters to ask, one for each Python version")
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions, forget the present ones")
    options = parser.parse_args()
    held = [] if options.upgrade or not TARGET.exists() else TARGET.read_text("utf-8").splitlines()
    resolved = {}
    for python in options.pythons:
        show = "import sys; print('%d.%d' % sys.version_info[:2])"
        version = subprocess.run([python, "-c", show], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
        resolved[version] = resolve(python, held) | ELSEWHERE
    TARGET.write_text(HEADER + "\n".join(lines(resolved)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
