"""What the operators of a snippet's classes get.

NumPy and the engine calculate with what they are given: a rate of a class of one's own is multiplied with an array of
NumPy's own, a comparison is made with one. So a method that Python calls with an operand gets the stand-in instead.
Next: `numpy_boundary`, which makes it, and `classes`, which makes the class.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.worker.numpy_boundary import to_snippet
from gradviz.worker.policy_names import DEFINABLE_DUNDERS

_COMPARISONS = frozenset("__eq__ __ne__ __lt__ __le__ __gt__ __ge__".split())
_WITHOUT_OPERAND = frozenset(
    """ __init__ __call__ __len__ __iter__ __next__ __reversed__ __repr__ __str__ __format__ __enter__ __exit__ __hash__
    __bool__ __float__ __int__ __index__ __complex__ __neg__ __pos__ __abs__ __invert__ __copy__ __post_init__ __slots__
    __constants__ """.split()
)
_OPERATORS = DEFINABLE_DUNDERS - _WITHOUT_OPERAND


def guarded_operators(names: Any) -> dict[str, Any]:
    """For the names of a class the operators among them, as they are to be."""
    operators = {name: value for name, value in names.items() if name in _OPERATORS}
    return {name: guarded(value) for name, value in operators.items() if not _is_harmless(name, value)}


def _is_harmless(name: str, value: object) -> bool:
    """Whether it is none, or one of Python's own comparisons, which keep nothing."""
    return value is None or (name in _COMPARISONS and isinstance(value, types.WrapperDescriptorType))


def guarded(method: Any) -> Callable[..., Any]:
    """The method, with stand-ins for what it would get of NumPy's own."""
    bind = getattr(type(method), "__get__", None)

    def operate(self: Any, *others: Any, **named: Any) -> Any:
        call = method if bind is None else bind(method, self, type(self))
        return call(*map(_met, others), **{name: _met(value) for name, value in named.items()})

    def operate_plainly(self: Any, *others: Any, **named: Any) -> Any:
        return method(self, *map(_met, others), **{name: _met(value) for name, value in named.items()})

    plain = type(method) is types.FunctionType
    made = operate_plainly if plain else operate
    return functools.update_wrapper(made, method, updated=("__dict__",) if plain else ())


def _met(other: Any) -> Any:
    if isinstance(other, np.ndarray | np.generic):
        return to_snippet(other.copy())  # it may be a table of the engine's own
    if type(other) is tuple:  # of several brackets
        return tuple(map(_met, other))
    return to_snippet(other) if isinstance(other, np.dtype) else other
