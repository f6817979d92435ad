"""The two reports that come most often, in one short row each: an operation of up to three recorded tensors with one
result of its own, and a node that ran backward and perhaps freed its buffers. They become rows of `steps`, `nodes`,
`inputs`, `tensors`, `flows` and `frees` when a batch is taken, all at once."""

from __future__ import annotations

from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.schema import TABLES
from gradviz.trace.table.tables import row_dtype

Array = NDArray[Any]

_PLAIN = (
    "step", "node", "tensor", "op", "name", "symbol", "site", "region", "params", "sequence_nr", "call",
    "first", "second", "third", "value",
)  # fmt: skip
_KEPT = ("step", "node", "name", "tensor", "version")
_RAN = ("step", "node", "site", "call", "first", "second", "freed")

pack_plain = Struct("<" + "i" * len(_PLAIN)).pack
pack_kept = Struct("<" + "i" * len(_KEPT)).pack
pack_ran = Struct("<" + "i" * len(_RAN)).pack


class Compact:
    """Short rows since the last batch."""

    def __init__(self, storage: dict[int, int]) -> None:
        self._storage = storage  # of a tensor, where it is not the tensor's own number
        self.plain = bytearray()
        self.kept = bytearray()
        self.ran = bytearray()
        self._starts = {"steps": 0, "nodes": 0, "tensors": 0, "frees": 0}

    def expand(self, rows: dict[str, bytearray]) -> None:
        """Put what the short rows say into the full tables. Rows there that have a number of their own (steps,
        nodes, tensors) lack those of the short rows; they fill the gaps in order."""
        plain = np.frombuffer(bytes(self.plain), [(name, "<i4") for name in _PLAIN])
        ran = np.frombuffer(bytes(self.ran), [(name, "<i4") for name in _RAN])
        if len(plain) or len(ran):
            forward = _rows("steps", plain, kind=int(Kind.FORWARD), ref=plain["node"])
            backward = _rows("steps", ran, kind=int(Kind.BACKWARD), tensor=-1, ref=ran["node"])
            freed = ran[ran["freed"] != 0]
            after = freed["step"] + 1
            row = self._starts["frees"] + np.arange(len(freed))
            frees = _rows("steps", freed, kind=int(Kind.FREE), tensor=-1, ref=row)
            rows["frees"] += _rows("frees", freed, step=after).tobytes()
            numbers = np.concatenate([plain["step"], ran["step"], after])
            self._place(rows, "steps", np.concatenate([forward, backward, frees]), numbers)
            self._place(rows, "nodes", _rows("nodes", plain, reason=0), plain["node"])
            made = _rows(
                "tensors", plain, producer=plain["node"], output_nr=0, storage=plain["tensor"], version=0,
                requires_grad=True, is_leaf=False, is_parameter=False, grad_of=-1,
            )  # fmt: skip
            self._place(rows, "tensors", made, plain["tensor"])
            _pairs(rows, "inputs", plain, "tensor", ("node", "slot"))
            _pairs(rows, "flows", ran, "value", ("step", "slot"))
            self.plain.clear()
            self.ran.clear()
        self._expand_kept(rows)
        for name in self._starts:
            self._starts[name] += len(rows[name]) // row_dtype(TABLES[name]).itemsize

    def _expand_kept(self, rows: dict[str, bytearray]) -> None:
        """Buffers that are tensors; the reader knows their sizes."""
        kept = np.frombuffer(bytes(self.kept), [(name, "<i4") for name in _KEPT])
        if len(kept):
            find = self._storage.get
            storage = [find(tensor, tensor) for tensor in kept["tensor"].tolist()] if self._storage else kept["tensor"]
            new = _rows("saved", kept, value=-1, nbytes=0, storage=storage)
            merged = np.concatenate([np.frombuffer(bytes(rows["saved"]), new.dtype), new])
            rows["saved"][:] = merged[np.argsort(merged["node"], kind="stable")].tobytes()
            self.kept.clear()

    def _place(self, rows: dict[str, bytearray], table: str, new: Array, numbers: Array) -> None:
        full = np.frombuffer(bytes(rows[table]), new.dtype)
        merged = np.empty(len(full) + len(new), new.dtype)
        gap = np.ones(len(merged), bool)
        at = numbers - self._starts[table]
        gap[at] = False
        merged[at] = new
        merged[gap] = full
        rows[table][:] = merged.tobytes()


def _rows(table: str, short: Array, **fixed: Any) -> Array:
    """Full rows from short ones: columns of the same name, and fixed ones."""
    made = np.zeros(len(short), row_dtype(TABLES[table]))
    for column in made.dtype.names or ():
        made[column] = fixed[column] if column in fixed else short[column]
    return made


def _pairs(rows: dict[str, bytearray], table: str, short: Array, column: str, order: tuple[str, str]) -> None:
    """One full row for each of `first`, `second` and `third` that is there, merged into the table in its order."""
    dtype = row_dtype(TABLES[table])
    parts = [np.frombuffer(bytes(rows[table]), dtype)]
    for slot, name in enumerate(("first", "second", "third")):
        if name not in (short.dtype.names or ()):
            continue
        there = short[short[name] >= 0]
        parts.append(_rows(table, there, slot=slot, **{column: there[name]}))
    merged = np.concatenate(parts)
    rows[table][:] = merged[np.lexsort((merged[order[1]], merged[order[0]]))].tobytes()
