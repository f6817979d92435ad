"""Which arguments a transform of `torch.func` differentiates, and its refusals; no derivatives here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradviz.engine.tensor import Tensor
from gradviz.engine.trees import flatten

Argnums = int | tuple[int, ...]


def places_of(argnums: Any, count: int) -> tuple[int, ...]:
    """The positions of the differentiated arguments among `count`, as numbers from the front."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    several = argnums if isinstance(argnums, tuple) else (argnums,)
    found = tuple(_place(each, count) for each in several)
    if not found:
        raise RuntimeError("argnums must be non-empty")
    if len(set(found)) != len(found):
        raise RuntimeError(f"argnums elements must be unique, got {found}")
    return found


def _place(argnum: Any, count: int) -> int:
    if not isinstance(argnum, int):
        raise RuntimeError(f"argnum must be int, got: {type(argnum)}")
    if not -count <= argnum < count:
        raise RuntimeError(f"Got argnum={argnum}, but only {count} positional inputs")
    return argnum % count


def replaced(args: Sequence[Any], places: Sequence[int], values: Sequence[Any]) -> list[Any]:
    """The arguments with others in some places."""
    given = list(args)
    for place, value in zip(places, values, strict=True):
        given[place] = value
    return given


def no_complex(name: str, values: Any, what: str) -> None:
    """jacrev and jacfwd are for real numbers."""
    for i, each in enumerate(flatten(values)[0]):
        if isinstance(each, Tensor) and each.dtype.is_complex:
            raise RuntimeError(
                f"{name}: Expected all {what} to be real but received complex tensor at flattened input idx: {i}"
            )


def only_tensors(leaves: Sequence[Any], name: str) -> None:
    """What a function returns is to be differentiated: tensors, at least one."""
    if not leaves or (len(leaves) == 1 and leaves[0] is None):
        raise RuntimeError(f"{name}: Expected f to be a function that has non-empty output (got output = {leaves})")
    for each in leaves:
        if not isinstance(each, Tensor):
            raise RuntimeError(
                f"{name}: expected f(*primals) to return only tensors, got unsupported type {type(each)}"
            )


def value_and_aux(found: Any, has_aux: bool, name: str) -> tuple[Any, Any]:
    """What the function returned, apart from what it returned besides."""
    if not has_aux:
        return found, None
    if not (isinstance(found, tuple) and len(found) == 2):
        raise RuntimeError(f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True")
    for each in flatten(found[1])[0]:
        if not isinstance(each, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(each)}")
    return found
