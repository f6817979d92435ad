"""`torch.autograd.graph`: nodes, and hooks on saved tensors."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gradviz.engine.kernel.graph import GradientEdge, RemovableHandle, edge_of, shown
from gradviz.engine.kernel.graph import Node as EngineNode
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor, wrap

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
    "set_warn_on_accumulate_grad_stream_mismatch",
]


class _NodeType(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, EngineNode)

    def __subclasscheck__(cls, kind: type) -> bool:
        return kind is cls or issubclass(kind, EngineNode)


class Node(metaclass=_NodeType):
    """The base class of every `grad_fn`, whatever its class."""

    __module__ = "torch.autograd.graph"

    def __new__(cls) -> Any:
        raise TypeError(
            "Can't instantiate abstract class Node with abstract methods _input_metadata, _register_hook_dict, "
            "_sequence_nr, metadata, name, next_functions, register_hook, register_prehook"
        )


class saved_tensors_hooks:
    """While this is open, what is saved for backward goes through `pack_hook`, and comes back through `unpack_hook`."""

    def __init__(self, pack_hook: Callable[[Tensor], object], unpack_hook: Callable[[Any], Tensor]) -> None:
        self.hooks = (pack_hook, unpack_hook)

    def __enter__(self) -> None:
        if not all(map(callable, self.hooks)):
            raise TypeError(
                "_push_saved_tensors_default_hooks(): incompatible function arguments. The following argument types "
                "are supported:\n    1. (arg0: collections.abc.Callable, arg1: collections.abc.Callable) -> None\n\n"
                f"Invoked with: {', '.join(map(repr, self.hooks))}"
            )
        if state.saved_hooks_refusal is not None:
            raise RuntimeError(state.saved_hooks_refusal)
        state.saved_hooks = [*state.saved_hooks, self.hooks]

    def __exit__(self, *exc: object) -> None:
        state.saved_hooks = state.saved_hooks[:-1]


class save_on_cpu(saved_tensors_hooks):
    """Saved tensors are on the CPU already."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda x: x, lambda x: x)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """While this is open, `saved_tensors_hooks` raises with the message."""
    if state.saved_hooks:
        raise RuntimeError(error_message)
    outer, state.saved_hooks_refusal = state.saved_hooks_refusal, error_message
    try:
        yield
    finally:
        state.saved_hooks_refusal = outer


class _MultiHandle(RemovableHandle):
    """Removes several hooks at once."""

    __module__ = "torch.autograd.graph"

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles = handles

    def remove(self) -> None:
        """Remove the hooks."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> _MultiHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[..., object], *, mode: str = "all"
) -> _MultiHandle:
    """Call `fn` when the gradients of all the tensors that a backward pass reaches are known, or of the first."""
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    nodes = [edge[0] for each in tensors if (edge := edge_of(each)) is not None]
    if mode == "all" and len(nodes) != len(tensors):
        raise AssertionError("Expected gradient function to be set")
    passes: weakref.WeakKeyDictionary[object, _Arrivals] = weakref.WeakKeyDictionary()

    def hook_of(index: int) -> Callable[[Tensor], None]:
        def hook(grad: Tensor) -> None:
            task = state.running
            known = passes.get(task)
            if known is None:
                known = passes[task] = _Arrivals(len(tensors), sum(map(task.will_run, nodes)))
                if mode == "any":
                    fn(grad)
            known.grads[index] = grad
            known.missing -= 1
            if mode == "all" and not known.missing:
                fn(known.grads)

        return hook

    return _MultiHandle([each.register_hook(hook_of(i)) for i, each in enumerate(tensors)])


class _Arrivals:
    """The gradients of one pass that have arrived so far, and how many are to come."""

    def __init__(self, count: int, missing: int) -> None:
        self.grads: list[Tensor | None] = [None] * count
        self.missing = missing


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """There are no streams, so nothing to warn of."""


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Count a write that autograd could not notice."""
    if isinstance(tensor, Tensor):
        tensor = (tensor,)
    if not isinstance(tensor, Iterable):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for each in tensor:
        if not isinstance(each, Tensor):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
        if not each._inference:  # which has no counter
            each._count_write()


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Where the gradient of a tensor arrives."""
    edge = edge_of(tensor) if tensor.requires_grad else None
    if edge is None:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(shown(edge[0]), edge[1])


class _Handle:
    """Stands for a saved tensor; lives as long as a node holds it."""


class _AllowMutationOnSavedContext:
    """The state of `allow_mutation_on_saved_tensors`: the tensors that were saved, and copies of those that have been
    written to since."""

    def __init__(self) -> None:
        self._cloned: weakref.WeakKeyDictionary[_Handle, Tensor] = weakref.WeakKeyDictionary()
        self._original: weakref.WeakKeyDictionary[_Handle, Tensor] = weakref.WeakKeyDictionary()
        self._handles: weakref.WeakValueDictionary[Any, _Handle] = weakref.WeakValueDictionary()
        self._saved: dict[Any, set[Any]] = {}
        self._numbers: dict[int, int] = {}  # by address, without a version count

    # copies of the tables: a weak table leads to references that would call a snippet whenever an object ends
    cloned = property(lambda self: dict(self._cloned))
    original = property(lambda self: dict(self._original))
    tid_to_weakhandle = property(lambda self: dict(self._handles))
    sid_to_tid = property(lambda self: {key: {*names} for key, names in self._saved.items()})

    def clear(self) -> None:
        """Forget everything."""
        for each in (self._cloned, self._original, self._handles, self._saved, self._numbers):
            each.clear()

    def keep(self, tensor: Tensor) -> _Handle:
        """Note a tensor that is saved; one that is saved twice in the same version has one handle."""
        memory = self._memory(tensor)
        name = (self._number(tensor), *memory)
        self._saved.setdefault(memory, set()).add(name)
        handle = self._handles.get(name)
        if handle is None:
            handle = self._handles[name] = _Handle()
            self._original[handle] = tensor
        return handle

    def find(self, handle: _Handle) -> Tensor:
        """The tensor as it was when it was saved."""
        found = self._cloned.get(handle)
        found = self._original.get(handle) if found is None else found
        if found is None or _AllowMutationOnSavedContext.current is None:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which the graph was "
                "originally recorded."
            )
        return found

    def before_write(self, tensor: Tensor) -> None:
        """Copy the saved tensors in memory that is about to be overwritten."""
        for name in self._saved.get(self._memory(tensor), ()):
            handle = self._handles.get(name)
            if handle is not None and handle in self._original:
                self._cloned[handle] = wrap(self._original.pop(handle)._data.copy())

    def _memory(self, tensor: Tensor) -> tuple[int, int]:
        """A piece of memory, which views share, in its present version."""
        counter = tensor._share_version()
        return self._number(counter), counter.value

    def _number(self, thing: object) -> int:
        return self._numbers.setdefault(id(thing), len(self._numbers))

    current: _AllowMutationOnSavedContext | None = None


_AllowMutationOnSavedContext.__module__ = "torch.autograd.graph"


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_AllowMutationOnSavedContext]:
    """While this is open, tensors that were saved for backward may be written to: they are copied first."""
    if _AllowMutationOnSavedContext.current is not None:
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    known = _AllowMutationOnSavedContext.current = _AllowMutationOnSavedContext()
    state.write_guard = known.before_write
    try:
        with saved_tensors_hooks(known.keep, known.find):
            yield known
    finally:
        known.clear()
        _AllowMutationOnSavedContext.current = state.write_guard = None
