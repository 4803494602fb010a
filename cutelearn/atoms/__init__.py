"""Atoms: the instructions of NVIDIA's GPUs as layouts, and what tiles them over threads and values.

mma.py and copy.py hold the atoms, their tilings and a thread's part of them; library.py finds an atom by its name.
pascal.py, volta.py, turing.py, ampere.py, ada.py, hopper.py and universal.py are data; gmma.py makes Hopper's warpgroup
family by rule. arithmetic.py and atwork.py carry instructions out, analysis.py counts what accesses cost.
"""
