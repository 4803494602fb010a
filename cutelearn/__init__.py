"""cutelearn: NVIDIA CuTe's layouts, tensors, atoms and kernels, to learn from. Names are CuTe's own.

Every name loads its room when it is first used: `import cutelearn` itself loads nothing.
"""

from importlib import import_module

__version__ = "0.1.0"

_ROOMS = {
    "htuple": """LayoutError Int ScaledBasis E _ congruent weakly_congruent compatible ceil_div shape_div
        idx2crd crd2crd compact_col_major compact_row_major compact_order product""",
    "parse": "parse_tuple",
    "layout": """Layout LayoutLeft LayoutRight make_layout make_ordered_layout make_layout_like
        make_identity_layout shape stride size rank depth coshape cosize mode select take group flatten append
        prepend replace crd2idx slice_and_offset slice_layout get_hier_coord get_flat_coord get_1d_coord to_cpp
        print_layout""",
    "algebra": """coalesce filter filter_zeros composition complement right_inverse left_inverse nullspace
        parse_tiler""",
    "tiling": """logical_divide zipped_divide tiled_divide flat_divide logical_product zipped_product tiled_product
        flat_product blocked_product raked_product tile_to_shape""",
    "views": """with_shape upcast downcast recast max_common_layout max_common_vector max_alignment evenly_divides
        make_fragment_like""",
    "swizzle": "Swizzle ComposedLayout compose",
    "tensor": """Tensor Pointer make_tensor make_tensor_like make_identity_tensor make_gmem_ptr make_smem_ptr
        make_rmem_ptr elem_less print_tensor""",
    "partition": "local_tile local_partition inner_partition outer_partition tv_partition dice Step X",
    "algorithms": "copy copy_if gemm axpby transform fill clear",
    "atoms.library": "atom copy_atom find_atoms find_copy_atoms",
    "atoms.mma": "MMAAtom TiledMMA ThrMMA make_tiled_mma tile_size tile_shape",
    "atoms.copy": """CopyAtom TiledCopy ThrCopy make_tiled_copy make_tiled_copy_A make_tiled_copy_B make_tiled_copy_C
        make_tiled_copy_S make_tiled_copy_D""",
    "atoms.verbs": """get_slice thr_layout_vmnk partition_A partition_B partition_C partition_S partition_D
        make_fragment_A make_fragment_B make_fragment_C retile_S retile_D""",
    "atoms.names": "decode",
    "atoms.table": "atom_table",
    "atoms.gmma": "gmma_smem_atom",
    "atoms.analysis": """bank_conflicts coalescing vector_width why_not_wider registers warp_access accesses find_swizzle
        swizzle_moves""",
    "atoms.valtypes": "ValueType value_type",
    "kernels": "run_gemm plan_gemm stages compile_stage compile_kernel",
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names.split()}
__all__ = [name for name, room in _ROOM_OF.items() if room != "kernels"]  # a star import does not wake Numba


_PACKAGES = ("atoms", "course", "draw", "explore", "kernels")


def __getattr__(name):
    if name in _PACKAGES:
        return import_module(f".{name}", __name__)
    if name not in _ROOM_OF:
        from difflib import get_close_matches

        close = get_close_matches(name, __dir__(), 1, 0.7)
        advice = f"did you mean {close[0]}?" if close else "dir(cutelearn) lists its names"
        raise AttributeError(f"cutelearn has no {name!r}: {advice}")
    value = globals()[name] = getattr(import_module(f".{_ROOM_OF[name]}", __name__), name)
    return value


def __dir__():
    return sorted({*_ROOM_OF, *_PACKAGES, "__version__"})
