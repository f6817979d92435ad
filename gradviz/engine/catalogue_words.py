"""The words of the catalogue of operations (`catalogue`): categories, what operations without a row of their own are
and do, what people type when they look for something, and which ones they use."""

from __future__ import annotations

from gradviz.engine.catalogue_tables import rows, words

CATEGORIES = (
    "arithmetic", "functions", "activations", "layers", "losses", "linear algebra", "reductions", "shape", "indexing",
    "selection", "comparison", "types", "random", "complex", "fourier", "other",
)  # fmt: skip
OTHER_ARGUMENTS: frozenset[str] = words("F.dropout F.embedding F.batch_norm F.alpha_dropout F.feature_alpha_dropout")
APART: frozenset[str] = words(
    "linalg.norm linalg.cross linalg.diagonal linalg.vander linalg.qr linalg.svd linalg.lu_solve linalg.cholesky"
)
SHOWN = rows("""
Tensor.view: shape
""")
WORDS = rows("""
mul: times multiply product
""")
USED = {name: int(count) for name, count in (each.split(":") for each in "mul:300".split())}


def category(key: str) -> str:
    """Of an operation that has no row of its own."""
    for start, found in (("linalg.", "linear algebra"), ("fft.", "fourier"), ("special.", "functions")):
        if key.startswith(start):
            return found
    return "losses" if key.endswith("_loss") else "other"


def used(name: str, key: str) -> int:
    """In how many of the counted snippets it stands."""
    return USED.get(key, USED.get(name, 0))
