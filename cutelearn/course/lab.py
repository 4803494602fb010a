"""Open JupyterLab on the working folder: on this machine only, with its token, at the first lesson."""

import os
import sys
import sysconfig
from pathlib import Path

# nbgrader's parts for a class. Where it is installed they start in every JupyterLab, look for the settings of a course
# that is not there, and say so. The learner's JupyterLab is without them; `jupyter lab` and JupyterHub have them.
NBGRADER = "@jupyter/nbgrader"  # its buttons and menus
NBGRADER_SERVER = ("assignment_list", "course_list", "formgrader", "validate_assignment")


def first_lesson(folder: Path) -> str:
    """The lesson to open, relative to the folder: the first by name, which is chapter 00."""
    lessons = sorted((folder / "notebooks").glob("*.ipynb"))
    return lessons[0].relative_to(folder).as_posix() if lessons else ""


def has_display() -> bool:
    """Whether a web browser can be opened here; never true for a text browser in the terminal."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def lab_arguments(folder: Path, port: int | None, browser: bool) -> list[str]:
    """The arguments for `jupyter lab`: they go before the user's own settings, and change none of them.

    The address is loopback whatever those say. Of the token nothing is said: Jupyter makes one.
    """
    lesson = first_lesson(folder)
    arguments = [
        "--ServerApp.ip=127.0.0.1",
        "--ServerApp.log_level=WARN",  # or the address drowns
        f"--ServerApp.root_dir={folder}",
        f"--ServerApp.open_browser={browser}",
        f"--LabApp.default_url=/lab/tree/{lesson}" if lesson else "--LabApp.default_url=/lab",
        *(f"--ServerApp.jpserver_extensions=nbgrader.server_extensions.{part}=False" for part in NBGRADER_SERVER),
    ]
    if port is not None:
        arguments.append(f"--ServerApp.port={port}")
    if is_root():
        arguments.append("--allow-root")
    return arguments


def scripts_first(path: str) -> str:
    """A PATH in which the folder of this Python's commands comes first, whether or not its environment is active."""
    scripts = sysconfig.get_path("scripts")
    return os.pathsep.join([scripts, *(part for part in path.split(os.pathsep) if part and part != scripts)])


def without_nbgrader(handler, page: dict) -> dict:
    """What JupyterLab's page is told when it opens: as it was, with nbgrader's buttons among what is turned off."""
    return page | {"disabledExtensions": [*page.get("disabledExtensions", []), NBGRADER]}


def open_lab(folder: Path, port: int | None, browser: bool) -> None:
    """Start JupyterLab and stay in it until it is stopped."""
    from jupyterlab.labapp import LabApp

    if is_root():
        print("You are root, as in a container: adding --allow-root, which JupyterLab asks for.")
    if browser and not has_display():
        print("There is no display here: open the address below in a browser yourself.")
        browser = False
    os.environ["PATH"] = scripts_first(os.environ.get("PATH", os.defpath))  # so that its terminals know `cutelearn`
    server = LabApp.initialize_server(argv=lab_arguments(folder, port, browser))
    server.web_app.settings["page_config_hook"] = without_nbgrader

    def announce() -> None:
        print(f"JupyterLab: {server.local_url}\nStop it with Ctrl-C, then y.", flush=True)

    server.io_loop.add_callback(announce)  # runs after the server's own callback that opens the port
    server.start()
