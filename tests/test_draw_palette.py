"""Colours: neighbouring threads and tiles stay apart for every eye, and ink reads on all of them."""

import pytest

from cutelearn.draw import palette

# Machado, Oliveira, Fernandes (2009), severity 1.0, on linear RGB.
EYES = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
EVERY_EYE = pytest.mark.parametrize("eye", EYES)
LEAST = 5.0  # CIE76; 2.3 is a just noticeable difference


def linear(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]


def luminance(colour):
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def lab(rgb):
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    xyz = [
        sum(w * p for w, p in zip(row, rgb, strict=True)) / white
        for row, white in zip(rows, (0.95047, 1, 1.08883), strict=True)
    ]
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(colour, eye):
    rgb = linear(colour)
    return lab([min(1, max(0, sum(w * p for w, p in zip(row, rgb, strict=True)))) for row in EYES[eye]])


def difference(a, b, eye):
    return sum((p - q) ** 2 for p, q in zip(seen(a, eye), seen(b, eye), strict=True)) ** 0.5


def test_the_simulation_knows_red_from_green_as_a_deuteranope_does():
    red, green = "#c8503c", "#7d7d32"
    assert difference(red, green, "normal") > 2 * difference(red, green, "deuteranopia")


@EVERY_EYE
def test_neighbouring_threads_differ(eye):
    for t in range(64):
        for step in (1, 4, 8):  # the next lane, the next quad, and every second quad: T0, T8, T16, T24
            if step == 1 and t % 4 == 3 and t % 32 != 31:
                assert difference(palette.thread(t), palette.thread(t + 1), eye) >= LEAST, (t, t + 1)
            else:
                assert difference(palette.thread(t), palette.thread(t + step), eye) >= LEAST, (t, t + step)


@EVERY_EYE
def test_neighbouring_tiles_differ(eye):
    for k in range(24):
        for step in (1, 2):
            assert difference(palette.tile(k), palette.tile(k + step), eye) >= LEAST, (k, k + step)


@EVERY_EYE
def test_the_template_differs_from_its_first_copies(eye):
    assert all(difference(palette.COPY_0, palette.tile(k), eye) >= LEAST for k in range(6))


def test_threads_of_a_warp_have_32_colours_and_warps_the_same():
    assert len({palette.thread(t) for t in range(32)}) == 32
    assert [palette.thread(t) for t in range(32)] == [palette.thread(t + 32) for t in range(32)]


def test_hue_is_the_quad_and_shade_the_lane():
    for quad in range(8):
        shades = [luminance(palette.thread(4 * quad + lane)) for lane in range(4)]
        assert shades == sorted(shades)
        assert len({palette.thread(4 * quad + lane) for lane in range(4)}) == 4


COLOURS = [palette.thread(t) for t in range(32)] + [palette.tile(k) for k in range(24)]
COLOURS += [palette.ramp(k / 15) for k in range(16)] + [palette.COPY_0, palette.PAPER, palette.EMPTY]


def test_ink_reads_on_every_colour():
    assert min(contrast(palette.INK, c) for c in COLOURS) >= 5.5
    assert min(contrast(palette.SECOND, c) for c in COLOURS) >= 4.5
    for words in (palette.GREY, palette.GOOD, palette.BAD):
        assert contrast(words, palette.PAPER) >= 4.5
        assert contrast(words, palette.EMPTY) >= 4.5


def test_the_ramp_only_darkens():
    steps = [luminance(palette.ramp(k / 15)) for k in range(16)]
    assert steps == sorted(steps, reverse=True)
    assert len(set(steps)) == 16
