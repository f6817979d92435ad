"""The arguments of the transforms of `torch.func`: flattening nested tuples, lists and dictionaries of tensors into
leaves and rebuilding them, and their structure as text; and which arguments are differentiated, with the errors. No
derivatives here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradviz.engine.kernel.tensor import Tensor

Rebuild = Callable[[list[Any]], Any]


def flatten(tree: object) -> tuple[list[Any], Rebuild]:
    """The leaves in order, and the function that rebuilds the nesting with other leaves."""
    leaves: list[Any] = []
    shape = _shape_of(tree, leaves)
    return leaves, lambda values: shape(iter(values))


def is_branch(tree: object) -> bool:
    """Whether this has leaves below it, rather than being one."""
    return isinstance(tree, dict) or (isinstance(tree, (tuple, list)) and not hasattr(tree, "numel"))


def _shape_of(tree: Any, leaves: list[object]) -> Callable[[Any], Any]:
    kind = type(tree)
    if isinstance(tree, dict):
        below = {key: _shape_of(value, leaves) for key, value in tree.items()}
        return lambda values: kind((key, one(values)) for key, one in below.items())
    if isinstance(tree, (tuple, list)) and not hasattr(tree, "numel"):
        parts = [_shape_of(value, leaves) for value in tree]
        if hasattr(tree, "_fields"):
            return lambda values: kind(*[one(values) for one in parts])
        if hasattr(tree, "fields"):  # a named tuple, such as the result of max
            return lambda values: kind(*[one(values) for one in parts])
        made = kind if kind.__name__ != "Size" else tuple
        return lambda values: made([one(values) for one in parts])
    leaves.append(tree)
    return next


def map_leaves(fn: Callable[[Any], object], tree: object) -> Any:
    """The same nesting with `fn` applied to every leaf."""
    leaves, rebuild = flatten(tree)
    return rebuild([fn(each) for each in leaves])


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


def structure(tree: Any, indent: int = 0) -> str:
    """The structure of a tree, as PyTorch prints it: `TreeSpec(tuple, None, [*, *])`, over several lines."""
    if not is_branch(tree):
        return "*"
    parts = list(tree.values()) if isinstance(tree, dict) else list(tree)
    context = repr(list(tree)) if isinstance(tree, dict) else "None"
    if len(parts) == 1:
        inside = structure(parts[0], indent)
    else:
        inside = (",\n" + " " * (indent + 2)).join(structure(each, indent + 2) for each in parts)
    return f"TreeSpec({type(tree).__name__}, {context}, [{inside}])"


def pretty(tree: object) -> str:
    """The structure of a tree in Python's brackets, with a star for each leaf."""
    return repr(map_leaves(lambda leaf: _STAR, tree)) if is_branch(tree) else "*"


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
