"""JupyterLab in a child process and Chromium before it: what the tests marked `browser` share."""

import json
import os
import re
import shutil
import signal
import subprocess
from contextlib import contextmanager

import pytest

CHROMIUM = shutil.which("chromium")
needs_chromium = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium"),
]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 60  # seconds for one step of starting; each is waited for, none is slept through
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},  # or cells out of sight are not in the page
    "apputils-extension/themes": {"theme": "JupyterLab Light"},
}


def own_environment(folder):
    """The environment for a JupyterLab that reads and writes nothing of the user's: all its folders are in `folder`.

    Its page hands out its application as `window.jupyterapp`.
    """
    for name, values in SETTINGS.items():
        write_json(folder / "settings/@jupyterlab" / f"{name}.jupyterlab-settings", values)
    news = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}  # would ask the internet
    write_json(folder / "config/labconfig/page_config.json", news)
    write_json(folder / "config/jupyter_lab_config.json", {"LabApp": {"expose_app_in_browser": True}})
    places = {f"JUPYTER_{name.upper()}_DIR": name for name in ("config", "data", "runtime")}
    places |= {f"JUPYTERLAB_{name.upper()}_DIR": name for name in ("settings", "workspaces")}
    places |= {"IPYTHONDIR": "ipython"}
    return os.environ | {variable: str(folder / place) for variable, place in places.items()}


def write_json(path, values):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values))


@contextmanager
def running(command, folder):
    """A server in a process group of its own, which says what it has to say in `folder / "log"`."""
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            command, env=own_environment(folder), stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        yield server
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)  # the server and its kernels
            server.wait()


@contextmanager
def new_page():
    """A page in Chromium; `page.complaints` is what its console said."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(PATIENCE * 1e3)
        page.complaints = []
        page.on("console", lambda m: page.complaints.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        yield page
        browser.close()


def open_notebook(page, address):
    """Waits until the notebook at this address is in front and its kernel is idle."""
    page.goto(address)
    page.wait_for_function(
        """path => {
            const front = window.jupyterapp?.shell.currentWidget;
            const kernel = front?.sessionContext?.session?.kernel;
            return front?.context.path === path && kernel?.connectionStatus === "connected" && kernel.status === "idle";
        }""",
        arg=re.search(r"/tree/([^?]+)", address)[1],
    )


def run_all(page):
    """Run All Cells, to the end of the last."""
    page.evaluate("""() => {
        window.ran = false;
        window.jupyterapp.commands.execute("notebook:run-all-cells").then(() => { window.ran = true; });
    }""")
    page.wait_for_function("window.ran")
