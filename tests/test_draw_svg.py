"""SVG: valid, small, the same on every run, and legible: nothing clipped, no two texts on each other, no label out of its cell."""

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from pictures import PICTURES

from cutelearn import Layout
from cutelearn.draw import beside, draw_layout, place
from cutelearn.draw.place import Box, Curve, Fills, Hatch, Lines, Texts

EVERY = pytest.mark.parametrize("name", PICTURES)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def scenes():
    return {name: draw() for name, draw in PICTURES.items()}


@EVERY
def test_it_is_valid_xml_that_paints_its_paper_and_says_what_it_is(name, scenes):
    root = ElementTree.fromstring(scenes[name].svg())
    assert root.tag == SVG + "svg"
    assert root.find(SVG + "title").text == scenes[name].name != ""
    assert root.find(SVG + "desc").text
    paper = root.find(SVG + "rect")
    size = root.get("viewBox").split()[2:]
    assert [paper.get("width"), paper.get("height")] == size
    shown = [float(root.get(side)) / float(n) for side, n in zip(("width", "height"), size, strict=True)]
    assert shown == pytest.approx([min(shown[0], 1)] * 2, rel=1e-3)  # its own proportions, never blown up
    assert paper.get("fill") == "#ffffff"
    assert root.get("aria-labelledby").split() == [root.find(SVG + t).get("id") for t in ("title", "desc")]


@EVERY
def test_nothing_in_it_refers_to_an_id_or_another_file(name, scenes):
    svg = scenes[name].svg()
    assert "url(" not in svg
    assert "href" not in svg


def text_boxes(picture):
    """All texts as (left, top, right, bottom), and their words."""
    boxes, words = [], []
    for mark in picture.marks:
        if not isinstance(mark, Texts):
            continue
        for x, y, said in mark.items:
            if not said.strip():
                continue
            n, up = place.text_width(said, mark.size, mark.style), mark.size * 0.72
            start = -n / 2 if "c" in mark.style else -n if "e" in mark.style else 0
            if mark.turned:
                boxes.append((x - up, y - start - n, x, y - start))
            else:
                boxes.append((x + start, y - up, x + start + n, y))
            words.append(said)
    return np.array(boxes), words


def mark_corners(picture):
    for mark in picture.marks:
        if isinstance(mark, (Fills, Hatch)):
            for x, y, w, h in mark.boxes:
                yield from ((x, y), (x + w, y + h))
        elif isinstance(mark, Box):
            yield from ((mark.x, mark.y), (mark.x + mark.width, mark.y + mark.height))
        elif isinstance(mark, Lines):
            for x1, y1, x2, y2 in mark.lines:
                yield from ((x1, y1), (x2, y2))
        elif isinstance(mark, Curve):
            yield from (mark.start, mark.end)
            if mark.middle:
                yield tuple((a + 2 * m + b) / 4 for a, m, b in zip(mark.start, mark.middle, mark.end, strict=True))


@EVERY
def test_nothing_is_clipped(name, scenes):
    picture = place.place(scenes[name])
    boxes, words = text_boxes(picture)
    low, high = boxes[:, :2].min(axis=1), (boxes[:, 2:] - (picture.width, picture.height)).max(axis=1)
    assert [w for w, a, b in zip(words, low, high, strict=True) if a < 0 or b > 0] == []
    corners = np.array(list(mark_corners(picture)))
    assert corners.min() >= 0
    assert (corners <= (picture.width, picture.height)).all()


@EVERY
def test_no_two_texts_lie_on_each_other(name, scenes):
    boxes, words = text_boxes(place.place(scenes[name]))
    order = boxes[:, 1].argsort(kind="stable")
    boxes, words = boxes[order], [words[k] for k in order]
    clashes = []
    for k, (left, _top, right, bottom) in enumerate(boxes):
        n = boxes[k + 1 :, 1].searchsorted(bottom - 0.5)
        near = boxes[k + 1 : k + 1 + n]
        hits = (near[:, 0] < right - 0.5) & (near[:, 2] > left + 0.5)
        clashes += [(words[k], words[k + 1 + i]) for i in hits.nonzero()[0]]
    assert clashes == []


@EVERY
def test_labels_fit_their_cells_and_can_be_read(name, scenes):
    for panel in scenes[name].panels:
        w, h = panel.cell
        size, second, step = place._fonts(panel)
        for c in () if panel.silent else panel.cells:
            widths = [place.text_width(x, second if k else size) for k, x in enumerate(c.lines)]
            assert all(n <= c.cols * w for n in widths), (panel.name, c)
            if c.lines:
                assert size + step * (len(c.lines) - 1) <= c.rows * h
                assert size >= 7
                assert len(c.lines) == 1 or second >= 5.5


WIDE = {"layout-swizzled"}  # 64 columns of numbers: to be scrolled, and no ordinary picture


@pytest.mark.parametrize("name", [n for n in PICTURES if n not in WIDE])
def test_it_fits_a_text_column_and_can_still_be_read(name, scenes):
    root = ElementTree.fromstring(scenes[name].svg())
    scale = float(root.get("width")) / float(root.get("viewBox").split()[2])
    assert float(root.get("width")) <= place.PAGE
    sizes = [float(node.get("font-size")) for node in root.iter() if node.get("font-size")]
    assert min(sizes) * scale >= 5.5


def test_a_picture_too_wide_to_be_read_when_small_is_shown_at_its_size():
    wide = draw_layout(Layout((8, 64), (64, 1)), cell="coord")
    shown = float(ElementTree.fromstring(wide.svg()).get("width"))
    assert 0.9 * place.place(wide).width < shown
    assert shown > place.PAGE


def test_long_titles_and_notes_are_wrapped():
    scene = draw_layout(Layout((4, 8)), title=" ".join(["title"] * 40), note=" ".join(["words"] * 60))
    picture = place.place(scene)
    assert picture.width <= place.PAGE
    said = " ".join(w for m in picture.marks if isinstance(m, Texts) for *_at, w in m.items)
    assert said.count("title") == 40
    assert said.count("words") == 60


def test_what_stands_side_by_side_is_stacked_where_it_is_wider_than_a_page():
    scene = draw_layout(Layout((4, 12)), memory=False)
    assert place.place(beside(scene, scene)).width <= place.PAGE
    one, small = place.place(beside(scene)), draw_layout(Layout((4, 2)), memory=False)
    assert place.place(beside(scene, small)).height < one.height + 40  # there is room: side by side
    assert place.place(beside(scene, scene)).height > 1.5 * one.height


def test_a_32_by_32_layout_stays_small():
    assert len(draw_layout(Layout((32, 32))).svg()) < 100_000
    assert len(draw_layout(Layout((32, 32)), color="offset").svg()) < 100_000
    assert len(draw_layout(Layout((4, 8), (8, 1)), pick=(2, 3)).svg()) < 11_000


@EVERY
def test_a_picture_of_many_cells_is_a_summary(name, scenes):
    assert len(scenes[name].svg()) < 250_000


def test_equal_scenes_give_equal_text_and_others_do_not():
    a, b = draw_layout(Layout((4, 8))), draw_layout(Layout((4, 8)))
    assert a.svg() == b.svg()
    assert a.svg() != draw_layout(Layout((4, 8), (8, 1))).svg()


def test_styles_of_two_pictures_in_a_page_keep_apart():
    pictures = [draw_layout(Layout((4, 8))).svg(), draw_layout(Layout((8, 4))).svg()]
    names = [re.search(r'class="(c[0-9a-f]{8})"', svg)[1] for svg in pictures]
    assert names[0] != names[1]
    for name, svg in zip(names, pictures, strict=True):
        rules = re.search(r"<style>(.*?)</style>", svg)[1].split("}")[:-1]
        assert all(rule.startswith(f".{name}") for rule in rules)
        assert all(name in ident for ident in re.findall(r' id="([^"]*)"', svg))


PROBE = "import sys; sys.path[:0] = [{root!r}, {tests!r}]; import hashlib, pictures\n" + (
    "print(*(hashlib.sha256(draw().svg().encode()).hexdigest() for draw in pictures.PICTURES.values()))"
)


def test_another_process_draws_the_same(scenes):
    """Hash randomisation on: nothing may hang on the order of a set."""
    here = Path(__file__).resolve().parent
    probe = PROBE.format(root=str(here.parent), tests=str(here))
    run = [sys.executable, "-W", "error", "-c", probe]
    outputs = {
        subprocess.run(
            run, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "77")
    }
    assert len(outputs) == 1
    assert len(set(outputs.pop().split())) == len(scenes)


def test_words_are_escaped():
    scene = draw_layout(Layout((2, 2)), title="a < b & c", note='"<x>"', cell=lambda c, o: f"<{o}&>")
    root = ElementTree.fromstring(scene.svg())
    assert root.find(SVG + "title").text == "a < b & c"
    assert "<3&>" in [t.text for t in root.iter(SVG + "text")]


def test_pictures_beside_each_other_stay_inside(scenes):
    both = beside(scenes["layout"], scenes["mma-f64"], title="two")
    picture = place.place(both)
    boxes, _words = text_boxes(picture)
    assert (boxes[:, 2] <= picture.width).all()
    assert "two" in both.svg()
