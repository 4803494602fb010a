"""The exercises of each chapter, chNN.py: a tuple EXERCISES. A file is loaded when its chapter is first asked for."""
