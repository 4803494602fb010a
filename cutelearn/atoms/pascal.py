"""Pascal (SM61): integer dot products of one thread, on values packed into a word. Pure data.

Source: CuTe header `mma_traits_sm61.hpp`.
"""

from ..layout import Layout

ONE_THREAD = Layout(1)
SCALAR = Layout((1, 1))

# name: shape, types D A B C, the map of A and of B
DOT_PRODUCTS = {
    "SM61_DP4A": ((1, 1, 4), "S32S8S8S32", Layout((1, 4))),
    "SM61_DP2A": ((1, 1, 2), "S32S16S16S32", Layout((1, 2))),
}
