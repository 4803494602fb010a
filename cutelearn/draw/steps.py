"""Pictures of operations as they happen: digits of a coordinate, one walk through a composition, coalesce and shape
division as chains of steps."""

# ruff: noqa: RUF001 (pictures use the signs × and –)
from ..algebra import coalesce, composition, has_basis
from ..htuple import LayoutError, idx2crd, leaves, product, product_each, text, wrap
from ..layout import Layout, crd2idx, rank, size
from . import palette
from .grids import cut, formula, need_layout, need_number, refuse_more, terms, tiler_text
from .place import text_width
from .scene import Arrow, At, Axis, Cell, Label, Level, Panel, Scene, stack

_ROW = 19  # pixels of a line of a list


# ------------------------------------------------------------------------------------------------ coordinates


def draw_coordinates(shape, layout=None, *, pick=None, title=None, limit=40) -> Scene:
    """The table of equivalent coordinates: 1-D, 2-D and natural on one line, and the offset if there is a layout.

    `shape` may be a layout itself. `pick` is a coordinate of any kind: its line is picked.

    >>> draw_coordinates((3, (2, 3))).panel("coordinates").at(6, 2).lines
    ('(0,(0,1))',)
    """
    shape, layout = _counted(shape, layout, "draw_coordinates")
    flat = product_each(shape) if isinstance(shape, tuple) else shape
    columns = [("1-D", 7, str)]
    if flat != shape and len(flat) > 1:
        columns.append((f"{len(flat)}-D", 4, lambda i: text(idx2crd(i, flat))))
    columns.append(("natural", 1, lambda i: text(idx2crd(i, shape))))
    if layout is not None:
        columns.append(("offset", 2, lambda i: text(layout(i))))
    picked = None if pick is None else crd2idx(pick, shape)
    shown = _around(product(shape), limit, picked)
    cells = []
    for r, i in enumerate(shown):
        for c, (head, _hue, say) in enumerate(columns):
            cells.append(Cell(r, c, ("⋮",), faint=True) if i is None else Cell(r, c, (say(i),), head, i == picked))
    fills = {head: palette.mix(palette.HUES[hue], 0.82) for head, hue, _say in columns}
    wide = max(max(len(w) for c in cells for w in c.lines) * 7.3 + 16, 56)
    top = Axis("top", "", (Level(tuple((c, 1, head) for c, (head, *_rest) in enumerate(columns)), "ink"),))
    panel = Panel("coordinates", len(shown), len(columns), tuple(cells), fills, (top,), cell=(wide, _ROW), font=12)
    note = f"{product(shape)} cells" + ("" if layout is None else f", {layout}")
    return Scene(title or text(shape), note, ((panel,),))


_DIGITS = 16  # leaves of a shape, modes of a layout: more than a picture has room for


def _counted(shape, layout, who):
    """The shape that is counted through, and the layout if it is one's; LayoutError for what has no coordinates."""
    if isinstance(shape, Layout):
        shape, layout = shape.shape, shape
    shape = Layout(shape).shape  # refuses what is no shape
    if not leaves(shape):
        raise LayoutError(f"{who}: {text(shape)} has no digit to count with: write a shape such as (3, (2, 3))")
    refuse_more(len(leaves(shape)), _DIGITS, who, "digits", "take a shape of fewer modes")
    if layout is not None:
        need_layout(layout, who)
    return shape, layout


def _around(n: int, most: int | None, index: int | None) -> list:
    """The lines to show: all, or the first and last ones and those near the picked one."""
    near = () if index is None else range(max(index - 2, 0), min(index + 3, n))
    return cut(n, n if most is None else most, near)


def draw_odometer(shape, index=0, layout=None, *, lines=12, title=None) -> Scene:
    """The digits of a nested coordinate as wheels, the leftmost turning fastest, and how they turn while counting on.

    `shape` may be a layout itself: then the offset stands beside each line.

    >>> scene = draw_odometer((3, (2, 3)), 13)
    >>> scene.panel("wheels").picked(), scene.note
    ([(1, 0.0), (0, 1.2), (2, 2.4)], '13 = 1·1 + 0·3 + 2·6')
    """
    shape, layout = _counted(shape, layout, "draw_odometer")
    index = crd2idx(index, shape)
    if not 0 <= index < product(shape):
        raise LayoutError(
            f"draw_odometer: {index} is outside of {text(shape)}: it counts from 0 to {product(shape) - 1}"
        )
    extents = leaves(shape)
    digits = leaves(idx2crd(index, shape))
    steps = [product(extents[:k]) for k in range(len(extents))]
    fills = {f"digit {k}": palette.tile(k) for k in range(len(extents))}
    wheels = _wheels(extents, digits, steps, fills, shape)
    counting = _counting(shape, index, lines, fills, layout)
    note = f"{index} = " + " + ".join(f"{c}·{n}" for c, n in zip(digits, steps, strict=True))
    if layout is not None:
        note += f"   ·   {formula(layout, idx2crd(index, shape))}"
    return Scene(
        title or f"{index} in {text(shape)} is {text(idx2crd(index, shape))}", note, ((wheels, counting),), gap=(56, 26)
    )


def _wheels(extents, digits, steps, fills, shape) -> Panel:
    tall = min(max(extents), 9)
    cells, said = [], []
    modes = [k for k, s in enumerate(wrap(shape)) for _leaf in leaves(s)]
    for k, (n, digit) in enumerate(zip(extents, digits, strict=True)):
        shown = _window(n, tall, digit)
        wheel = [
            Cell(
                r,
                1.2 * k,
                ("⋮" if d is None else str(d),),
                None if d is None else f"digit {k}",
                d == digit,
                faint=d is None,
            )
            for r, d in enumerate(shown)
        ]
        cells += wheel
        said.append(f"digit {k} of mode {modes[k]}, 0 to {n - 1}, worth {steps[k]}: {' '.join(map(str, wheel))}")
    levels = (
        Level(tuple((1.2 * k, 1, f"×{n}") for k, n in enumerate(steps))),
        Level(tuple((1.2 * k, 1, f"0–{n - 1}" if n > 1 else "0") for k, n in enumerate(extents)), "ink"),
    )
    groups, start = [], 0
    for k, s in enumerate(wrap(shape)):
        groups.append((1.2 * start, 1.2 * len(leaves(s)) - 0.2, f"mode {k}"))
        start += len(leaves(s))
    levels += (Level(tuple(groups), "block"),) if len(groups) > 1 and len(groups) < len(extents) else ()
    return Panel(
        "wheels",
        tall,
        1.2 * len(extents) - 0.2,
        tuple(cells),
        fills,
        (Axis("top", "", levels),),
        (),
        (Label(tall + 0.5, 0.1, "carry →", "f", 11.5),),
        (48, 28),
        frame=False,
        blank=False,
        said=tuple(said),
    )


def _window(n: int, tall: int, digit: int) -> list[int | None]:
    """The digits of a wheel that stand in the window: those round the one that shows, None where the wheel goes on.

    >>> _window(4, 9, 1), _window(60, 5, 0), _window(60, 5, 30), _window(60, 5, 59)
    ([0, 1, 2, 3], [0, 1, 2, 3, None], [None, 29, 30, 31, None], [None, 56, 57, 58, 59])
    """
    start = min(max(digit - tall // 2, 0), max(n - tall, 0))
    shown: list[int | None] = list(range(start, min(start + tall, n)))
    if start > 0:
        shown[0] = None
    if start + tall < n:
        shown[-1] = None
    return shown


def _counting(shape, index, lines, fills, layout) -> Panel:
    """The next numbers, digit by digit; a digit is coloured where it has just turned."""
    n = product(shape)
    start = min(max(index - lines // 2, 0), max(n - lines, 0))
    cells, before = [], leaves(idx2crd(start - 1, shape)) if start else None
    shown = range(start, min(start + lines, n))
    for r, i in enumerate(shown):
        now = leaves(idx2crd(i, shape))
        for k, d in enumerate(now):
            turned = before is not None and before[k] != d
            cells.append(Cell(r, k, (str(d),), f"digit {k}" if turned else None, i == index))
        if layout is not None:
            cells.append(Cell(r, len(now), (text(layout(i)),), "offset", i == index))
        before = now
    side = Axis("left", "", (Level(tuple((r, 1, str(i)) for r, i in enumerate(shown)), "ink"),))
    across = len(leaves(shape)) + (layout is not None)
    fills = {**fills, "offset": palette.mix(palette.HUES[7], 0.82)}
    heads = tuple((k, 1, f"d{k}") for k in range(len(leaves(shape)))) + (
        ((across - 1, 1, "offset"),) if layout is not None else ()
    )
    top = Axis("top", "", (Level(heads),))
    return Panel("counting", len(shown), across, tuple(cells), fills, (side, top), cell=(44, _ROW), font=12)


# ------------------------------------------------------------------------------------------------ composition


def draw_composition(a: Layout, b, i=None, *, check=True, title=None, limit=24) -> Scene:
    """R = A ∘ B as three boxes, index of R -> coordinate of A -> address, and one walk (of index `i`) through them.

    `b` is a Layout or a tuple (by mode). With `check=False` R is what CuTe gives, right or not: an address where R differs
    from A(B(i)) is marked.

    >>> from cutelearn import Layout
    >>> scene = draw_composition(Layout((4, 6), (6, 1)), Layout((3, 3), (8, 1)), 4)
    >>> [p.at(*p.picked()[0]).lines for p in scene.panels]
    [('4',), (' 9  (1,2)',), ('8',)]
    """
    need_layout(a, "draw_composition", "A")
    b = Layout(b) if isinstance(b, int) else b
    need_number(i, "draw_composition", "index")
    for name, x in (("A", a), ("B", b)):
        if not isinstance(x, (Layout, tuple, list)) or (isinstance(x, Layout) and has_basis(x)):
            raise LayoutError(
                f"draw_composition: {name} is {x}: the walk is drawn through plain layouts and tuples of them; for a "
                f"swizzled one draw its .inner"
            )
    r = composition(a, b, check=check)
    n = size(r)
    if i is not None and not 0 <= i < n:
        raise LayoutError(f"draw_composition: i = {i} is outside of R = {r}: it counts from 0 to {n - 1}")
    shown = _around(n, limit, i)
    inside = b if isinstance(b, Layout) else composition(Layout(product_each(wrap(a.shape))), b)
    walk = {k: inside(k) for k in shown if k is not None}
    digits = max(len(str(c)) for c in walk.values())
    natural = {k: text(idx2crd(c, a.shape)) for k, c in walk.items()}
    flat = rank(a) == 1
    say = {
        "index": lambda k: str(k),
        "coordinate": lambda k: (
            str(walk[k])
            if flat and natural[k] in (str(walk[k]), f"({walk[k]})")
            else f"{walk[k]:{digits}}  {natural[k]}"
        ),
        "address": lambda k: str(a(walk[k])) if a(walk[k]) == r(k) else f"{a(walk[k])} ≠ {r(k)}",
    }
    heads = ("index of R", "coordinate of A", "address")
    keys = ((palette.HUES[4], 0.85), (palette.HUES[1], 0.82), (palette.HUES[2], 0.84))
    panels = []
    for (name, words), head, (hue, white) in zip(say.items(), heads, keys, strict=True):
        cells = []
        for row, k in enumerate(shown):
            if k is None:
                cells.append(Cell(row, 0, ("⋮",), faint=True))
                continue
            said = words(k)
            key = "wrong" if "≠" in said else "walk" if k == i else name
            cells.append(Cell(row, 0, (said,), key, k == i))
        fills = {
            name: palette.mix(hue, white),
            "walk": palette.mix(hue, 0.5),
            "wrong": palette.mix(palette.HUES[5], 0.6),
        }
        wide = max(max(len(c.lines[0]) for c in cells) * 7 + 18, 64)
        top = Axis("top", "", (), head)
        panels.append(Panel(name, len(shown), 1, tuple(cells), fills, (top,), cell=(wide, _ROW), font=11.5))
    arrows, gap = [], 70
    if i is not None:
        row = shown.index(i)
        first = f"B: {_walk_text(inside, i, terms(b, i) if isinstance(b, Layout) else natural[i])}"
        second = f"A: {natural[i]} → {terms(a, walk[i])}"
        gap = max(text_width(first, 11.5), text_width(second, 11.5)) + 34
        arrows = [
            Arrow(At("index", row, 0, "right"), At("coordinate", row, 0, "left"), first, weight=2),
            Arrow(At("coordinate", row, 0, "right"), At("address", row, 0, "left"), second, weight=2),
            Arrow(
                At("index", len(shown) - 1, 0, "bottom"),
                At("address", len(shown) - 1, 0, "bottom"),
                f"R: {_walk_text(r, i, terms(r, i))}",
                dashed=True,
                bend=24,
                weight=1.2,
                tone="faint",
            ),
        ]
    note = f"A = {a}   B = {tiler_text(b)}   R = {r}"
    foot = 0 if i is None else 40
    return Scene(title or "R = A ∘ B", note, (tuple(panels),), tuple(arrows), gap=(gap, 26), mono=True, foot=foot)


def _walk_text(layout, i, target) -> str:
    natural = text(idx2crd(i, layout.shape))
    start = str(i) if natural == str(i) else f"{i} = {natural}"
    return f"{start} → {target}"


# ------------------------------------------------------------------------------------------------ chains of steps


def draw_coalesce(layout: Layout, profile=None, *, title=None) -> Scene:
    """Coalesce as a chain of moves on neighbours: an extent of 1 goes, `s0·d0 = d1` merges, all else stays.

    With a `profile` such as `(1, 1)` each mode has its own chain.

    >>> from cutelearn import Layout
    >>> [c.lines for c in draw_coalesce(Layout((2, (1, 6)), (1, (6, 2)))).panel("steps").cells]
    [('2:1',), ('1:6',), ('6:2',), ('2:1',), ('6:2',), ('12:1',)]
    """
    need_layout(layout, "draw_coalesce")
    if not isinstance(layout, Layout):
        raise LayoutError(
            f"draw_coalesce: the moves are those of a plain layout, and {layout} is none: draw its .inner"
        )
    refuse_more(len(leaves(layout.shape)), _DIGITS, "draw_coalesce", "modes", "take a layout of fewer")
    if profile is not None:
        parts = (draw_coalesce(part) for part in layout)
        return stack(*parts, title=title or f"{layout}  by mode {text(profile)}", note=str(coalesce(layout, profile)))
    chain = coalesce_steps(layout)
    columns = len(leaves(layout.shape))
    cells, labels = [], []
    for row, (modes, rule, merged) in enumerate(chain):
        for k, (start, span, s, d) in enumerate(modes):
            cells.append(Cell(row * 1.5, start, (f"{s}:{d}",), f"mode {start}", k == merged, cols=span))
        labels.append(Label(row * 1.5 + 0.5, columns + 0.25, rule, "m" if row else "mf", 12))
    said = tuple(
        f"{' '.join(str(c) for c in cells if c.row == row * 1.5)}" + (f"   {rule}" if rule else "")
        for row, (_modes, rule, _merged) in enumerate(chain)
    )
    fills = {f"mode {k}": palette.tile(k) for k in range(columns)}
    longest = max(len(c.lines[0]) / c.cols for c in cells)
    wide = max(64, longest * 8 + 16)
    panel = Panel(
        "steps",
        1.5 * len(chain) - 0.5,
        columns,
        tuple(cells),
        fills,
        (),
        (),
        tuple(labels),
        (wide, 28),
        frame=False,
        said=said,
    )
    return Scene(title or f"coalesce {layout}", str(coalesce(layout)), ((panel,),))


def coalesce_steps(layout: Layout, open_end: bool = False) -> list:
    """The chain: (modes as (column, columns, extent, stride), the rule that led here, which mode changed).

    With an open end (as composition needs it) a last mode of extent 1 stays: its stride is where indices past the end go.
    """
    modes = [(k, 1, s, d) for k, (s, d) in enumerate(zip(leaves(layout.shape), leaves(layout.stride), strict=True))]
    chain, at = [(list(modes), "", None)], 0
    while at + 1 < len(modes):
        (c0, n0, s0, d0), (_c1, n1, s1, d1) = modes[at], modes[at + 1]
        if s1 == 1 and not (open_end and at + 2 == len(modes)):
            new, rule = (c0, n0 + n1, s0, d0), f"{s1}:{d1} has extent 1"
        elif s0 == 1:
            new, rule = (c0, n0 + n1, s1, d1), f"{s0}:{d0} has extent 1"
        elif s0 * d0 == d1:
            new, rule = (c0, n0 + n1, s0 * s1, d0), f"{s0}·{d0} = {d1}"
        else:
            at += 1
            chain.append((list(modes), f"{s0}·{d0} ≠ {d1}: stays", None))
            continue
        modes[at : at + 2] = [new]
        chain.append((list(modes), rule, at))
    if not open_end and len(modes) == 1 and modes[0][2] == 1 and modes[0][3] != 0:
        modes = [(modes[0][0], modes[0][1], 1, 0)]
        chain.append((list(modes), "one cell: stride 0", 0))
    return chain


def draw_shape_div(a, step: int, count: int | None = None, *, title=None) -> Scene:
    """`A ∘ count:step` in moves on A's modes, from the left: divide the shape by `step`, then keep `count`.

    `a` is a layout or a shape; modes that coalesce are merged first. Without `count` only the division is drawn.

    >>> from cutelearn import Layout
    >>> scene = draw_shape_div(Layout((6, 2), (8, 2)), 3, 4)
    >>> [c.lines for c in scene.panel("steps").cells], scene.note
    ([('6', '8'), ('2', '2'), ('2', '24'), ('2', '2'), ('2', '24'), ('2', '2')], '(2,2):(24,2)')

    Raises LayoutError where CuTe's composition refuses.
    """
    a = a if isinstance(a, Layout) else Layout(a)
    refuse_more(len(leaves(a.shape)), _DIGITS, "draw_shape_div", "modes", "take a layout of fewer")
    need_number(step, "draw_shape_div", "step")
    need_number(count, "draw_shape_div", "count")
    if step == 0 or count == 0:
        raise LayoutError(f"draw_shape_div: step {step} and count {count} must be 1 or more")
    wanted = composition(a, Layout(max(size(a) // step, 1) if count is None else count, step))
    rows = shape_div_steps(a, step, count)
    n = len(leaves(a.shape))
    cells = [
        Cell(1.4 * r, at, (str(s), str(d) if s > 1 else "·"), f"mode {at}", cols=span, faint=s == 1)
        for r, (_name, modes) in enumerate(rows)
        for at, span, s, d in modes
    ]
    said = tuple(
        f"{name}:  " + "  ".join(f"{s} : {d if s > 1 else '·'}" for _at, _n, s, d in modes) for name, modes in rows
    )
    labels = [Label(1.4 * r + 0.5, -0.15, name, "me", 12.5) for r, (name, _modes) in enumerate(rows)]
    labels += [Label(0.3, n + 0.15, "shape", "f", 11), Label(0.72, n + 0.15, "stride", "f", 11)]
    fills = {f"mode {k}": palette.tile(k) for k in range(n)}
    longest = max(len(words) / c.cols for c in cells for words in c.lines)
    panel = Panel(
        "steps",
        1.4 * len(rows) - 0.4,
        n,
        tuple(cells),
        fills,
        labels=tuple(labels),
        cell=(max(66, 8 * longest + 12), 42),
        frame=False,
        said=("each mode as shape : stride", *said),
    )
    arrows = tuple(
        Arrow(At("steps", 1.4 * r - 1.4, at, "bottom"), At("steps", 1.4 * r, at, "top"), weight=1.1)
        for r, (_name, modes) in enumerate(rows)
        for at, _span, _s, _d in modes
        if r and at in {m[0] for m in rows[r - 1][1]}
    )
    name = f"{a} ∘ {count}:{step}" if count is not None else f"{a} ÷ {step}"
    return Scene(title or name, str(wanted) if count is not None else "", ((panel,),), arrows)


def shape_div_steps(a: Layout, step: int, count: int | None = None) -> list:
    """The rows of the chain: (what was done, the modes as (column, columns, extent, stride)). The last mode is open-ended.

    >>> from cutelearn import Layout
    >>> shape_div_steps(Layout((3, 6, 2), (1, 10, 100)), 6, 6)[1:]
    [('÷ 6', [(0, 1, 1, 3), (1, 1, 3, 20), (2, 1, 2, 100)]), ('keep 6', [(0, 1, 1, 3), (1, 1, 3, 20), (2, 1, 2, 100)])]
    """
    chain = coalesce_steps(a, open_end=True)
    rows = [("A", chain[0][0])]
    modes = chain[-1][0]
    if len(modes) < len(chain[0][0]):
        rows.append(("coalesce", modes))
    divided, rest = [], step
    for k, (at, span, s, d) in enumerate(modes):
        used = rest if k + 1 == len(modes) else min(s, rest)
        divided.append((at, span, -(-s // used), d * used))
        rest = -(-rest // used)
    rows.append((f"÷ {step}", divided))
    if count is None:
        return rows
    kept, rest = [], count
    for k, (at, span, s, d) in enumerate(divided):
        taken = rest if k + 1 == len(divided) else min(s, rest)
        kept.append((at, span, taken, d))
        rest = -(-rest // taken)
    return [*rows, (f"keep {count}", kept)]
