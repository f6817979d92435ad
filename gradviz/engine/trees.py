"""Nested tuples, lists and dictionaries of tensors, as `torch.func` takes them: apart into leaves and
together again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Rebuild = Callable[[list[Any]], Any]


def flatten(tree: Any) -> tuple[list[Any], Rebuild]:
    """The leaves in order, and the function that puts as many others in their places."""
    leaves: list[Any] = []
    shape = _shape_of(tree, leaves)
    return leaves, lambda values: shape(iter(values))


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
        return lambda values: kind([one(values) for one in parts])
    leaves.append(tree)
    return next


def map_leaves(fn: Callable[[Any], Any], tree: Any) -> Any:
    """The same nesting with `fn` of every leaf."""
    leaves, rebuild = flatten(tree)
    return rebuild([fn(each) for each in leaves])


def broadcast(prefix: Any, tree: Any) -> list[Any]:
    """One value of `prefix` for every leaf of `tree`: a value that stands for a whole branch is repeated."""
    if isinstance(prefix, dict):
        return [value for key, branch in tree.items() for value in broadcast(prefix[key], branch)]
    if isinstance(prefix, (tuple, list)):
        return [value for one, branch in zip(prefix, tree, strict=True) for value in broadcast(one, branch)]
    return [prefix] * len(flatten(tree)[0])
