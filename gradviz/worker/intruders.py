"""Objects that a snippet should never hold: NumPy's own, and what GradViz keeps for itself.

No boundary hands them out. But PyTorch's part calls methods of the objects that it is given, with what it works with
itself; so every function of a snippet looks at its arguments first. Next: `rewriter`, which puts the look there.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

from gradviz.engine.kernel.batched import BatchedArray
from gradviz.engine.kernel.memory import VersionCounter
from gradviz.engine.kernel.rows import OpRow, Plan
from gradviz.engine.kernel.saved import Saved
from gradviz.engine.kernel.state import State
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.backward import GraphTask
from gradviz.trace.record.recorder import PARTS, Recorder
from gradviz.worker.numpy_boundary import REAL

_NUMPYS = (np.ndarray, np.generic, np.dtype, np.ufunc, np.random.Generator, np.random.BitGenerator)
_KEPT = (OpRow, Plan, Saved, VersionCounter, State, GraphTask, BatchedArray, Recorder, *PARTS)
_PYTHONS = (types.ModuleType, types.FrameType, types.CodeType, memoryview)
_OTHERS = (*_KEPT, *_PYTHONS)
_FREQUENT = frozenset((Tensor, int, float, bool, str, type(None), types.FunctionType))
_SEVERAL = (tuple, list)
_LOOKED_AT = 32  # items of a list


def is_numpys_own(thing: object) -> bool:
    """Whether it is an object or a class of NumPy's that has a stand-in, or would need one."""
    if isinstance(thing, type):
        return issubclass(thing, _NUMPYS) and thing not in REAL and thing.__module__ != "__main__"
    return isinstance(thing, _NUMPYS) and type(thing) not in REAL


def check_arguments(*given: Any) -> None:
    """Raise TypeError if one of the arguments of a call, or an item of one, is not for a snippet."""
    for each in given:
        kind = type(each)
        if kind in _FREQUENT:
            continue
        if kind in _SEVERAL:
            for item in each[:_LOOKED_AT]:
                _check(item)
        elif kind is dict:
            for item in islice(each.values(), _LOOKED_AT):  # a table may be large, and is given often
                _check(item)
        else:
            _check(each)


def looking(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which looks at its arguments first: one that is made for the snippet, not written in it."""

    @functools.wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        check_arguments(*given, *named.values())
        return function(*given, **named)

    return call


def _check(value: object) -> None:
    if is_numpys_own(value) or isinstance(value, _OTHERS):
        raise TypeError("a function of a snippet can't be called with an object that belongs to GradViz")
