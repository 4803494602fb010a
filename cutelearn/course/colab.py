"""The cell with which a notebook of the course runs on Colab, where nothing of it is installed.

Everywhere else it does nothing and prints nothing. `cutelearn build` puts it into every lesson and its exercises.
"""

import copy

import nbformat

from cutelearn import __version__

SOURCE = f"""\
# For Colab alone, which has no cutelearn. Its free GPU, a T4 (sm_75), has no cp.async:
# the kernels pipelined and warp_tiled do not run there.
import sys
from importlib.util import find_spec

if "google.colab" in sys.modules and find_spec("cutelearn") is None:
    %pip install -q cutelearn=={__version__}"""


def is_colab(cell) -> bool:
    return cell.get("id", "").endswith("-colab")


def with_cell(notebook, name: str):
    """A copy of the notebook `name` with this cell in second place; a notebook without a chapter's number stays as it is."""
    if not name[:2].isdecimal():
        return notebook
    notebook = copy.deepcopy(notebook)
    cells = [cell for cell in notebook.cells if not is_colab(cell)]
    cell = {"cell_type": "code", "id": f"{name}-colab", "metadata": {}, "source": SOURCE}
    cells.insert(1, nbformat.from_dict(cell | {"execution_count": None, "outputs": []}))
    notebook.cells = cells
    return notebook
