"""`torch.utils._pytree`: nested lists, tuples and dicts, taken apart into leaves and a spec that puts them together
again. Anything else is a leaf. The transforms of `torch.func` take their arguments apart with it: which of them are
differentiated, with the errors, is here, too. No derivatives."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from gradviz.engine.kernel.tensor import Size, Tensor

_TABLES = (dict, OrderedDict)
_RESULTS = "torch.return_types"  # of functions such as max


class TreeSpec:
    """How leaves are nested: which container, what it knows of its children, and the children; no container for a
    leaf."""

    __slots__ = ("_context", "_inside", "_kind")

    def __init__(self, kind: Any = None, context: Any = None, inside: tuple[TreeSpec, ...] = ()) -> None:
        known = kind is None or kind is namedtuple or (isinstance(kind, type) and issubclass(kind, (dict, list, tuple)))
        if not (known and isinstance(inside, tuple) and all(isinstance(each, TreeSpec) for each in inside)):
            raise TypeError("a TreeSpec is made of a container's type, its context and a tuple of specs")
        self._kind, self._context, self._inside = kind, context, inside

    num_children = property(lambda self: len(self._inside), doc="What is directly inside.")
    num_leaves = property(
        lambda self: 1 if self._kind is None else sum(each.num_leaves for each in self._inside), doc="All leaves."
    )

    def is_leaf(self) -> bool:
        """Whether it stands for a leaf."""
        return self._kind is None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TreeSpec) and _parts(self) == _parts(other)

    def __hash__(self) -> int:
        return hash((self._kind, len(self._inside)))

    def __repr__(self) -> str:
        return _shown(self, 0)


def _parts(spec: TreeSpec) -> tuple[object, ...]:
    return spec._kind, spec._context, spec._inside


def _shown(spec: TreeSpec, indent: int) -> str:
    if spec._kind is None:
        return "*"
    inside = (",\n" + " " * (indent + 2)).join(_shown(each, indent + 2) for each in spec._inside)
    return f"TreeSpec({spec._kind.__name__}, {spec._context}, [{inside}])"


def opened(tree: Any) -> tuple[object, object, list[object]]:
    """Return the kind, the context and the children of a container; None as the kind of a leaf."""
    kind = type(tree)
    if kind is dict or (isinstance(tree, OrderedDict) and kind.__name__ == "OrderedDict"):  # of a module's state, too
        return dict if kind is dict else OrderedDict, list(tree), list(tree.values())
    if kind in (list, tuple, Size) or (isinstance(tree, tuple) and kind.__module__ == _RESULTS):
        return kind, None, list(tree)
    if isinstance(tree, tuple) and hasattr(kind, "_fields"):
        return namedtuple, kind, list(tuple.__iter__(tree))
    return None, None, []


def tree_flatten(tree: object, is_leaf: Callable[[object], object] | None = None) -> tuple[list[object], TreeSpec]:
    """Return the leaves, and how they are nested."""
    leaves: list[object] = []
    return leaves, _flattened(tree, leaves, is_leaf)


def _flattened(tree: object, leaves: list[object], is_leaf: Callable[[object], object] | None) -> TreeSpec:
    kind, context, inside = (None, None, []) if is_leaf is not None and is_leaf(tree) else opened(tree)
    if kind is None:
        leaves.append(tree)
    return TreeSpec(kind, context, tuple(_flattened(each, leaves, is_leaf) for each in inside))


def _flattened_up_to(spec: TreeSpec, tree: Any) -> list[object]:
    """Return what a tree has in the places of the spec's leaves."""
    if spec._kind is None:
        return [tree]
    kind, context, inside = opened(tree)
    if kind is not spec._kind and not (kind in _TABLES and spec._kind in _TABLES):
        raise ValueError(f"Node type mismatch; expected {spec._kind}, but got {kind or type(tree)}.")
    if len(inside) != len(spec._inside):
        raise ValueError(f"Node arity mismatch; expected {len(spec._inside)}, but got {len(inside)}.")
    if kind in _TABLES:
        missing, extra = set(spec._context) - set(tree), set(tree) - set(spec._context)
        if missing:
            raise ValueError(f"Node keys mismatch; missing key(s): {missing}; extra key(s): {extra}.")
        inside = [tree[key] for key in spec._context]
    elif context != spec._context:
        raise ValueError(f"Node context mismatch; expected {spec._context}, but got {context}.")
    return [found for part, each in zip(spec._inside, inside, strict=True) for found in _flattened_up_to(part, each)]


def tree_unflatten(leaves: Iterable[object], treespec: TreeSpec) -> Any:
    """Return the tree with these leaves."""
    given = list(leaves)
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    if len(given) != treespec.num_leaves:
        raise ValueError(
            f"treespec.unflatten(leaves): `leaves` has length {len(given)} but the spec refers to a pytree that holds "
            f"{treespec.num_leaves} items ({treespec})."
        )
    return _built(treespec, iter(given))


def _built(spec: TreeSpec, leaves: Iterator[object]) -> Any:
    if spec._kind is None:
        return next(leaves)
    inside = [_built(each, leaves) for each in spec._inside]
    if spec._kind is namedtuple:
        return spec._context(*inside)
    if spec._kind in _TABLES:
        return spec._kind(zip(spec._context, inside, strict=True))
    return spec._kind(inside) if spec._kind in (list, tuple, Size) else spec._kind(*inside)


def tree_leaves(tree: object, is_leaf: Callable[[object], object] | None = None) -> list[object]:
    """Return the leaves."""
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree: object, is_leaf: Callable[[object], object] | None = None) -> TreeSpec:
    """Return how the leaves are nested."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(
    func: Callable[..., object], tree: object, *rests: object, is_leaf: Callable[[object], object] | None = None
) -> Any:
    """Apply a function to every leaf, and to what further trees have in its place."""
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [_flattened_up_to(spec, each) for each in rests]
    return tree_unflatten([func(*each) for each in zip(leaves, *others, strict=True)], spec)


def tree_map_only(
    kind: Any, func: Callable[[object], object], tree: Any, is_leaf: Callable[[object], object] | None = None
) -> Any:
    """Apply a function to the leaves of a class."""
    return tree_map(lambda leaf: func(leaf) if isinstance(leaf, kind) else leaf, tree, is_leaf=is_leaf)


PUBLIC: tuple[Callable[..., object], ...] = (
    *(TreeSpec, tree_flatten, tree_unflatten, tree_leaves, tree_structure, tree_map, tree_map_only),
)


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
