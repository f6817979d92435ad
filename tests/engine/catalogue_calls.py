"""A call of every operation of the catalogue: what to connect to its ports and what its required parameters are, and
the call as Python text, written from nothing but the entry. `torch` may be ours or the real one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradviz.document.catalogue import Entry
from gradviz.document.drawing import Literal, Operation

# What stands at a port that is not named below: a square matrix, positive and of full rank.
SQUARE = "torch.tensor([[0.9, 0.2, 0.1], [0.3, 0.8, 0.2], [0.1, 0.4, 0.7]])"
SYMMETRIC = "torch.tensor([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.0]])"
COMPLEX = "torch.complex(torch.ones(3, 3), torch.ones(3, 3))"
INTEGERS = "torch.tensor([1, 2, 3])"
MASK = "torch.tensor([[True, False, True]] * 3)"
ROWS = "torch.tensor([[0, 1, 2]] * 3)"
NAMED = {
    "bias": "torch.ones(3)", "mask": MASK, "condition": MASK, "vec": "torch.ones(3)", "vec1": "torch.ones(3)",
    "vec2": "torch.ones(3)", "index": ROWS, "running_mean": "torch.zeros(3)", "running_var": "torch.ones(3)",
}  # fmt: skip
IMAGE, VOLUME, SIGNAL = "torch.rand(1, 4, 6, 6)", "torch.rand(1, 4, 6, 6, 6)", "torch.rand(1, 4, 6)"
_F = "nn.functional."
BATCH = "torch.rand(2, 3, 3)"
VECTOR = "torch.ones(3)"
CLASSES = "torch.tensor([0, 2, 1])"


def _each(keys: tuple[str, ...], said: dict[str, str]) -> dict[str, dict[str, str]]:
    return {key: said for key in keys}


# key: the ports of this operation
PORTS: dict[str, dict[str, str]] = {
    **{f"{_F}{name}1d": {"input": SIGNAL} for name in ("max_pool", "avg_pool", "lp_pool", "adaptive_avg_pool",
       "adaptive_max_pool", "dropout")},
    **{f"{_F}{name}2d": {"input": IMAGE} for name in ("max_pool", "avg_pool", "lp_pool", "adaptive_avg_pool",
       "adaptive_max_pool", "dropout", "fractional_max_pool")},
    **{f"{_F}{name}3d": {"input": VOLUME} for name in ("max_pool", "avg_pool", "lp_pool", "adaptive_avg_pool",
       "adaptive_max_pool", "dropout", "fractional_max_pool")},
    **{f"{_F}conv{t}{n}d": {"input": image, "bias": "torch.ones(4)", "weight": f"torch.rand({[4, 4] + [3] * n})"}
       for t in ("", "_transpose") for n, image in ((1, SIGNAL), (2, IMAGE), (3, VOLUME))},
    **{f"{_F}max_unpool{n}d": {"input": f"torch.rand(1, 1, {', '.join('2' * n)})",
       "indices": f"torch.arange(2**{n}).reshape(1, 1, {', '.join('2' * n)})"} for n in (1, 2, 3)},
    **{f"{_F}{name}": {"input": IMAGE} for name in ("channel_shuffle", "pixel_shuffle", "pixel_unshuffle",
    "interpolate",
       "feature_alpha_dropout", "local_response_norm", "unfold")},
    **_each((f"{_F}batch_norm", f"{_F}instance_norm"), {"input": "torch.rand(2, 3, 4)", "weight": VECTOR}),
    f"{_F}group_norm": {"input": "torch.rand(2, 4, 3)", "weight": "torch.ones(4)", "bias": "torch.ones(4)"},
    **_each((f"{_F}layer_norm", f"{_F}rms_norm"), {"weight": VECTOR}),
    f"{_F}fold": {"input": "torch.rand(1, 4, 9)"},
    f"{_F}grid_sample": {"input": IMAGE, "grid": "torch.zeros(1, 2, 2, 2)"},
    f"{_F}affine_grid": {"theta": "torch.rand(1, 2, 3)"},
    f"{_F}bilinear": {"weight": "torch.rand(3, 3, 3)"},
    f"{_F}prelu": {"weight": VECTOR},
    f"{_F}glu": {"input": "torch.rand(2, 4)"},
    f"{_F}embedding": {"input": CLASSES, "weight": "torch.rand(4, 3)"},
    f"{_F}embedding_bag": {"input": ROWS, "weight": "torch.rand(4, 3)", "offsets": "", "per_sample_weights": ""},
    f"{_F}one_hot": {"tensor": CLASSES},
    f"{_F}scaled_dot_product_attention": {"attn_mask": "torch.zeros(3, 3)"},
    f"{_F}cross_entropy": {"target": CLASSES, "weight": VECTOR},
    f"{_F}linear_cross_entropy": {"target": CLASSES, "weight": VECTOR, "linear_bias": VECTOR},
    f"{_F}nll_loss": {"target": CLASSES, "weight": VECTOR},
    f"{_F}multi_margin_loss": {"target": CLASSES, "weight": VECTOR},
    f"{_F}multilabel_margin_loss": {"target": ROWS},
    f"{_F}multilabel_soft_margin_loss": {"weight": VECTOR},
    f"{_F}cosine_embedding_loss": {"target": VECTOR},
    f"{_F}margin_ranking_loss": {"target": "torch.ones(3, 3)"},
    f"{_F}ctc_loss": {"log_probs": "torch.rand(4, 1, 3).log_softmax(2)", "targets": "torch.tensor([[1, 2]])",
                     "input_lengths": "torch.tensor([4])", "target_lengths": "torch.tensor([2])"},
    **_each(("addmv",), {"input": VECTOR}),
    **_each(("addbmm",), {"batch1": BATCH, "batch2": BATCH}),
    **_each(("baddbmm",), {"batch1": BATCH, "batch2": BATCH, "input": BATCH}),
    "bmm": {"input": BATCH, "mat2": BATCH},
    "dot": {"input": VECTOR, "tensor": VECTOR},
    "vdot": {"input": VECTOR, "other": VECTOR},
    "outer": {"input": VECTOR},
    "cartesian_prod": {"tensors": VECTOR},
    "combinations": {"input": VECTOR},
    "meshgrid": {"tensors": VECTOR},
    "bincount": {"input": INTEGERS, "weights": VECTOR},
    "vander": {"x": VECTOR},
    "linalg.vander": {"x": VECTOR},
    "bucketize": {"boundaries": VECTOR},
    "searchsorted": {"sorted_sequence": "torch.tensor([1.0, 2.0, 3.0])", "sorter": "torch.tensor([0, 1, 2])",
    "input": VECTOR},
    **_each(("index_add", "index_copy", "index_reduce", "index_select"), {"index": CLASSES}),
    "float_power": {"input": f"{SQUARE[:-1]}, dtype=torch.float64)"},
    **_each(("masked_fill", "fill"), {"value": "torch.tensor(2.0)"}),
    "index_fill": {"index": CLASSES, "value": "torch.tensor(2.0)"}, "take_along_dim": {"indices": ROWS},
    "unravel_index": {"indices": INTEGERS},
    **_each(("gcd", "lcm"), {"input": INTEGERS, "other": INTEGERS}),
    **_each(("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"),
                    {"input": INTEGERS, "other": INTEGERS}),
    "bitwise_not": {"input": INTEGERS},
    "cov": {"fweights": INTEGERS, "aweights": VECTOR},
    "histogram": {"weight": SQUARE},
    **_each(("imag", "view_as_real"), {"input": COMPLEX}),
    "view_as_complex": {"input": "torch.rand(3, 2)"},
    "select_scatter": {"src": VECTOR},
    "diagonal_scatter": {"src": VECTOR},
    "as_strided_scatter": {"src": VECTOR},
    "hsplit": {"input": SQUARE}, "vsplit": {"input": SQUARE}, "dsplit": {"input": BATCH},
    "polar": {},
    "lu_solve": {"LU_data": SYMMETRIC, "LU_pivots": "torch.tensor([1, 2, 3], dtype=torch.int32)"},
    "lu_unpack": {"LU_data": SYMMETRIC, "LU_pivots": "torch.tensor([1, 2, 3], dtype=torch.int32)"},
    "linalg.lu_solve": {"LU": SYMMETRIC, "pivots": "torch.tensor([1, 2, 3], dtype=torch.int32)"},
    "linalg.ldl_solve": {"LD": SYMMETRIC, "pivots": "torch.tensor([1, 2, 3], dtype=torch.int32)"},
    **_each(("cholesky_inverse", "cholesky_solve"), {"L": SYMMETRIC, "input": SYMMETRIC}),
    **_each(("linalg.cholesky", "linalg.cholesky_ex", "linalg.eigh", "linalg.eigvalsh"), {"A": SYMMETRIC}),
    "linalg.householder_product": {"tau": "torch.rand(3)"}, "ormqr": {"tau": "torch.rand(3)"},
    "linalg.tensorinv": {"A": "torch.eye(6).reshape(6, 2, 3)"},
    "linalg.tensorsolve": {"B": VECTOR},
    "linalg.solve_triangular": {"A": "torch.eye(3)"}, "triangular_solve": {"A": "torch.eye(3)"},
    "stft": {"input": "torch.rand(16)", "window": "torch.ones(4)"},
    "istft": {"input": "torch.complex(torch.rand(3, 9), torch.zeros(3, 9))", "window": "torch.ones(4)"},
    "trapezoid": {"x": VECTOR}, "cumulative_trapezoid": {"x": VECTOR},
    "igamma": {}, "svd_lowrank": {"M": ""},
    "Tensor.T": {}, "linalg.lstsq": {}, "tensordot": {}, "multinomial": {},
}  # fmt: skip

# key: required parameters, and others without which it makes no sense
PARAMS: dict[str, dict[str, Literal]] = {
    "einsum": {"equation": "ij,jk->ik"}, "Tensor.__getitem__": {"index": "0, :"}, "Tensor.view": {"shape": (9,)},
    "Tensor.expand": {"size": (2, 3, 3)}, "broadcast_to": {"size": (2, 3, 3)}, "Tensor.repeat": {"repeats": (2, 1)},
    "Tensor.sum_to_size": {"size": (1, 3)}, "reshape": {"shape": (9,)}, "permute": {"dims": (1, 0)},
    "movedim": {"source": 0, "destination": 1}, "unflatten": {"sizes": (3, 1)}, "tile": {"dims": (2, 1)},
    "as_strided": {"size": (2, 2), "stride": (1, 2)}, "as_strided_scatter": {"size": (3,), "stride": (1,)},
    "Tensor.unfold": {"dimension": 0, "size": 2, "step": 1}, "narrow": {"length": 2, "start": 0},
    "tensor_split": {"indices_or_sections": 3}, "hsplit": {"indices_or_sections": 3},
    "split": {"split_size_or_sections": 1},
    "vsplit": {"indices_or_sections": (1, 2)}, "dsplit": {"indices_or_sections": 3}, "chunk": {"chunks": 3},
    "transpose": {"dim1": 1}, "linalg.diagonal": {}, "unravel_index": {"shape": (4, 4)}, "roll": {"shifts": 1,
    "dims": 0},
    "scatter_reduce": {"reduce": "sum"}, "polygamma": {"n": 1}, "stft": {"n_fft": 4, "return_complex": True},
    "istft": {"n_fft": 4}, "linalg.tensorinv": {"ind": 1}, "linalg.solve_triangular": {"upper": True},
    "F.pad": {"pad": (1, 1)}, "randint_like": {"low": 0, "high": 5}, "renorm": {"p": 2.0, "maxnorm": 1.0},
    "tensordot": {"dims": 1}, "mvlgamma": {"p": 1},
    f"{_F}interpolate": {"size": 3}, f"{_F}pad": {"pad": (1, 1)}, f"{_F}layer_norm": {"normalized_shape": (3,)},
    f"{_F}rms_norm": {"normalized_shape": (3,)}, f"{_F}group_norm": {"num_groups": 2},
    f"{_F}affine_grid": {"size": (1, 1, 4, 4)}, f"{_F}fold": {"output_size": (4, 4), "kernel_size": 2},
    f"{_F}local_response_norm": {"size": 2}, f"{_F}channel_shuffle": {"groups": 2},
    f"{_F}threshold": {"threshold": 0.1, "value": 0.0},
    f"{_F}pixel_shuffle": {"upscale_factor": 2}, f"{_F}pixel_unshuffle": {"downscale_factor": 2}, "lu_solve": {},
    **{f"{_F}{name}{n}d": {"kernel_size": 2} for name in ("max_pool", "avg_pool", "max_unpool") for n in (1, 2, 3)},
    **{f"{_F}lp_pool{n}d": {"kernel_size": 2, "norm_type": 2.0} for n in (1, 2, 3)},
    **{f"{_F}fractional_max_pool{n}d": {"kernel_size": 2, "output_size": 3} for n in (2, 3)},
    **{f"{_F}instance_norm": {}, f"{_F}batch_norm": {"training": True}}, f"{_F}unfold": {"kernel_size": 2},
}  # fmt: skip
BY_KIND: dict[str, Literal] = {
    "int": 1, "float": 0.5, "number": 1.0, "dim": 0, "dims": (0,), "shape": (3, 3), "ints": 1, "dtype": "float64",
    "bool": True,
}  # fmt: skip


def plain(key: str) -> str:
    """The key under which the tables above have this operation: that of the plain one for an in-place method."""
    return key.removeprefix("Tensor.").removesuffix("_") if key.endswith("_") and not key.endswith("__") else key


NEEDS_DIM = [(name, "keepdim") for name in ("sum", "mean", "max", "min", "prod", "median", "nanmedian")]


def sample(entry: Entry, **more: Literal) -> Operation:
    """The entry as a node with what it needs; names of outputs are as many as there will be for three rows."""
    given = dict(PARAMS.get(plain(entry.key), {}))
    for param in entry.params:
        if param.required and param.name not in given:
            given[param.name] = param.choices[0] if param.kind == "choice" else BY_KIND[param.kind]
    given |= more
    params = tuple((param.name, given.pop(param.name)) for param in entry.params if param.name in given)
    assert not given, f"{entry.key} has no {given}"
    names = ("a", "b", "c") if entry.many else ()
    return Operation(
        1, entry.key, (None,) * (3 if entry.key == "meshgrid" else 2 if entry.many == "inputs" else 1), params, names
    )


def value(kind: str, literal: Literal) -> str:
    """A parameter as Python."""
    return f"torch.{literal}" if kind == "dtype" and literal is not None else repr(literal)


def written(entry: Entry, operation: Operation, *, all_ports: bool = True, name: str = "") -> str:
    """The call, in the style of the entry, or by another name."""
    ports = {port.name: port for port in entry.ports}
    given, words = dict(operation.params), []
    behind = False  # something was left out, so what follows needs its name
    for each in entry.order:
        port, param = ports.get(each), entry.param(each)
        if port is not None:
            tensor = PORTS.get(plain(entry.key), {}).get(each, NAMED.get(each, SQUARE))
            if port.optional and not (all_ports and tensor):
                words += [f"{each}=None"] if port.explicit else []
                behind = True
                continue
            count = len(operation.inputs) if entry.many == "inputs" else 2
            text = ", ".join([tensor] * count) if port.variadic else tensor
            text = f"[{text}]" if port.variadic and not port.spread else text
            behind = behind or port.keyword_only
            words.append(f"{each}={text}" if behind else text)
        elif param is not None and each in given:
            literal = given[each]
            if param.spread:
                words += [repr(one) for one in literal] if isinstance(literal, tuple) else [repr(literal)]
            else:
                behind = behind or param.keyword_only
                text = value(param.kind, literal)
                words.append(f"{each}={text}" if behind or not (param.positional or param.required) else text)
                behind = behind or not (param.positional or param.required)
        else:
            behind = True
    if name.startswith("Tensor."):
        return f"({words[0]}).{name.removeprefix('Tensor.')}({', '.join(words[1:])})"
    return f"torch.{name}({', '.join(words)})" if name else _styled(entry, words, given)


def _styled(entry: Entry, words: list[str], given: dict[str, Literal]) -> str:
    if entry.style == "index":
        return f"({words[0]})[{given['index']}]"
    if entry.style == "attribute":
        return f"({words[0]}).{entry.name}"
    if entry.style == "method":
        return f"({words[0]}).{entry.name}({', '.join(words[1:])})"
    if entry.style == "operator" and not given:
        return f"({words[0]}) {entry.operator} ({words[1]})" if len(words) > 1 else f"{entry.operator}({words[0]})"
    return f"torch.{entry.key}({', '.join(words)})"


def variants(entry: Entry) -> Iterator[tuple[Operation, bool]]:
    """The entry with all ports, with those that it needs, and with each choice and each default written out."""
    yield sample(entry), True
    if any(port.optional for port in entry.ports) and plain(entry.key) != "clamp":  # which needs one of the two
        yield sample(entry), False
    for param in entry.params:
        for choice in param.choices if param.kind == "choice" and entry.key != f"{_F}interpolate" else ():
            yield sample(entry, **{param.name: choice}), True
        left_out = param.required or param.default is None or param.name in PARAMS.get(plain(entry.key), {})
        if not left_out and (entry.key, param.name) not in NEEDS_DIM:
            yield sample(entry, **{param.name: param.default}), True


def run(torch: Any, text: str) -> Any:
    """What the call gives."""
    torch.manual_seed(0)
    return eval(text, {"torch": torch, "inf": float("inf")})
