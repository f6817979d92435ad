"""Which tensors look at the same memory: a write to one changes the values of all. Only tensors that can share are
entered: leaves and views."""

from __future__ import annotations

from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Memory:
    """Tensors by the array that owns their memory; they are not kept alive."""

    def __init__(self) -> None:
        self._tensors: dict[int, list[ref[Any]]] = {}
        self._purge_at = 10_000

    def enter(self, tensor: Any) -> None:
        """Remember that this tensor looks at its memory."""
        entries = self._tensors.setdefault(_owner(tensor._data), [])
        if len(entries) > 16:
            entries[:] = [entry for entry in entries if entry() is not None]
        if not any(entry() is tensor for entry in entries):
            entries.append(ref(tensor))
        if len(self._tensors) > self._purge_at:
            alive = {key: [entry for entry in kept if entry() is not None] for key, kept in self._tensors.items()}
            self._tensors = {key: kept for key, kept in alive.items() if kept}
            self._purge_at = 2 * len(self._tensors) + 10_000

    def sharing(self, tensor: Any) -> list[Any]:
        """The other living tensors whose elements may overlap with those of this one."""
        data = tensor._data
        found = [entry() for entry in self._tensors.get(_owner(data), ())]
        return [each for each in found if each is not None and each is not tensor and _overlap(each._data, data)]


def _owner(data: Array) -> int:
    """Identifies the memory: views of views lead to the same array."""
    base = data.base
    while isinstance(base, np.ndarray):
        data, base = base, base.base
    return id(data)


def _overlap(a: Array, b: Array) -> bool:
    return bool(np.may_share_memory(a, b))
