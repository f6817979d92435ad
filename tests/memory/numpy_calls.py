"""Calls of NumPy's functions and of an array's methods as a snippet has them. Nobody writes them down: each function is
tried with arguments of many kinds, and what it takes is kept."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradviz.worker.modules import arrays
from gradviz.worker.objects.numpy_boundary import to_snippet
from gradviz.worker.objects.numpy_types import _METHODS, _OF_ARRAYS, SafeArray
from tests.memory.calls import Call, Feed

MOST = 5  # calls of one function, and one with each keyword that it takes
_KEYWORDS = {"axis": 0, "offset": 1, "mode": "clip", "k": 1}
MODULES = {name: module for name, module in arrays.numpy_modules().items() if name != "numpy.testing"}
_PARTS = {"numpy": arrays._FUNCTIONS, "linalg": arrays._LINALG.split(), "fft": arrays._FFT.split()}
_PARTS["random"] = arrays._RANDOM.split()
# What makes no sense of any arguments below, and what does not compute.
UNTRIED = frozenset(("numpy.mask_indices", "random.set_state", "random.get_state", "random.seed"))

_A, _I, _V = np.arange(6.0).reshape(2, 3), np.array([1, 0, 1]), np.array([1.0, 2.0, 3.0])
_D, _U, _P = np.arange(8.0).reshape(2, 2, 2), np.arange(4, dtype="u1"), np.array([[1], [0]])
_S, _B, _M = np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([True, False, True]), np.arange(6).reshape(2, 3)
_ARRAYS = (_A, _I, _V, _S, _B, _M)


def _patterns() -> Iterator[tuple[Any, ...]]:
    for x in _ARRAYS:
        yield (x,)
        yield from ((x, y) for y in (0, 1, 2, (2, 3), (0,), _V, _I, _A, _S))
        yield from ((x, y, z) for y in (0, 1, _I, _V, _S, _A) for z in (0, 1, 2, _V, _I, (0, 1)))
    yield from (
        (), (3,), (2, 3), ((2, 3),), (0, 6, 2), (0, 1, 5), (3, (2,)), ([_A, _A],), ([_V, _V],), ([_A, _A], 1),
        ("ij,jk->ik", _S, _S), ([0, 1], [2, 3]), ((_I, _I), (2, 2)), (_I[:2], (2, 2)), (3, 2, 1), (2, 2, 0.5),
        (10, 0.5, (3,)), (0.5, (3,)), (10, 0.5, 3), (3, 0), ([_B, _B], [_V, _V]), (_B, _V, _V), ("f4", "f8"),
        (_D, 2), (_U,), (_A, _P, 7.0, 1), (3, [0.5, 0.5]), (_V[:2], _S), (_I, [_A[0], _A[1]]), (_I, [_A[0], _A[1]], _V),
    )  # fmt: skip


def function_named(name: str) -> Callable[..., Any]:
    """A function or method by the name that its call has."""
    part, _, last = name.rpartition(".")
    if part == "ndarray":
        return lambda array, *args, **keywords: getattr(array, last)(*args, **keywords)
    found: Callable[..., Any] = getattr(MODULES["numpy" if part == "numpy" else f"numpy.{part}"], last)
    return found


def names() -> list[str]:
    """All functions and methods."""
    found = [f"{part}.{name}" for part, held in _PARTS.items() for name in held if hasattr(np, name) or part != "numpy"]
    found += [f"ndarray.{name}" for name in (*_METHODS, *_OF_ARRAYS) if callable(getattr(SafeArray, name, None))]
    return [name for name in found if name not in UNTRIED]


def corpus() -> list[Call]:
    """Calls of each of them."""
    patterns = list(_patterns())
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return [call for name in names() for call in _calls(name, patterns)]


def _calls(name: str, patterns: list[tuple[Any, ...]]) -> list[Call]:
    found: list[Call] = []
    for pattern in ((_A,), (_M,), *random.Random(name).sample(patterns, len(patterns))):
        if len([call for call in found if not call.keywords]) == MOST:
            break
        if name.startswith("ndarray.") and not (pattern and isinstance(pattern[0], np.ndarray)):
            continue
        result = _try(name, pattern, {}, found)
        if result is None:
            continue
        taken = {keyword for call in found for keyword in call.keywords}
        if isinstance(result, np.ndarray | np.generic) and "out" not in taken:
            _try(name, pattern, {"out": np.zeros(result.shape, str(result.dtype))}, found)
        for keyword in _KEYWORDS.keys() - taken:
            _try(name, pattern, {keyword: _KEYWORDS[keyword]}, found)
    return found


def _try(name: str, pattern: tuple[Any, ...], keywords: dict[str, Any], found: list[Call]) -> Any:
    """Make a call, which is kept if the function takes it."""
    function = function_named(name)
    try:
        result = function(*map(_given, pattern), **{key: _given(value) for key, value in keywords.items()})
    except Exception:  # noqa: BLE001  it does not take these
        return None
    kept = {key: _frozen(value) for key, value in keywords.items()}
    found.append(Call(name, tuple(map(_frozen, pattern)), kept, function))
    return result


def _given(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return to_snippet(value.copy())
    return type(value)(map(_given, value)) if type(value) in (tuple, list) else value


def _frozen(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return Feed(value, is_array=True)
    return type(value)(map(_frozen, value)) if type(value) in (tuple, list) else value
