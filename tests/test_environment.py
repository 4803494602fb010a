"""environment.yml, constraints.txt and pyproject.toml say the same."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
BASE = [Requirement(text) for text in PROJECT["dependencies"]]
# gpu-cu12 takes another toolkit than the one that constraints.txt pins.
EXTRAS = [
    Requirement(text)
    for extra, texts in PROJECT["optional-dependencies"].items()
    for text in texts
    if extra != "gpu-cu12" and not text.startswith(PROJECT["name"])
]

CONDA_NAME = {"matplotlib": "matplotlib-base"}
# conda-forge has no package with extras for the toolkit: one package a part, and cuda-version for the release.
CONDA_TOOLKIT = {
    "cccl": "cuda-cccl",
    "cudart": "cuda-cudart-dev",
    "nvjitlink": "libnvjitlink",
    "nvrtc": "cuda-nvrtc",
    "nvvm": "cuda-nvcc-impl",
}


def conda_packages() -> dict[str, str]:
    """name -> version specifier, as environment.yml has them."""
    lines = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))["dependencies"]
    return {name: rest.strip() for name, _, rest in (line.partition(" ") for line in lines)}


def pinned() -> dict[str, list[str]]:
    """name -> the exact versions in constraints.txt (more than one where the Pythons differ)."""
    versions: dict[str, list[str]] = {}
    for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            requirement = Requirement(line)
            (specifier,) = requirement.specifier
            assert specifier.operator == "==", line
            versions.setdefault(requirement.name, []).append(specifier.version)
    return versions


def test_conda_has_the_base_install_with_the_same_bounds():
    conda = conda_packages()
    assert SpecifierSet(conda.pop("python")) == SpecifierSet(PROJECT["requires-python"])
    conda.pop("pip")
    for requirement in BASE:
        if requirement.name == "cuda-toolkit":
            assert conda.pop("cuda-version").removeprefix("==") in requirement.specifier
            for part in requirement.extras:
                conda.pop(CONDA_TOOLKIT[part])
        else:
            assert SpecifierSet(conda.pop(CONDA_NAME.get(requirement.name, requirement.name))) == requirement.specifier
    assert conda == {}, "environment.yml has packages that pyproject.toml does not ask for"


@pytest.mark.parametrize("requirement", BASE + EXTRAS, ids=str)
def test_constraints_pin_what_pyproject_asks_for(requirement):
    versions = pinned()[requirement.name]
    assert all(version in requirement.specifier for version in versions)


def test_constraints_hold_no_address():
    assert not re.search(r"://|@", (ROOT / "constraints.txt").read_text("utf-8"))


def test_every_dependency_is_bounded_above():
    unbounded = [r for r in BASE if not any(s.operator in ("<", "==") for s in r.specifier)]
    assert unbounded == []


@pytest.mark.skipif(sys.platform == "win32", reason="Binder runs it on Linux")
def test_binder_installs_the_course_and_trusts_its_notebooks(tmp_path):
    """postBuild, with a pip that only says what it was asked; JupyterLab hides pictures of what it does not trust."""
    import nbformat
    from nbformat.sign import NotebookNotary

    for name in ("postBuild", "notebooks/01-coordinates.ipynb", "exercises/01-coordinates.ipynb"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "pip").write_text('#!/bin/sh\necho "$@"\n')
    (tools / "pip").chmod(0o755)
    path = os.pathsep.join([str(tools), sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])
    environment = os.environ | {"PATH": path, "JUPYTER_DATA_DIR": str(tmp_path / "jupyter")}
    ran = subprocess.run([tmp_path / "postBuild"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("install --no-deps -e .\n")
    notary = NotebookNotary(data_dir=str(tmp_path / "jupyter"))
    for folder in ("notebooks", "exercises"):
        notebook = nbformat.read(tmp_path / folder / "01-coordinates.ipynb", as_version=4)
        assert notary.check_signature(notebook)
        notebook.cells[0].source += "another notebook"
        assert not notary.check_signature(notebook)
    notary.store.close()
    assert not (ROOT / "binder").exists()  # or repo2docker would look there alone
    assert not (ROOT / ".binder").exists()
