"""Saved buffers: what a node keeps for its backward, the version at which it was saved, and the hooks that it may pass
through. The nodes themselves are in `graph.py`, the counters in `memory.py`; which buffers an operation saves is in its
row (`rows.py`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.graph import Node, accumulator, edge_of, function_of
from gradviz.engine.kernel.memory import VersionCounter
from gradviz.engine.kernel.messages import (
    DETACHED,
    HOOKS_AFTER_FREED,
    INFERENCE_SAVED,
    PACK_WROTE,
    SECOND_BACKWARD,
    overwritten,
)
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor, wrap

Hooks = tuple[Callable[[Tensor], object], Callable[[Any], object]]  # pack, unpack


class Saved:
    """One saved buffer: the tensor as it was, its data, and its version when saved. An output of the node is held
    without its history (`tensor` is None), so that node and output do not keep each other alive."""

    __slots__ = ("counter", "data", "index", "tensor", "version")

    counter: VersionCounter | None
    data: Array
    index: int
    tensor: Tensor | None
    version: int

    @property
    def current_version(self) -> int:
        """The present version of that memory."""
        if self.counter is not None:
            return self.counter.value
        return 0 if self.tensor is None else self.tensor._version

    def value(self, node: Node) -> Tensor:
        """The buffer as a tensor, with its history; raises if its memory has been written to since."""
        tensor = self.tensor
        if tensor is not None and tensor._data is self.data:
            counter = tensor._version_counter
            if counter is None or counter.value == self.version:
                return tensor
        return unpack_saved(self, node)


class MadeFrom(Saved):
    """A buffer that was made from tensors of the snippet, such as the single index made of several: those are watched
    too."""

    __slots__ = ("sources",)

    sources: list[Saved]

    def value(self, node: Node) -> Tensor:
        for source in self.sources:
            source.value(node)
        return super().value(node)


_new = object.__new__


def keep(tensor: Tensor, index: int, is_output: bool, kind: type[Saved] = Saved) -> Any:
    """Save a tensor as it is now; `save` also calls the hooks."""
    if tensor._inference:
        raise RuntimeError(INFERENCE_SAVED)
    one = _new(kind)
    one.counter = counter = tensor._version_counter
    one.version = 0 if counter is None else counter.value
    one.data = tensor._data
    one.index = index
    if is_output:
        one.tensor = None
        if counter is None:
            one.counter = tensor._share_version()
    else:
        one.tensor = tensor
    return one


def keep_sources(node: Node, made: Tensor, sources: list[Tensor]) -> None:
    """Refuse the buffer `made` also if a tensor that it was made from has been written to."""
    saved = node.saved or []
    for at, one in enumerate(saved):
        if type(one) is Saved and one.tensor is made:
            watched = keep(made, one.index, False, MadeFrom)
            watched.sources = [keep(source, 0, False) for source in sources]
            saved[at] = watched


class PackedSaved(Saved):
    """A saved buffer that went through the pack hook of `saved_tensors_hooks` and comes back through its unpack hook.
    The unpacked tensor is given the history of the buffer."""

    __slots__ = ("edge", "is_output", "packed", "unpack")

    edge: tuple[Node, int] | None
    is_output: bool
    packed: object
    unpack: Callable[[Any], object]

    def value(self, node: Node) -> Tensor:
        found = self.unpack(self.packed)
        if not isinstance(found, Tensor):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(found).__name__}"
            )
        edge = (node, self.index) if self.is_output and _has_history(self, node, found._data) else self.edge
        return found if edge is None and not found._requires_grad else _at_edge(found, edge)


def pack(tensor: Tensor, index: int, is_output: bool, hooks: Hooks | None = None) -> PackedSaved:
    """Pass a tensor to the pack hook in force, or to its own, and keep what it returns."""
    one: PackedSaved = keep(tensor, index, is_output, PackedSaved)
    one.is_output = is_output
    one.edge = edge_of(tensor) if tensor._requires_grad and not is_output else None
    by, one.unpack = state.saved_hooks[-1] if hooks is None else hooks
    before = tensor._version
    held, state.saved_hooks = state.saved_hooks, []
    grad, state.grad = state.grad, False
    try:
        one.packed = by(tensor if hooks is None else tensor.detach())
    finally:
        state.saved_hooks, state.grad = held, grad
    if tensor._version != before:
        raise RuntimeError(PACK_WROTE)
    one.tensor, one.data, one.counter = None, np.empty(0), None
    return one


class SavedTensor:
    """What `grad_fn._raw_saved_x` returns: one saved buffer, on which pack and unpack hooks can be registered."""

    __slots__ = ("_at", "_node")

    def __init__(self, *place: Any) -> None:
        if not place:
            raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")
        self._node, self._at = place

    def _one(self, refusal: str) -> Saved | None:
        """The buffer; raises if it was freed."""
        node = self._node
        if node.saved is None or node.freed:
            raise RuntimeError(refusal)
        found: Saved | None = None if self._at is None else node.saved[self._at]
        return found

    def register_hooks(self, *hooks: Callable[..., object]) -> None:
        """Pack the buffer now with the first hook; unpack it with the second whenever it is used."""
        if len(hooks) != 2 or not all(map(callable, hooks)):
            raise TypeError(
                "register_hooks(): incompatible function arguments. The following argument types are supported:\n"
                "    1. (self: torch._C._autograd.SavedTensor, arg0: collections.abc.Callable, "
                "arg1: collections.abc.Callable) -> None\n\n"
                f"Invoked with: {', '.join(map(repr, (self, *hooks)))}"
            )
        one = self._one(HOOKS_AFTER_FREED)
        if isinstance(one, PackedSaved):
            raise RuntimeError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of "
                "hooks is allowed at a time."
            )
        if one is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        is_output = one.tensor is None
        self._node.saved[self._at] = pack(one.value(self._node), one.index, is_output, hooks)

    def unpack(self) -> Tensor | None:
        """The buffer as the backward gets it."""
        one = self._one(SECOND_BACKWARD)
        return None if one is None else one.value(self._node)

    @property
    def data(self) -> Any:
        """What is held: the tensor itself, an output without its history, or what the pack hook returned."""
        one = None if self._node.saved is None else self._node.saved[self._at]
        if isinstance(one, PackedSaved):
            return one.packed
        return None if one is None else wrap(one.data) if one.tensor is None else one.tensor

    @property
    def unpack_hook(self) -> Any:
        """The hook that unpacks the buffer, None if there is none."""
        one = None if self._node.saved is None else self._node.saved[self._at]
        return one.unpack if isinstance(one, PackedSaved) else None


SavedTensor.__module__ = "torch._C._autograd"


def _raw_saved(node: Node, name: str) -> SavedTensor | tuple[SavedTensor, ...]:
    names = () if node.plan is None else node.plan.saved_names
    if name not in names:
        if node.plan is not None and name in node.plan.row.saved:
            return SavedTensor(node, None)  # nothing is saved, as only other inputs want gradients
        raise AttributeError(f"'{node.class_name}' object has no attribute '_raw_saved_{name}'")
    at = names.index(name)
    several = (node.captured or {}).get(f"shown_{name}")  # index tensors, kept as one
    if several is None:
        return SavedTensor(node, at)
    return tuple(SavedTensor(node, None if each is None else at) for each in several)


Node._raw_saved = _raw_saved  # type: ignore[method-assign,assignment]  # a node does not know what hangs on its buffers


def save(tensor: Tensor, index: int, is_output: bool) -> Saved:
    """Save a tensor for the backward pass; a number written in the snippet does not go through the hooks."""
    if state.saved_hooks and tensor._wrapped is None:
        return pack(tensor, index, is_output)
    found: Saved = keep(tensor, index, is_output)
    return found


def unpack_saved(one: Saved, node: Node) -> Tensor:
    """The buffer as a tensor, with its history; raises if its memory has been written to since."""
    if one.current_version != one.version:
        raise RuntimeError(_version_error(one, node))
    tensor = one.tensor
    if tensor is not None:
        if tensor._detached and tensor._data is not one.data:
            raise RuntimeError(DETACHED)
        return tensor if tensor._data is one.data else _with_history_of(tensor, one.data)
    result = wrap(one.data)
    result._version_counter = one.counter
    if _has_history(one, node, one.data):
        result._requires_grad = True
        view = None if node.written is None else node.written()
        result._node, result._output_nr = (node, one.index) if view is None else (view, 0)
    return result


def _has_history(one: Saved, node: Node, data: Array) -> bool:
    """Whether a saved output is differentiable; a buffer that only the node uses is not."""
    row = node.row
    if row.hidden and one.index >= len(row.outputs) - row.hidden:
        return False
    return data.dtype.kind in "fcV"


def _at_edge(tensor: Tensor, edge: tuple[Node, int] | None) -> Tensor:
    """The same values with the history at `edge`, where their gradient goes."""
    made = wrap(tensor._data)
    made._version_counter = tensor._share_version()
    if edge is None:
        return made
    made._requires_grad = True
    if edge[0]._leaf is not None:
        made._accumulator = edge[0]
    else:
        made._node, made._output_nr = edge
    return made


def _with_history_of(tensor: Tensor, data: Array) -> Tensor:
    """`tensor` as it was before its data were replaced (`.data = …`)."""
    result = wrap(data)
    result._requires_grad = tensor._requires_grad
    result._node, result._output_nr, result._accumulator = tensor._node, tensor._output_nr, tensor._accumulator
    if tensor._requires_grad and tensor._node is None:
        result._accumulator = accumulator(tensor)
    return result


def _version_error(one: Saved, node: Node) -> str:
    shape = ", ".join(map(str, (one.data if one.tensor is None else one.tensor._data).shape))
    owner, number = (node, one.index) if one.tensor is None else (one.tensor.grad_fn, one.tensor._output_nr)
    source = "" if owner is None else f", which is output {number} of {function_of(owner)},"
    kind = dtypes.of(one.data)
    what = f"[{kind.cpu_type} [{shape}]]{source}"
    return overwritten(what, one.current_version, one.version, state.anomaly)
