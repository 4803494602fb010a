"""What every GPU has: one thread's multiply-add, one thread's copy. Names with parameters, so data with a parameter.

Source: CuTe headers `mma_traits.hpp`, `copy_traits.hpp`, `copy_traits_sm80.hpp`, `copy_traits_sm90_tma.hpp`.
"""

from ..layout import Layout

ONE_THREAD = Layout(1)
SCALAR = Layout((1, 1))

# One thread's copies of so many bits: name -> (architecture, the bits that the hardware takes or None for any).
SIZED_COPIES = {
    "UniversalCopy": ("universal", None),
    "SM80_CP_ASYNC_CACHEALWAYS": ("SM80", (32, 64, 128)),
    "SM80_CP_ASYNC_CACHEGLOBAL": ("SM80", (128,)),
    "SM80_CP_ASYNC_CACHEALWAYS_ZFILL": ("SM80", (32, 64, 128)),
    "SM80_CP_ASYNC_CACHEGLOBAL_ZFILL": ("SM80", (128,)),
}
# One thread starts the copy of a whole tile; the parameter is the number of bits of it.
BULK_COPIES = (
    "SM90_TMA_LOAD",
    "SM90_TMA_LOAD_MULTICAST",
    "SM90_TMA_LOAD_IM2COL",
    "SM90_TMA_LOAD_IM2COL_MULTICAST",
    "SM90_TMA_STORE",
    "SM90_TMA_STORE_IM2COL",
    "SM90_TMA_REDUCE_ADD",
    "SM90_BULK_COPY_G2S",
    "SM90_BULK_COPY_S2G",
)
# Copies that choose their own width: the traits give a single bit.
AUTOMATIC_COPIES = {
    "AutoVectorizingCopy": "universal",
    "AutoVectorizingCopyWithAssumedAlignment": "universal",
    "DefaultCopy": "universal",
    "SM90_BULK_COPY_AUTO": "SM90",
}


def bits_of_one_thread(bits: int) -> Layout:
    """(T1,Vbits) -> bit.

    >>> bits_of_one_thread(128)
    (1,128):(0,1)
    """
    return Layout((1, bits))
