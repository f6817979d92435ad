"""Eager tensors and reverse-mode autograd on NumPy, behaving as PyTorch 2.13 does on the CPU.

Four rooms, of which each knows only those before it, and the operations on top: `kernel/` (what a tensor, a node and an
operation is), `numerics/` (numbers on plain arrays), `run/` (how operations and backward passes run), `transforms/`
(`vmap` and forward differentiation) and `ops/` (the mathematics, a row each). Read `kernel/tensor.py`, `kernel/rows.py`
and `kernel/graph.py`, then `run/backward.py` (the loop). What snippets call is put together in `gradviz.torch`.
"""
