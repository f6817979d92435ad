"""The arguments of the transforms of `torch.func`: nested tuples, lists and dictionaries of tensors, taken apart with
`trees`; and which arguments are differentiated, with the errors. No derivatives here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradviz.engine.kernel.tensor import Tensor
from gradviz.torch.trees import opened, tree_flatten, tree_map, tree_unflatten

Rebuild = Callable[[list[Any]], Any]


def flatten(tree: object) -> tuple[list[Any], Rebuild]:
    """The leaves in order, and the function that rebuilds the nesting with other leaves."""
    leaves, spec = tree_flatten(tree)
    return leaves, lambda values: tree_unflatten(values, spec)


def is_branch(tree: object) -> bool:
    """Whether this has leaves below it, rather than being one."""
    return opened(tree)[0] is not None


def broadcast(prefix: Any, tree: Any) -> list[Any] | None:
    """One value of `prefix` for every leaf of `tree`: a value for a whole branch is repeated. None if the two do not
    fit."""
    if not is_branch(prefix):
        return [prefix] * len(flatten(tree)[0])
    if not is_branch(tree) or isinstance(prefix, dict) != isinstance(tree, dict) or len(prefix) != len(tree):
        return None
    if isinstance(prefix, dict):
        if prefix.keys() != tree.keys():
            return None
        found = [broadcast(prefix[key], branch) for key, branch in tree.items()]
    elif isinstance(prefix, tuple) != isinstance(tree, tuple):
        return None
    else:
        found = [broadcast(one, branch) for one, branch in zip(prefix, tree, strict=True)]
    return None if any(each is None for each in found) else [value for each in found for value in each or ()]


def pretty(tree: object) -> str:
    """The structure of a tree in Python's brackets, with a star for each leaf."""
    return repr(tree_map(lambda leaf: _STAR, tree)) if is_branch(tree) else "*"


class _Star:
    def __repr__(self) -> str:
        return "*"


_STAR = _Star()


# --- which arguments are differentiated ---


Argnums = int | tuple[int, ...]


def places_of(argnums: object, count: int) -> tuple[int, ...]:
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


def _place(argnum: int, count: int) -> int:
    if not isinstance(argnum, int):
        raise RuntimeError(f"argnum must be int, got: {type(argnum)}")
    if not -count <= argnum < count:
        raise RuntimeError(f"Got argnum={argnum}, but only {count} positional inputs")
    return argnum % count


def replaced(args: Sequence[object], places: Sequence[int], values: Sequence[object]) -> list[Any]:
    """The arguments with some of them replaced."""
    given = list(args)
    for place, value in zip(places, values, strict=True):
        given[place] = value
    return given


def no_complex(name: str, values: object, what: str) -> None:
    """Refuse complex numbers: jacrev and jacfwd are for real ones."""
    for i, each in enumerate(flatten(values)[0]):
        if isinstance(each, Tensor) and each.dtype.is_complex:
            raise RuntimeError(
                f"{name}: Expected all {what} to be real but received complex tensor at flattened input idx: {i}"
            )


def only_tensors(leaves: Sequence[object], name: str) -> None:
    """Refuse results that can't be differentiated: they must be tensors, at least one."""
    if not leaves or (len(leaves) == 1 and leaves[0] is None):
        raise RuntimeError(f"{name}: Expected f to be a function that has non-empty output (got output = {leaves})")
    for each in leaves:
        if not isinstance(each, Tensor):
            raise RuntimeError(
                f"{name}: expected f(*primals) to return only tensors, got unsupported type {type(each)}"
            )


def value_and_aux(found: object, has_aux: bool, name: str) -> tuple[Any, Any]:
    """The result of the function and its auxiliary result, separated."""
    if not has_aux:
        return found, None
    if not (isinstance(found, tuple) and len(found) == 2):
        raise RuntimeError(f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True")
    for each in flatten(found[1])[0]:
        if not isinstance(each, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(each)}")
    return found
