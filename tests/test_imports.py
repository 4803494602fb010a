"""The arrows of the house go one way, the core stands on the standard library alone, and `import cutelearn` is light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import cutelearn

PACKAGE = Path(cutelearn.__file__).parent
ORDER = ["htuple", "parse", "layout", "algebra", "tiling", "views", "swizzle", "tensor", "partition", "algorithms"]
ORDER += ["atoms", "draw", "explore", "kernels", "course", "cli"]
CORE = ORDER[: ORDER.index("tensor")]
HEAVY = ("numpy", "matplotlib", "numba", "ipywidgets", "IPython")
HOOK = "_repr_mimebundle_"  # a picture is made when Jupyter asks for it: the one import that goes up


def modules():
    """(room, path) of every module of the package; `__init__.py` gathers the rooms and is no room itself."""
    for path in sorted(PACKAGE.rglob("*.py")):
        inside = path.relative_to(PACKAGE)
        room = inside.parts[0].removesuffix(".py")
        if room in ORDER:
            yield room, path


def imports(path):
    """(name from cutelearn or else the top-level package, function it stands in or None, line)."""
    package = path.relative_to(PACKAGE.parent).parts[:-1]

    def walk(node, function):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                yield from ((alias.name, function, child.lineno) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                base = ".".join(package[: len(package) - child.level + 1]) if child.level else ""
                stem = ".".join(filter(None, (base, child.module)))
                names = [stem] if child.module else [f"{stem}.{alias.name}" for alias in child.names]
                yield from ((name, function, child.lineno) for name in names)
            inner = child.name if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)) else function
            yield from walk(child, inner)

    yield from walk(ast.parse(path.read_text()), None)


def room_of(name):
    """The room that an import of cutelearn reaches, or None for other packages."""
    parts = name.split(".")
    return parts[1] if parts[0] == "cutelearn" and len(parts) > 1 else None


MODULES = [pytest.param(*m, id=str(m[1].relative_to(PACKAGE))) for m in modules()]
EVERY = pytest.mark.parametrize(("room", "path"), MODULES)


@EVERY
def test_arrows_go_one_way(room, path):
    for name, function, line in imports(path):
        reached = room_of(name)
        if reached is None or reached == room or (reached == "draw" and function == HOOK):
            continue
        assert reached in ORDER, f"{path.name}:{line} imports {name}, a room that is not in the order"
        assert ORDER.index(reached) < ORDER.index(room), (
            f"{path.name}:{line} ({room}) imports {name}, which comes later"
        )
        assert reached != "course" or room == "cli", f"{path.name}:{line} imports the course; only cli may"
        assert (room, reached) != ("kernels", "explore"), f"{path.name}:{line}: kernels do not use explorers"


@EVERY
def test_no_module_imports_the_whole_package(room, path):
    whole = [line for name, _function, line in imports(path) if name == "cutelearn"]
    assert room in ("course", "cli") or not whole, f"{path.name}:{whole} imports cutelearn: name the room"


@EVERY
def test_no_star_imports(room, path):
    tree = ast.parse(path.read_text())
    stars = [n.lineno for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.names[0].name == "*"]
    assert not stars


@pytest.mark.parametrize("room", CORE)
def test_the_core_stands_on_the_standard_library(room):
    for name, function, line in imports(PACKAGE / f"{room}.py"):
        top = name.split(".")[0]
        loads_late = top == "numpy" and function == "offsets"
        assert top == "cutelearn" or top in sys.stdlib_module_names or loads_late, f"{room}.py:{line} imports {name}"


def child(code):
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("first", ["import cutelearn", "from cutelearn import Layout, Swizzle, composition, recast"])
def test_import_is_light(first):
    loaded = child(f"import sys; {first}; print(*sys.modules)").split()
    assert not [name for name in HEAVY if name in loaded]


NAMES = """
Layout make_layout make_ordered_layout make_layout_like LayoutLeft LayoutRight size cosize rank depth shape stride mode
select take group flatten coalesce filter composition complement right_inverse left_inverse nullspace
logical_divide zipped_divide tiled_divide flat_divide logical_product zipped_product tiled_product flat_product
blocked_product raked_product tile_to_shape recast upcast downcast max_common_vector max_common_layout
Int idx2crd crd2idx crd2crd congruent weakly_congruent compatible Swizzle ComposedLayout _
slice_and_offset print_layout to_cpp parse_tuple parse_tiler LayoutError ScaledBasis E
filter_zeros append prepend replace with_shape make_identity_layout make_fragment_like
get_hier_coord get_flat_coord get_1d_coord shape_div ceil_div evenly_divides max_alignment coshape
"""


@pytest.mark.parametrize("name", NAMES.split())
def test_name_is_importable_and_says_what_it_is(name):
    value = getattr(cutelearn, name)
    assert name in dir(cutelearn)
    if callable(value) and isinstance(value, type(child)):
        assert value.__doc__, f"{name} has no docstring"


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("compositon", "did you mean composition?"),
        ("Laoyut", "did you mean Layout?"),
        ("xyzzy", "dir(cutelearn) lists"),
    ],
)
def test_a_mistyped_name_gives_the_nearest(typed, words):
    with pytest.raises(AttributeError) as refused:
        getattr(cutelearn, typed)
    assert str(refused.value).startswith(f"cutelearn has no {typed!r}: {words}")


def test_star_import_keeps_underscore_and_builtins_apart():
    """`_` is CuTe's; a name that is not there is an AttributeError, as for any module."""
    from cutelearn import _

    assert repr(_) == "_"
    with pytest.raises(AttributeError, match="no_such_name"):
        cutelearn.no_such_name  # noqa: B018


def test_packages_are_found_from_the_top():
    """After `import cutelearn` alone; and dir() lists names of the course, nothing that the module uses itself."""
    code = "import cutelearn; cutelearn.draw.draw_layout; assert 'import_module' not in dir(cutelearn)"
    subprocess.run([sys.executable, "-c", code], check=True)
