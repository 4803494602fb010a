"""Explorers: change one thing, and see what moves. Thin over cutelearn.draw; ipywidgets loads when one is shown.

    LayoutBench      edit shape and stride: the grid beside its memory
    Odometer         count through a nested coordinate
    CompositionBench A, B, and one index walked through both
    DivideBench      tiles of a layout, in the four forms
    ProductBench     copies of a layout, in the six forms
    ThreadPicker     a thread's cells in the tile and in memory
    AtomViewer       lanes and values of any instruction
    TiledMMABench    an atom over threads, over values, and permuted
    BankBench        which lanes meet in a bank
    TimelineBench    a main loop over time

In a lesson. The cell is `display(LayoutBench("(4,8):(8,1)"))`, or the explorer alone in the last line; bind it to a name
where a later cell uses it. With a kernel JupyterLab shows the widgets. The stored output has the explorer's still picture
(image/svg+xml) and its print with the picture's table (text/plain), so a reader without a kernel sees the same picture,
and no second cell for it is needed. Tried with nbval 0.11.0, strict: it compares picture and table, and ignores
application/vnd.jupyter.widget-view+json whether the stored output has it or not. So `cutelearn build` leaves it out (a
saved notebook with it says "model not found"), and no widget state is stored. `still()` is the picture alone, as a Scene.
A lesson may move an explorer itself: `bench.change("layout", "(4,8):(1,4)")`, the widgets follow.

What is behind the widgets is plain: an explorer has `fields` (data), `scene` and `facts` (functions of the fields' values);
`look` turns entries into a Shown, with the sentence for a bad entry and the last good picture. Only widgets.py knows
ipywidgets.
"""

from .atom_viewer import AtomViewer
from .bank_bench import BankBench
from .composition_bench import CompositionBench
from .divide_bench import DivideBench
from .explorer import Explorer
from .layout_bench import LayoutBench
from .odometer import Odometer
from .product_bench import ProductBench
from .state import Shown, look
from .thread_picker import ThreadPicker
from .tiled_mma_bench import TiledMMABench
from .timeline_bench import TimelineBench

__all__ = [
    "LayoutBench",
    "Odometer",
    "CompositionBench",
    "DivideBench",
    "ProductBench",
    "ThreadPicker",
    "AtomViewer",
    "TiledMMABench",
    "BankBench",
    "TimelineBench",
    "Explorer",
    "Shown",
    "look",
]
