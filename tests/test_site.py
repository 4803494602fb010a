"""The site is built without a warning, has every page and every name, and asks nothing of another machine."""

import os
import re
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from browser import needs_chromium, new_page

import cutelearn
import cutelearn.draw
import cutelearn.explore

pytest.importorskip("myst_nb")
pytest.importorskip("furo")

ROOT = Path(__file__).resolve().parent.parent


def in_browser(test):
    """The marks of tests that drive Chromium."""
    for mark in needs_chromium:
        test = mark(test)
    return test


WITHOUT_DOCSTRING = {"_", "X", "LayoutLeft", "LayoutRight"}  # values
LOADS = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built pages. Sphinx reads the clone and writes elsewhere; a warning is an error."""
    out = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "-c",
        "docs",
        "-d",
        str(out / "doctrees"),
        ".",
        str(out / "html"),
    ]
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_ENABLE_CUDASIM"}
    built = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return out / "html"


class Elements(HTMLParser):
    """What a page loads when it is opened, and the ids that it has."""

    def __init__(self, page: Path):
        super().__init__()
        self.loaded, self.ids = [], set()
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get("id"))
        if tag in LOADS and attributes.get(LOADS[tag]):
            self.loaded.append(attributes[LOADS[tag]])


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *what):
        pass


@contextmanager
def served(folder):
    """The address at which the folder is served to this machine: the search of a site does not work from files."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=folder)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_every_notebook_is_a_page(site):
    for folder in ("notebooks", "exercises"):
        pages = {page.stem for page in (site / folder).glob("*.html")}
        assert pages == {path.stem for path in (ROOT / folder).glob("*.ipynb")}
    assert "docs/index.html" in (site / "index.html").read_text("utf-8")


def test_nothing_is_loaded_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    loaded = {address for page in pages for address in Elements(page).loaded}
    assert any(address.endswith(".js") for address in loaded)
    assert not [address for address in loaded if re.match(r"(\w+:)?//", address)]
    styles = "".join(path.read_text("utf-8") for path in site.rglob("*.css"))
    assert not re.search(r"@import|url\(['\"]?(https?:)?//", styles)


def test_pictures_of_a_lesson_are_there(site):
    lesson = site / "notebooks" / "04-composition.html"
    pictures = [(lesson.parent / address).resolve() for address in Elements(lesson).loaded if address.endswith(".svg")]
    assert len(pictures) >= 5
    assert all(picture.read_text("utf-8").startswith("<svg") for picture in pictures)


@pytest.mark.parametrize("room", [cutelearn, cutelearn.draw, cutelearn.explore], ids=lambda room: room.__name__)
def test_every_name_is_in_the_reference(site, room):
    ids = set().union(*(Elements(page).ids for page in (site / "docs" / "reference").glob("*.html")))
    written = {name.rpartition(".")[2] for name in filter(None, ids)}
    assert set(room.__all__) - written <= WITHOUT_DOCSTRING


@pytest.fixture(scope="module")
def page(site):
    with served(site) as address, new_page() as page:
        page.goto(address)
        page.wait_for_url("**/docs/index.html")
        yield page
        assert page.complaints == []


@in_browser
def test_a_lesson_shows_its_figures(page):
    page.get_by_role("link", name="04 · Composition", exact=True).first.click()
    figure = page.locator("main img[src$='.svg'], article img[src$='.svg']").first
    figure.scroll_into_view_if_needed()
    page.wait_for_function("image => image.complete && image.naturalWidth > 100", arg=figure.element_handle())
    assert figure.bounding_box()["width"] > 100


@in_browser
def test_the_glossary_has_a_term_in_two_languages(page):
    page.get_by_role("link", name="Glossary", exact=True).first.click()
    row = page.get_by_role("row").filter(has=page.get_by_text("coalesce", exact=True))
    assert "合并" in row.first.inner_text()


@in_browser
def test_search_finds_an_operation(page):
    page.get_by_placeholder("Search").first.fill("raked_product")
    page.keyboard.press("Enter")
    page.locator("#search-results a", has_text="raked_product").first.wait_for()
