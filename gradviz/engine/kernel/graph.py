"""The autograd graph: nodes and edges. A node holds facts (which row, which buffers, where gradients go next); the row
says how to compute, and only the loop in `backward.py` runs nodes and adds gradients. The buffers are in `saved.py`;
the `_saved_*` attributes that are not tensors are here: the numbers, shapes and options that PyTorch keeps, under its
names. See `rows.py` next."""

from __future__ import annotations

import functools
import math
import re
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.devices import device
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.messages import SECOND_BACKWARD
from gradviz.engine.kernel.state import Hook, state

if TYPE_CHECKING:
    from gradviz.engine.kernel.rows import OpRow, Plan
    from gradviz.engine.kernel.saved import Saved, SavedTensor
    from gradviz.engine.kernel.tensor import Tensor


# --- `_saved_*`: a row's own parameters are shown as they are, except for those that PyTorch names or writes
# differently ---


_REDUCTIONS = ("none", "mean", "sum")
# Negative ones are shown as the unsigned numbers that they are stored as.
_UNSIGNED = frozenset("pad dim dim0 dim1 dim2 index diagonal padding_idx ignore_index".split())

# Parameters of our formulas, and shapes, that PyTorch's nodes do not keep.
_HIDDEN = {
    "AdaptiveAvgPool2DBackward0": "output_size",
    "AdaptiveAvgPool3DBackward0": "output_size",
    "AdaptiveMaxPool2DBackward0": "output_size",
    "AdaptiveMaxPool3DBackward0": "output_size",
    "AddbmmBackward0": "batch1_sym_sizes",
    "AsStridedBackward0": "self_sym_sizes",
    "Col2ImBackward0": "output_size",
    "ConstantPadNdBackward0": "value",
    "EmbeddingBackward0": "weight_sym_sizes",
    "EmbeddingBagBackward0": "weight_sym_sizes",
    "ExpandBackward0": "size",
    "FftC2RBackward0": "last_dim_size",
    "FillBackward0": "value",
    "Im2ColBackward0": "self_sym_sizes",
    "IndexBackward0": "slots",
    "IndexFillBackward0": "value",
    "IndexPutBackward0": "slots",
    "KthvalueBackward0": "k",
    "LinalgEighBackward0": "UPLO",
    "LinalgLstsqBackward0": "driver rcond vector",
    "LinalgPinvBackward0": "atol hermitian rtol",
    "LinalgSolveExBackward0": "vector",
    "LogsumexpBackward0": "self_sym_sizes",
    "MaskedFillBackward0": "value",
    "MaxUnpool2DBackward0": "output_size",
    "MaxUnpool3DBackward0": "output_size",
    "NanToNumBackward0": "nan neginf posinf",
    "NansumBackward0": "self_sym_sizes",
    "SparseCooTensorWithDimsAndTensorsBackward0": "places size",
    "NarrowCopyBackward0": "end step",
    "NativeBatchNormBackward0": "momentum",
    "NativeLayerNormBackward0": "eps",
    "PackPaddedSequenceBackward0": "lengths self_sym_sizes",
    "PowBackward2": "base",
    "ReshapeAliasBackward0": "size",
    "RoundBackward1": "decimals",
    **dict.fromkeys(("SortBackward0", "SortBackward1"), "descending"),
    "SplitBackward0": "sizes",
    "SplitWithSizesBackward0": "sizes",
    **dict.fromkeys(("ThresholdBackward0", "ThresholdBackward1"), "value"),
    "ToCopyBackward0": "dtype memory_format",
    "TopkBackward0": "k largest sorted",
    "UnbindBackward0": "self_sym_sizes",
    "UnsafeSplitBackward0": "sizes",
    "UnsafeSplitWithSizesBackward0": "sizes",
    "UnsafeViewBackward0": "size",
    "ViewBackward0": "size",
}
# Shapes of operands that PyTorch's nodes keep in parts, or as optional values.
_SHAPES = {
    "AddbmmBackward0": "batch1_sym_argsize_0 batch1_sym_argsize_1 batch2_sym_argsize_2",
    "AddmmBackward0": "mat1_sym_sizes mat1_sym_strides mat2_sym_sizes mat2_sym_strides",
    "ConvolutionBackward0": "bias_sym_sizes_opt",
    "EmbeddingBackward0": "weight_sym_argsize_0",
    "EmbeddingBagBackward0": "weight_sym_argsize_0",
    "Im2ColBackward0": "self_sym_argsize_minus_1 self_sym_argsize_minus_2",
    "LinalgSvdBackward0": "S_sym_argsize_minus_1",
    "ExpandBackward0": "self_sym_sizes",
    "MeanBackward0": "self_sym_numel",
    "MeanBackward1": "self_sym_numel",
    "SparseAddmmBackward0": "mat2_sym_sizes mat2_sym_strides",
    "MmBackward0": "self_sym_sizes self_sym_strides mat2_sym_sizes mat2_sym_strides",
}
Reader = Callable[["Node"], Any]


def _scale(at: int) -> Reader:
    return lambda node: node.params["scales"][at]


def _group_norm(node: Node, at: int) -> int:
    n, channels, *rest = shape_of(node, "input")
    return (n, channels, math.prod(rest))[at]


# Attributes that our formulas call differently, or that follow from theirs.
_COMPUTED: dict[str, dict[str, Reader]] = {
    "GatherBackward0": {"sparse_grad": lambda node: False},
    "IndexAddBackward0": {"source_dim": lambda node: len(shape_of(node, "source"))},
    "IndexCopyBackward0": {"source_dim": lambda node: len(shape_of(node, "source"))},
    "NarrowCopyBackward0": {"length": lambda node: node.params["end"] - node.params["start"]},
    "NativeGroupNormBackward0": {
        "N": lambda node: _group_norm(node, 0),
        "C": lambda node: _group_norm(node, 1),
        "HxW": lambda node: _group_norm(node, 2),
    },
    "PackPaddedSequenceBackward0": {"input_sym_sizes": lambda node: shape_of(node, "self")},
    "PowBackward2": {"self": lambda node: node.params["base"]},
}
for _name in ("SplitBackward0", "UnsafeSplitBackward0"):
    _COMPUTED[_name] = {"split_size": lambda node: node.params["sizes"][0]}
for _name in ("SplitWithSizesBackward0", "UnsafeSplitWithSizesBackward0"):
    _COMPUTED[_name] = {"split_sizes": lambda node: tuple(node.params["sizes"])}
for _kind in ("Nearest", "NearestExact", "Linear", "Bilinear", "Bicubic", "Trilinear", "Lanczos"):
    _COMPUTED[f"Upsample{_kind}1DBackward0"] = {"scales": _scale(0)}
    for _smoothed in ("", "Aa"):
        _COMPUTED[f"Upsample{_kind}2D{_smoothed}Backward0"] = {"scales_h": _scale(0), "scales_w": _scale(1)}
        _HIDDEN[f"Upsample{_kind}2D{_smoothed}Backward0"] = "scales"
    _COMPUTED[f"Upsample{_kind}3DBackward0"] = {"scales_d": _scale(0), "scales_h": _scale(1), "scales_w": _scale(2)}
    _HIDDEN[f"Upsample{_kind}3DBackward0"] = "scales"


def attribute_names(node: Node) -> list[str]:
    """The names of saved attributes that are not tensors, as in PyTorch."""
    kind = node.class_name.removesuffix("_copy")
    hidden = _HIDDEN.get(kind, "places").split()
    more = (*_SHAPES.get(kind, "").split(), *_COMPUTED.get(kind, ()))
    sizes = [f"{name.removesuffix('_shape')}_sym_sizes" for name in node.captured if name.endswith("_shape")]
    return [*dict.fromkeys([*(name for name in (*node.params, *sizes) if name not in hidden), *more])]


def attribute(node: Node, name: str) -> Any:
    """The value of one of them; raises AttributeError if the node has none of that name."""
    kind = node.class_name.removesuffix("_copy")
    computed = _COMPUTED.get(kind, {}).get(name)
    if computed is not None:
        return computed(node)
    if name in node.captured.get("as_given", ()):
        return node.captured["as_given"][name]
    if name in node.params and name not in _HIDDEN.get(kind, "places").split():
        return _as_stored(name, node.params[name])
    operand, known, what = name.partition("_sym_")
    if known and name in attribute_names(node):
        if what == "strides":
            steps = node.captured.get(f"{operand}_strides", ())
            return tuple(step // node.metas[0][1].itemsize for step in steps)
        shape = shape_of(node, operand)
        if what.startswith("argsize_"):
            return shape[int(what.removeprefix("argsize_").replace("minus_", "-"))]
        return math.prod(shape) if what == "numel" else tuple(shape)
    raise AttributeError(f"'{node.class_name}' object has no attribute '_saved_{name}'")


def as_given(made: Any, **given: object) -> Any:
    """Let the node of a result show arguments as the call gave them, where the operation gets them in another form."""
    node = (made[0] if isinstance(made, tuple) else made)._node
    if node is not None:
        node.captured = {**node.captured, "as_given": given}
    return made


def _as_stored(name: str, value: object) -> Any:
    if name == "reduction" and value in _REDUCTIONS:
        return _REDUCTIONS.index(value)  # PyTorch keeps the number of its enumeration
    if name in _UNSIGNED:
        if type(value) is int:
            return value % 2**64
        if isinstance(value, tuple | list):
            return tuple(each % 2**64 for each in value)
    return value


def shape_of(node: Node, operand: str) -> tuple[int, ...]:
    """The shape of an operand, as far as the node knows it; (0,) for a missing operand."""
    found: Any = node.captured.get(f"{operand}_shape")
    if found is not None:
        return tuple(found)
    saved = () if node.plan is None else node.plan.saved_names
    if operand in saved and node.saved is not None:
        one = node.saved[saved.index(operand)]
        return (0,) if one is None else one.data.shape
    if operand in node.row.inputs:
        place = node.row.inputs.index(operand)
        slots = node.slots or node.row.differentiable
        edge = node.next[slots.index(place)] if place in slots else None
        if edge is not None:
            return edge[0].metas[edge[1]][0]
    return (0,)


Edge = tuple["Node", int]
Meta = tuple[tuple[int, ...], Any]  # shape and NumPy type; None if any type will do
LAST = 2**64 - 1  # the sequence number that outranks all others


class RemovableHandle:
    """What `register_hook` returns; `remove()` removes the hook, and so does the end of a `with` block."""

    _next_id = 0

    def __init__(self, hooks: OrderedDict[int, Any], *flags: OrderedDict[int, bool]) -> None:
        self.hooks = hooks
        self.flags = flags  # more dictionaries with an entry for this hook
        self.id = RemovableHandle._next_id
        RemovableHandle._next_id += 1

    def remove(self) -> None:
        """Remove the hook; a second call does nothing."""
        self.hooks.pop(self.id, None)
        for each in self.flags:
            each.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


_WITH_NAMESPACE = ("CopyBackwards", "AccumulateGrad", "NotImplemented", "Identity")


class Node:
    """One backward function. `next[i]` is where the gradient of input `i` goes, None if it is not needed.

    Note [Kinds] The nodes of all operations share this one class, which is fastest in Python; `_kind` is the class that
    users are shown (`MulBackward0`), and `shown` assigns it before they see the node."""

    # Slots, because a node is made for every operation; the dictionary is for what subclasses and users add.
    __slots__ = (
        "__dict__", "__weakref__", "_kind", "_leaf", "_metadata", "_tag", "captured", "freed", "metas", "next",
        "params", "plan", "post_hooks", "pre_hooks", "retained", "saved", "sequence_nr", "slots", "stack",
        "tensor_hooks",
    )  # fmt: skip
    _kind: Any
    _leaf: Tensor | None  # of an AccumulateGrad, the tensor whose `.grad` it adds to
    next: tuple[Edge | None, ...]
    slots: tuple[int, ...] | None  # which operand each entry of `next` belongs to, if not the one at the same position
    sequence_nr: int
    plan: Plan | None
    saved: list[Saved | None] | None
    params: Mapping[str, Any]
    captured: Mapping[str, Any]
    metas: Sequence[Meta]
    freed: bool
    _tag: int  # the number that the recorder knows it by; below -1, -2 minus that of the view that it was made anew for
    pre_hooks: OrderedDict[int, Hook] | None
    post_hooks: OrderedDict[int, Hook] | None
    tensor_hooks: dict[int, OrderedDict[int, Hook]] | None
    retained: dict[int, weakref.ref[Tensor]] | None  # PyTorch keeps no tensor alive for its gradient either
    written: weakref.ref[Node] | None = None  # for a write to a view: the history of the view after it
    stack: Any
    stands_aside: bool = False  # leads into a function transform: users are shown what it leads to
    stands_outside: bool = False  # leads out of a function transform: stands for the node inside that it leads to
    parent: Node | None = None  # in anomaly mode: the node whose backward made this one
    _metadata: dict[Any, Any] | None

    def __new__(cls, *args: object, **kwargs: object) -> Node:
        return bare(cls, cls)

    @property
    def row(self) -> OpRow:
        """The row of its operation."""
        return self._kind.row  # type: ignore[no-any-return]

    @property
    def class_name(self) -> str:
        """The name of the class that users are shown."""
        return self._kind.class_name  # type: ignore[no-any-return]

    def name(self) -> str:
        """The name that PyTorch shows, such as `MulBackward0`."""
        name = self.class_name
        return f"torch::autograd::{name}" if name in _WITH_NAMESPACE else name

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """(node, input number) for each input."""
        if self.stands_outside and self.next[0] is not None:
            return self.next[0][0].next_functions
        edges = [_beyond(edge) for edge in self.next]
        return tuple((None, 0) if edge is None else (shown(edge[0]), edge[1]) for edge in edges)

    def _sequence_nr(self) -> int:
        return self.sequence_nr

    def _set_sequence_nr(self, number: int) -> None:
        self.sequence_nr = number

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary for the user, in which anomaly mode left the stack of the forward call."""
        if self._metadata is None:
            self._metadata = {} if self.stack is None else {"traceback_": list(self.stack)}
        return self._metadata

    @property
    def _input_metadata(self) -> tuple[InputMetadata, ...]:
        return tuple(InputMetadata(shape, dtype) for shape, dtype in self.metas)

    @property
    def requires_grad(self) -> bool:
        """True: a node is made only where gradients are wanted."""
        return True

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        """The gradients of the inputs from those of the outputs; never accumulates."""
        assert self.plan is not None
        return self.plan.run(self, grads)

    def unpack(self) -> list[Tensor | None]:
        """The saved buffers, checked: freed or overwritten ones are refused with PyTorch's messages."""
        if self.saved is None or self.freed:
            raise RuntimeError(SECOND_BACKWARD)
        return [None if one is None else one.value(self) for one in self.saved]

    def release(self) -> bool:
        """Free the saved buffers; return whether there were any."""
        had = self.saved is not None
        self.saved = None
        self.freed = self.freed or had
        return had

    def saved_items(self) -> Iterator[tuple[str, Array, int, Saved]]:
        """(name, data, version when saved, record) of each saved tensor; empty once they were freed."""
        if self.saved is not None and self.plan is not None:
            for name, one in zip(self.plan.saved_names, self.saved, strict=True):
                if one is not None:
                    yield name, one.data, one.version, one

    def register_hook(self, fn: Callable[..., object]) -> RemovableHandle:
        """Call `fn(grad_inputs, grad_outputs)` after the node ran; its return value replaces the gradients."""
        if self.post_hooks is None:
            self.post_hooks = OrderedDict()
        return _register(self.post_hooks, fn)

    def register_prehook(self, fn: Callable[..., object]) -> RemovableHandle:
        """Call `fn(grad_outputs)` before the node runs; its return value replaces the gradients."""
        if self.pre_hooks is None:
            self.pre_hooks = OrderedDict()
        return _register(self.pre_hooks, fn)

    def _register_hook_dict(self, tensor: Tensor) -> None:
        """Let a tensor's own dictionary of hooks be called for its gradient."""
        if self.tensor_hooks is None:
            self.tensor_hooks = {}
        self.tensor_hooks[tensor._output_nr] = tensor._backward_hooks

    if TYPE_CHECKING:  # attached in saved.py

        def _raw_saved(self, name: str) -> SavedTensor | tuple[SavedTensor, ...]: ...

    def __call__(self, *grads: Tensor | None) -> Tensor | tuple[Tensor | None, ...] | None:
        """Run the node by hand: return the gradients of its inputs given those of its outputs."""
        if len(grads) != len(self.metas):
            raise TypeError(f"expected {len(self.metas)} arguments, got {len(grads)} instead")
        for at, grad in enumerate(grads):
            if grad is not None and not hasattr(grad, "_requires_grad"):
                raise TypeError(f"argument {at} is not a Variable")
        found = tuple(self.apply(list(grads)))
        return found[0] if len(found) == 1 else found

    def _find_saved(self, name: str) -> Any:
        names = () if self.plan is None else self.plan.saved_names
        if name in names:
            if self.saved is None or self.freed:
                raise RuntimeError(SECOND_BACKWARD)
            shown = self.captured.get(f"shown_{name}")
            if shown is not None:
                return shown
            one = self.saved[names.index(name)]
            return None if one is None else self.row.shown(one.value(self))
        if self.plan is not None and name in self.plan.row.saved:
            return None  # the row saves it if other inputs want gradients
        return attribute(self, name)

    def __dir__(self) -> list[str]:
        tensors = () if self.plan is None else tuple(dict.fromkeys((*self.plan.saved_names, *self.row.saved)))
        known = () if self.plan is None else (*tensors, *attribute_names(self))
        return [
            *(n for n in super().__dir__() if n[:2] == "__" or n in _SHOWN),
            *(n for n in getattr(self, "__dict__", ()) if n[0] != "_" and n not in _SHOWN),
            *(f"_saved_{n}" for n in dict.fromkeys(known)),
            *(f"_raw_saved_{n}" for n in tensors),
        ]

    def __repr__(self) -> str:
        return f"<{self.class_name} object at {object.__repr__(self).rpartition(' ')[2]}"


_SHOWN = frozenset(  # the attributes that PyTorch's nodes have; those of custom functions have more
    """_input_metadata _is_pure_view _materialize_non_diff_grads _raw_saved_tensors _register_hook_dict _sequence_nr
    _set_sequence_nr mark_dirty mark_non_differentiable materialize_grads metadata name needs_input_grad next_functions
    non_differentiable register_hook register_prehook requires_grad save_for_backward save_for_forward saved_tensors
    saved_variables set_materialize_grads to_save variable""".split()
)

_new = object.__new__
_NOTHING: Mapping[str, Any] = {}


def bare(kind: type[Node], cls: type[Node] = Node) -> Node:
    """An empty node of this kind."""
    node: Node = _new(cls)
    node._kind = kind
    node._leaf = None
    node.next = node.metas = ()
    node.params = node.captured = _NOTHING
    node.slots = node.plan = node.saved = None
    node.pre_hooks = node.post_hooks = node.tensor_hooks = node.retained = None
    node.stack = node._metadata = None
    node.sequence_nr = 0
    node.freed = False
    node._tag = -1
    return node


def _beyond(edge: Edge | None) -> Edge | None:
    """The edge behind nodes that only lead into a function transform."""
    while edge is not None and edge[0].stands_aside:
        edge = edge[0].next[0]
    return edge


def shown(node: Any) -> Any:
    """The node as an instance of its displayed class; None for None."""
    if type(node) is Node:
        node.__class__ = kind = node._kind
        if node.plan is not None:
            tensors = (*kind.row.inputs, *kind.row.outputs)
            _offer(kind, "_saved_", (*tensors, *attribute_names(node)), Node._find_saved)
            _offer(kind, "_raw_saved_", tensors, Node._raw_saved)
    return node


def _offer(kind: type[Node], prefix: str, names: Sequence[str], find: Callable[[Node, str], object]) -> None:
    """Give the class of a node the attributes that users read, such as `_saved_self`."""
    for name in names:
        if prefix + name not in kind.__dict__:
            setattr(kind, prefix + name, property(functools.partial(_found, find, name)))


def _found(find: Callable[[Node, str], object], name: str, node: Node) -> object:
    return find(node, name)


class OfRow(Node):
    """The node of an operation as users see it: PyTorch's are made in C++, so nothing can be set, copied or made."""

    __slots__ = ()

    def __new__(cls, *args: object, **kwargs: object) -> OfRow:
        raise TypeError(f"cannot create '{cls.__name__}' instances")

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _OWN:
            raise AttributeError(_unwritable(self, name))
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(_unwritable(self, name))

    def __reduce_ex__(self, protocol: object) -> Any:
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")


_OWN = frozenset({*Node.__annotations__, "__class__"})


def _unwritable(node: Node, name: str) -> str:
    kind = type(node).__name__
    found = getattr(type(node), name, None)
    if found is None:
        return f"'{kind}' object has no attribute '{name}'"
    if callable(found):
        return f"'{kind}' object attribute '{name}' is read-only"
    return f"attribute '{name}' of '{kind}' objects is not writable"


@functools.cache
def renamed(kind: type[Node], name: str) -> type[Node]:
    """The same class under another name."""
    return type(name, (kind,), {"class_name": name, "__module__": "builtins", "__slots__": ()})


def show_as(node: Node, kind: type[Node]) -> None:
    """Give a node another displayed class, in a function that is marked by `renaming`."""
    node._kind = kind
    if type(node) is not Node:
        node.__class__ = kind
    if state.observer is not None:
        state.observer.shown_as(node)


class AccumulateGrad(Node):
    """The sink of one leaf: adds arriving gradients to the leaf's `.grad`."""

    __slots__ = ()
    class_name = "AccumulateGrad"

    @property
    def variable(self) -> Tensor | None:
        """The leaf."""
        return self._leaf


class GradientEdge(NamedTuple):
    """A place where a gradient arrives: (node, output number)."""

    node: Node
    output_nr: int
    ownership_token: Node | None = None


GradientEdge.__module__ = "torch.autograd.graph"


class InputMetadata:
    """What a node knows about the gradient that arrives at one of its outputs."""

    is_nested_tensor = is_cpp_nested_tensor = False

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape = list(shape)
        self.dtype = None if dtype is None else dtypes.OF_NUMPY[dtype]
        self.device = device("cpu")


InputMetadata.__name__ = InputMetadata.__qualname__ = "_InputMetadata"
InputMetadata.__module__ = "torch._C._autograd"


def next_sequence() -> int:
    """The number of the next node of the forward pass."""
    number = state.sequence
    state.sequence = number + 1
    return number


def _register(hooks: OrderedDict[int, Any], fn: Callable[..., object]) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = fn
    return handle


def retains(node: Node, tensor: Tensor) -> bool:
    """Whether `retain_grad` was called on a tensor that the node made."""
    found = None if node.retained is None else node.retained.get(tensor._output_nr)
    return found is not None and found() is tensor


def edge_of(tensor: Tensor) -> Edge | None:
    """Where the gradient of `tensor` goes."""
    if tensor._base is not None:
        tensor._sync_view()
    node = tensor._node
    if node is not None:
        return (node, tensor._output_nr)
    if tensor._requires_grad and (tensor._view is None or not tensor._view.lent):
        return (accumulator(tensor), 0)
    return None


def accumulator(leaf: Tensor) -> Node:
    """The one `AccumulateGrad` of a leaf."""
    found = leaf._accumulator
    if found is None:
        found = leaf._accumulator = bare(AccumulateGrad)
        found.sequence_nr = LAST
        found._leaf = leaf
        refresh(found)
    return found


def refresh(node: Node) -> None:
    """Update which gradients the leaf of an `AccumulateGrad` accepts."""
    assert node._leaf is not None
    node.metas = ((node._leaf._data.shape, node._leaf._gradient_type()),)


def function_of(node: Node) -> str:
    """The name of the function that made a node, as in error messages: `Exp` for `ExpBackward0`, and `Sum1`."""
    return re.sub(r"Backward(0|([1-9][0-9]*))?$", r"\2", node.name())
