"""Eager tensors and reverse-mode autograd on NumPy, behaving as PyTorch 2.13 does on the CPU.

Four layers, each of which knows only those before it, with the operations on top: `kernel/` (what a tensor, a node and
an operation is), `numerics/` (numbers on plain arrays), `run/` (how operations and backward passes run), `transforms/`
(`vmap` and forward differentiation) and `ops/` (the mathematics, a row per operation). Read `kernel/tensor.py`,
`kernel/rows.py` and `kernel/graph.py`, then `run/backward.py` (the loop). The API that snippets call is assembled in
`gradviz.torch`."""
