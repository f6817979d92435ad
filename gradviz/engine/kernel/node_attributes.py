"""What users read of a node as `_saved_*` beside its tensors: the numbers, shapes and options that PyTorch keeps, under
its names. A row's own parameters are shown as they are; here stands what is called or written otherwise. The nodes
are in `graph.py`, the tensors that they keep in `saved.py`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradviz.engine.kernel.graph import Node

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
    "NarrowCopyBackward0": "end step",
    "NativeBatchNormBackward0": "momentum",
    "NativeLayerNormBackward0": "eps",
    "PackPaddedSequenceBackward0": "lengths self_sym_sizes",
    "PowBackward2": "base",
    "ReshapeAliasBackward0": "size",
    "RoundBackward1": "decimals",
    "SortBackward0": "descending",
    "SortBackward1": "descending",
    "SplitBackward0": "sizes",
    "SplitWithSizesBackward0": "sizes",
    "ThresholdBackward0": "value",
    "ThresholdBackward1": "value",
    "ToCopyBackward0": "dtype memory_format",
    "TopkBackward0": "k largest sorted",
    "UnbindBackward0": "self_sym_sizes",
    "UnsafeSplitBackward0": "sizes",
    "UnsafeSplitWithSizesBackward0": "sizes",
    "UnsafeViewBackward0": "size",
    "ViewBackward0": "size",
}
# Shapes of operands that PyTorch's nodes keep in parts, or as something optional.
_SHAPES = {
    "AddbmmBackward0": "batch1_sym_argsize_0 batch1_sym_argsize_1 batch2_sym_argsize_2",
    "AddmmBackward0": "mat1_sym_strides mat2_sym_strides",
    "ConvolutionBackward0": "bias_sym_sizes_opt",
    "EmbeddingBackward0": "weight_sym_argsize_0",
    "EmbeddingBagBackward0": "weight_sym_argsize_0",
    "Im2ColBackward0": "self_sym_argsize_minus_1 self_sym_argsize_minus_2",
    "LinalgSvdBackward0": "S_sym_argsize_minus_1",
    "ExpandBackward0": "self_sym_sizes",
    "MeanBackward0": "self_sym_numel",
    "MeanBackward1": "self_sym_numel",
    "MmBackward0": "self_sym_sizes self_sym_strides mat2_sym_sizes mat2_sym_strides",
}
Reader = Callable[["Node"], Any]


def _scale(at: int) -> Reader:
    return lambda node: node.params["scales"][at]


def _group_norm(node: Node, at: int) -> int:
    n, channels, *rest = shape_of(node, "input")
    return (n, channels, math.prod(rest))[at]


# What is called otherwise in our formulas, or follows from them.
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
for _kind in ("Nearest", "NearestExact", "Linear", "Bilinear", "Bicubic", "Trilinear"):
    _COMPUTED[f"Upsample{_kind}1DBackward0"] = {"scales": _scale(0)}
    _COMPUTED[f"Upsample{_kind}2DBackward0"] = {"scales_h": _scale(0), "scales_w": _scale(1)}
    _COMPUTED[f"Upsample{_kind}3DBackward0"] = {"scales_d": _scale(0), "scales_h": _scale(1), "scales_w": _scale(2)}
    _HIDDEN[f"Upsample{_kind}2DBackward0"] = _HIDDEN[f"Upsample{_kind}3DBackward0"] = "scales"


def names(node: Node) -> list[str]:
    """What is kept beside tensors, by the names that PyTorch has for it."""
    kind = node.class_name.removesuffix("_copy")
    hidden = _HIDDEN.get(kind, "").split()
    more = (*_SHAPES.get(kind, "").split(), *_COMPUTED.get(kind, ()))
    sizes = [f"{name.removesuffix('_shape')}_sym_sizes" for name in node.captured if name.endswith("_shape")]
    return [*(name for name in (*node.params, *sizes) if name not in hidden), *more]


def find(node: Node, name: str) -> Any:
    """The value of one of them; AttributeError where the node has none of that name."""
    kind = node.class_name.removesuffix("_copy")
    computed = _COMPUTED.get(kind, {}).get(name)
    if computed is not None:
        return computed(node)
    if name in node.params and name not in _HIDDEN.get(kind, "").split():
        return _as_stored(name, node.params[name])
    operand, known, what = name.partition("_sym_")
    if known and name in names(node):
        if what == "strides":
            steps = node.captured.get(f"{operand}_strides", ())
            return tuple(step // node.metas[0][1].itemsize for step in steps)
        shape = shape_of(node, operand)
        if what.startswith("argsize_"):
            return shape[int(what.removeprefix("argsize_").replace("minus_", "-"))]
        return math.prod(shape) if what == "numel" else tuple(shape)
    raise AttributeError(f"'{node.class_name}' object has no attribute '_saved_{name}'")


def _as_stored(name: str, value: Any) -> Any:
    if name == "reduction" and value in _REDUCTIONS:
        return _REDUCTIONS.index(value)  # PyTorch keeps the number of its enumeration
    if name in _UNSIGNED:
        if type(value) is int:
            return value % 2**64
        if isinstance(value, tuple | list):
            return tuple(each % 2**64 for each in value)
    return value


def shape_of(node: Node, operand: str) -> tuple[int, ...]:
    """The shape of an operand, as far as the node knows it; of one that is not there it is (0,)."""
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
