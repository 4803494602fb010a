"""The same calls to tensor-layouts (PyPI), on random layouts: every disagreement is of a listed kind, judged by the law."""

import random

import laws
import pytest
from strategies import refill

import cutelearn as ct
from cutelearn import Layout, LayoutError

tl = pytest.importorskip("tensor_layouts", reason="pip install tensor-layouts (it is in the extra `test`)")

DIVIDES = {"logical_divide", "zipped_divide"}  # tiled and flat only rearrange these
PRODUCTS = {"logical_product", "zipped_product", "blocked_product", "raked_product"}
ONE = {"coalesce", "flatten", "complement", "right_inverse", "left_inverse", "nullspace"}
TWO = {"composition", "max_common_layout"} | DIVIDES | PRODUCTS
NAMED = {"composition": tl.compose}

KINDS = {
    "spelling": (
        "the same function: C++ keeps a rank-1 mode in its parentheses and has strides of size-1 modes of its own",
        {"composition", "flatten", "nullspace"} | DIVIDES | PRODUCTS,
    ),
    "they break the law": (
        "B walks past an A that ends in a size-1 mode (C++ keeps that mode's stride, they coalesce it away); "
        "blocked_product does not fill the holes of the block; a mode that only one of the two has is left unpaired",
        {"composition", "blocked_product", "raked_product"} | DIVIDES,
    ),
    "both are right": (
        "several answers obey the law: among equal strides C++ takes the first mode; we go on past a trailing size-1 mode",
        {"right_inverse", "left_inverse", "max_common_layout"},
    ),
    "C++ refuses too": (
        "their answer has no counterpart: C++ stops with a static_assert (divisibility, not injective)",
        {"composition", "complement", "left_inverse", "max_common_layout"} | DIVIDES | PRODUCTS,
    ),
    "a lawless answer of C++": (
        "modes of B carry across A, or copies never meet a coordinate: C++ and they answer in silence, we refuse",
        {"composition", "complement", "left_inverse", "max_common_layout"} | DIVIDES | PRODUCTS,
    ),
    "they ask for more": (
        "they want a stride to divide the extent; C++ asks for it to be smaller, and the law holds",
        {"composition"} | DIVIDES | PRODUCTS,
    ),
}


def random_layout(rng, most):
    sizes = [rng.choice([1, 2, 2, 3, 4, 4, 5, 6, 8]) for _k in range(rng.randint(1, most))]
    strides, step = [0] * len(sizes), 1
    for k in rng.sample(range(len(sizes)), len(sizes)):
        step *= rng.choice([1, 1, 1, 2, 3])
        strides[k] = step * rng.choice([0, 1, 1, 1, 1])
        step *= sizes[k]
    if rng.random() < 0.2:
        strides = [rng.randint(0, 12) for _size in sizes]
    cut = rng.randint(0, len(sizes))
    shape = (
        sizes[0]
        if len(sizes) == 1 and cut
        else (*sizes[:cut], tuple(sizes[cut:]))
        if cut < len(sizes)
        else tuple(sizes)
    )
    return Layout(shape, refill(shape, iter(strides)))


def ours(op, args, **kw):
    try:
        return getattr(ct, op)(*args, **kw), ""
    except LayoutError as refusal:
        return None, str(refusal)


def theirs(op, args):
    """Their answer as a Layout; None where they raise, whatever they raise."""
    try:
        made = (NAMED.get(op) or getattr(tl, op))(*(tl.Layout(a.shape, a.stride) for a in args))
    except Exception:
        return None
    return Layout(made.shape, made.stride)


def as_pair(op, R):
    """(block or tile, the rest) of every form, so that one law judges them all."""
    form, modes = op.split("_")[0], laws.modes(R)
    if form in ("blocked", "raked"):
        first, second = (0, 1) if form == "blocked" else (1, 0)
        return laws.join(*(laws.join(*(laws.modes(m)[k] for m in modes)) for k in (first, second)))
    return R


def lawless(op, args, R):
    """What the law has against R: "" for nothing."""
    A, B = (*args, None)[:2]
    if op in DIVIDES:
        return laws.divide(A, B, as_pair(op, R))
    if op in ("blocked_product", "raked_product") and any(len(laws.modes(mode)) != 2 for mode in laws.modes(R)):
        return "a mode is no pair of block and copies"
    if op in PRODUCTS:
        return laws.product(A, B, as_pair(op, R))
    if op == "complement":
        return laws.complement(A, 1 + max(laws.values(laws.filtered(A))), R)
    if op == "max_common_layout":
        return laws.right_inverse(A, R) or laws.right_inverse(B, R)
    law = {"flatten": laws.same_function}.get(op) or getattr(laws, op)
    return law(*args, R)


def kind_of(op, args, mine, refusal, other):
    """The kind of a disagreement; each is proved, not assumed."""
    if mine is not None:
        assert not lawless(op, args, mine), f"we are wrong: {op}{args} = {mine}"
        if other is None:
            return "they ask for more"
        if not laws.same_function(mine, other):
            return "spelling"
        return "they break the law" if lawless(op, args, other) else "both are right"
    if op in ("complement", "left_inverse"):
        cpps = ("not injective", "Left inverse divisibility")
        if any(words in refusal for words in cpps):
            return "C++ refuses too"
        assert lawless(op, args, other), f"we refuse what they have right: {op}{args} = {other}"
        return "a lawless answer of C++"
    if op == "max_common_layout":
        op, args = "composition", (args[0], ct.right_inverse(args[1]))
    unchecked, _refusal = ours(op, args, check=False)
    if unchecked is None:
        return "C++ refuses too"
    assert lawless(op, args, unchecked), f"we refuse what is right: {op}{args} = {unchecked}"
    return "a lawless answer of C++"


@pytest.fixture(scope="module")
def disagreements():
    rng, found = random.Random(2026), []
    for _round in range(600):
        A, B = random_layout(rng, 3), random_layout(rng, 2)
        for op in sorted(ONE | TWO):
            args = (A,) if op in ONE else (A, B)
            (mine, refusal), other = ours(op, args), theirs(op, args)
            if mine != other:
                found.append((op, kind_of(op, args, mine, refusal, other), f"{op}{args}: {mine} and {other}"))
    return found


def test_every_disagreement_is_of_a_listed_kind(disagreements):
    unlisted = [what for op, kind, what in disagreements if op not in KINDS[kind][1]]
    assert not unlisted, "\n".join(unlisted[:10])


@pytest.mark.parametrize("kind", KINDS)
def test_every_listed_kind_is_met(disagreements, kind):
    assert any(kind == met for _op, met, _what in disagreements), f"nothing is {kind!r} any more: take it off the list"


def test_by_mode_forms_agree():
    """A tuple as tiler, on the documentation's own example: all four divides and products."""
    A, tiler = Layout((9, (4, 8)), (59, (13, 1))), (Layout(3, 3), Layout((2, 4), (1, 8)))
    their_A = tl.Layout(A.shape, A.stride)
    their_tiler = tl.Tile(*(tl.Layout(t.shape, t.stride) for t in tiler))
    for form in ("logical", "zipped", "tiled", "flat"):
        mine, other = getattr(ct, f"{form}_divide")(A, tiler), getattr(tl, f"{form}_divide")(their_A, their_tiler)
        assert (mine.shape, mine.stride) == (other.shape, other.stride)
