"""Eager tensors and reverse-mode autograd on NumPy, behaving as PyTorch 2.13 does on the CPU.

Read `tensor.py` (what a value is), `rows.py` (what an operation is), `graph.py` (what a node is), then
`backward.py` (the loop). The mathematics is in `ops/`; what snippets call is put together in `gradviz.torch`.
"""
