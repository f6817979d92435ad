"""Nested tuples, lists and dictionaries of tensors, as `torch.func` takes them: apart into leaves and
together again, and their shape as a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Rebuild = Callable[[list[Any]], Any]


def flatten(tree: Any) -> tuple[list[Any], Rebuild]:
    """The leaves in order, and the function that puts as many others in their places."""
    leaves: list[Any] = []
    shape = _shape_of(tree, leaves)
    return leaves, lambda values: shape(iter(values))


def is_branch(tree: Any) -> bool:
    """Whether there are leaves below, rather than this being one."""
    return isinstance(tree, dict) or (isinstance(tree, (tuple, list)) and not hasattr(tree, "numel"))


def _shape_of(tree: Any, leaves: list[Any]) -> Callable[[Any], Any]:
    kind = type(tree)
    if isinstance(tree, dict):
        below = {key: _shape_of(value, leaves) for key, value in tree.items()}
        return lambda values: kind((key, one(values)) for key, one in below.items())
    if isinstance(tree, (tuple, list)) and not hasattr(tree, "numel"):
        parts = [_shape_of(value, leaves) for value in tree]
        if hasattr(tree, "_fields"):
            return lambda values: kind(*[one(values) for one in parts])
        if hasattr(tree, "fields"):  # a result with names, such as that of max
            return lambda values: kind(*[one(values) for one in parts])
        made = kind if kind.__name__ != "Size" else tuple
        return lambda values: made([one(values) for one in parts])
    leaves.append(tree)
    return next


def map_leaves(fn: Callable[[Any], Any], tree: Any) -> Any:
    """The same nesting with `fn` of every leaf."""
    leaves, rebuild = flatten(tree)
    return rebuild([fn(each) for each in leaves])


def broadcast(prefix: Any, tree: Any) -> list[Any] | None:
    """One value of `prefix` for every leaf of `tree`: a value that stands for a whole branch is repeated. None where
    the two do not fit."""
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
    """The shape of a tree, as PyTorch prints it: `TreeSpec(tuple, None, [*, *])`, over several lines."""
    if not is_branch(tree):
        return "*"
    parts = list(tree.values()) if isinstance(tree, dict) else list(tree)
    context = repr(list(tree)) if isinstance(tree, dict) else "None"
    if len(parts) == 1:
        inside = structure(parts[0], indent)
    else:
        inside = (",\n" + " " * (indent + 2)).join(structure(each, indent + 2) for each in parts)
    return f"TreeSpec({type(tree).__name__}, {context}, [{inside}])"


def pretty(tree: Any) -> str:
    """The shape of a tree in Python's brackets, with a star for each leaf."""
    return repr(map_leaves(lambda leaf: _STAR, tree)) if is_branch(tree) else "*"


class _Star:
    def __repr__(self) -> str:
        return "*"


_STAR = _Star()
