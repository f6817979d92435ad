"""The operations, a row each, by family. Importing this package fills `rows.ROWS` and the tables of names in `api.py`."""

from gradviz.engine.ops import arithmetic, compare, elementary, index, linalg, matmul, matrix, order, pick, reduce, shape

__all__ = [
    "arithmetic",
    "compare",
    "elementary",
    "index",
    "linalg",
    "matmul",
    "matrix",
    "order",
    "pick",
    "reduce",
    "shape",
]
