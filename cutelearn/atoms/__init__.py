"""Atoms: the instructions of NVIDIA's GPUs as layouts, and what tiles them over threads and values.

mma.py and copy.py hold the atoms and their tilings; universal.py, pascal.py, volta.py, turing.py, ampere.py, ada.py and
hopper.py are data; gmma.py makes Hopper's warpgroup family by rule; library.py finds an atom by its name;
analysis.py counts sectors, bank conflicts and registers.
"""
