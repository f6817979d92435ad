"""How a recorded operation is called in a drawing: most have a function of the same name with the same operands; others
have a row here. What has neither can't be drawn. `from_trace` makes a drawing of them all."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np

from gradviz.document.catalogue import Entry, catalogue
from gradviz.document.drawing import Literal, Number, Operand, Ref

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

Params = dict[str, Literal]
OF_OTHER_PLACES = ("{}", "nn.functional.{}", "Tensor.{}", "linalg.{}", "special.{}", "fft.{}")


@dataclass(frozen=True)
class Form:
    """How a recorded operation is written: `ports` are the catalogue's names for its operands in order; `params`
    renames parameters, "" leaves one out; `change` converts them, returning None if it can't be written."""

    key: str
    ports: tuple[str, ...] = ()
    params: Mapping[str, str] = field(default_factory=dict)
    change: Callable[[Params, Trace, int], Params | None] | None = None


@dataclass(frozen=True)
class Call:
    """An operation as in a drawing; its outputs are the recorded ones in order."""

    key: str
    inputs: tuple[Operand, ...]
    params: tuple[tuple[str, Literal], ...]


def _index_of_select(params: Params, trace: Trace, node: int) -> Params | None:
    return {"index": ":, " * _whole(params["dim"]) + str(params["index"])}


def _index_of_slice(params: Params, trace: Trace, node: int) -> Params | None:
    dim = _whole(params["dim"])
    size = trace.tensors.shape[trace.slots_of(node)[0]][dim]
    start, end, step = params.get("start", 0), params.get("end", size), params.get("step", 1)
    stop = "" if isinstance(end, int) and end >= size else str(end)
    part = f"{start or ''}:{stop}" + (f":{step}" if step != 1 else "")
    return {"index": ":, " * dim + part}


def _whole(value: Literal) -> int:
    return value if isinstance(value, int) else 0


def _to_dtype(params: Params, trace: Trace, node: int) -> Params | None:
    return {"dtype": str(trace.tensors.dtype[int(trace.outputs_of(node)[0])])}


def _without_defaults(params: Params, trace: Trace, node: int) -> Params | None:
    """Complete a pooling: without a stride it takes its kernel's size."""
    return {name: value for name, value in params.items() if value != ()}


def _plain_elu(params: Params, trace: Trace, node: int) -> Params | None:
    """Accept only the plain ELU, not its relatives with other scales."""
    return params if params.get("scale") == params.get("input_scale") == 1 else None


def _not_transposed(params: Params, trace: Trace, node: int) -> Params | None:
    return None if params.get("transposed") else {name: params[name] for name in params if name != "transposed"}


_POOL = {"kernel_size": "kernel_size"}
_CONV = ("input", "weight", "bias")
_NORM = ("input", "weight", "bias", "running_mean", "running_var")
FORMS: dict[str, Form] = {
    "rsub": Form("sub", ("other",), {"other": "input"}),
    "rsub_tensor": Form("sub", ("other", "input")),
    "_unsafe_view": Form("reshape", (), {"size": "shape"}),
    "_reshape_alias": Form("reshape", (), {"size": "shape"}),
    "view": Form("Tensor.view", (), {"size": "shape"}),
    **{name: Form("matmul") for name in ("mm", "mv", "bmm", "dot")},  # as a person writes it
    "alias": Form("Tensor.view_as", ("input", "other")),
    "select": Form("Tensor.__getitem__", change=_index_of_select),
    "slice": Form("Tensor.__getitem__", change=_index_of_slice),
    "_to_copy": Form("Tensor.to", change=_to_dtype),
    "linalg_vector_norm": Form("linalg.vector_norm"),
    "native_layer_norm": Form("nn.functional.layer_norm", _CONV),
    "native_group_norm": Form("nn.functional.group_norm", _CONV, {"group": "num_groups"}),
    "elu": Form("nn.functional.elu", (), {"scale": "", "input_scale": ""}, _plain_elu),
    "_scaled_dot_product_flash_attention_for_cpu": Form("nn.functional.scaled_dot_product_attention"),
    "native_batch_norm": Form("nn.functional.batch_norm", _NORM),
    "max_pool2d_with_indices": Form("nn.functional.max_pool2d", (), _POOL, _without_defaults),
    "max_pool3d_with_indices": Form("nn.functional.max_pool3d", (), _POOL, _without_defaults),
    "avg_pool2d": Form("nn.functional.avg_pool2d", (), {}, _without_defaults),
    "avg_pool3d": Form("nn.functional.avg_pool3d", (), {}, _without_defaults),
    "_adaptive_avg_pool2d": Form("nn.functional.adaptive_avg_pool2d"),
    "_adaptive_avg_pool3d": Form("nn.functional.adaptive_avg_pool3d"),
    "embedding": Form("nn.functional.embedding", ("weight", "input"), {"sparse": "", "padding_idx": ""}),
    "constant_pad_nd": Form("nn.functional.pad"),
    "_prelu_kernel": Form(""),  # its weight has a different shape from the one in code
    "log_sigmoid": Form("nn.functional.logsigmoid"),
    "_safe_softmax": Form("nn.functional.softmax"),
    "softmax": Form("nn.functional.softmax"),
    "log_softmax": Form("nn.functional.log_softmax"),
    "_conj": Form("conj"),
    "linalg_inv_ex": Form("linalg.inv"),
    "_linalg_det": Form("linalg.det"),
    "linalg_cholesky_ex": Form("linalg.cholesky"),
    "masked_fill_tensor": Form("masked_fill", ("input", "mask", "value")),
}


def translate(trace: Trace, node: int, operand: Callable[[int], Ref]) -> Call | None:
    """Return a recorded operation as in a drawing; None if it can't be drawn."""
    op = str(trace.nodes.op[node])
    form = OTHERWISE[op](trace, node) if op in OTHERWISE else FORMS.get(op) or _same_name(op)
    entry = catalogue().get(form.key) if form is not None else None
    if form is None or entry is None:
        return None
    params: Params | None = parameters(str(trace.nodes.params[node]))
    if form.change is not None and params is not None:
        params = form.change(params, trace, node)
    if params is None:
        return None
    inputs = _operands(trace, node, entry, form, operand)
    return _call(entry, form, inputs, params) if inputs is not None else None


def _same_name(op: str) -> Form | None:
    known = catalogue()
    plain = op.removesuffix("_")
    names = [place.format(plain) for place in OF_OTHER_PLACES]
    names += [plain.replace("_", ".", 1)] if plain.startswith(("linalg_", "special_", "fft_")) else []
    key = next((name for name in names if name in known), None)
    return None if key is None else Form(key)


def _convolution(trace: Trace, node: int) -> Form | None:
    dims = len(trace.tensors.shape[trace.slots_of(node)[0]]) - 2
    turned = "transposed=True" in str(trace.nodes.params[node])
    if turned:
        return Form(f"nn.functional.conv_transpose{dims}d", _CONV, {"transposed": ""})
    return Form(f"nn.functional.conv{dims}d", _CONV, {"output_padding": ""}, _not_transposed)


def _power(trace: Trace, node: int) -> Form | None:
    return Form("pow", ("exponent",), {"base": "input"}) if "base=" in str(trace.nodes.params[node]) else Form("pow")


def _picked(trace: Trace, node: int) -> Form | None:
    """Return a selection of rows or columns by one list of indices."""
    slots, at = trace.slots_of(node), parameters(str(trace.nodes.params[node])).get("slots")
    if not isinstance(at, tuple) or len(at) != 1 or sorted(slots) != [0, 1]:
        return None
    dim = at[0]
    one_row = len(trace.tensors.shape[slots[1]]) == 1
    return Form("index_select", ("input", "index"), change=lambda *_: {"dim": dim}) if one_row else None


OTHERWISE: dict[str, Callable[[Trace, int], Form | None]] = {
    "convolution": _convolution,
    "pow": _power,
    "index": _picked,
}


def pieces(trace: Trace, node: int, operand: Callable[[int], Ref]) -> tuple[Call, ...]:
    """Return an operation that splits a tensor as one call for each of its results; none for any other operation."""
    op, params = str(trace.nodes.op[node]), parameters(str(trace.nodes.params[node]))
    before, sizes = ":, " * _whole(params.get("dim")), params.get("sizes")
    if op == "unbind":
        parts = [str(at) for at in range(len(trace.outputs_of(node)))]
    elif op in ("split", "split_with_sizes") and isinstance(sizes, tuple):
        ends = list(accumulate(map(_whole, sizes), initial=0))
        parts = [f"{low}:{high}" for low, high in pairwise(ends)]
    else:
        return ()
    source = operand(trace.slots_of(node)[0])
    return tuple(Call("Tensor.__getitem__", (source,), (("index", before + part),)) for part in parts)


def linear_layers(trace: Trace, nodes: list[int]) -> dict[int, int]:
    """Return the products with a bias whose second matrix is transposed only for them: each is a linear layer, with the
    operation that transposes its weight."""
    uses = np.bincount(trace.inputs.tensor, minlength=len(trace.tensors))
    found = {}
    for node in nodes:
        if trace.nodes.op[node] != "addmm" or trace.nodes.params[node]:
            continue
        bias, _, turned = (trace.slots_of(node).get(slot, -1) for slot in range(3))
        maker = int(trace.tensors.producer[turned]) if turned >= 0 else -1
        if maker >= 0 and trace.nodes.op[maker] == "t" and uses[turned] == 1 and len(trace.tensors.shape[bias]) == 1:
            found[node] = maker
    return found


def linear(trace: Trace, node: int, turned: int, operand: Callable[[int], Ref]) -> Call:
    """Return such a layer as one call."""
    slots = trace.slots_of(node)
    weight = trace.slots_of(turned)[0]
    return Call("nn.functional.linear", tuple(operand(one) for one in (slots[1], weight, slots[0])), ())


def _operands(
    trace: Trace, node: int, entry: Entry, form: Form, operand: Callable[[int], Ref]
) -> dict[str, Operand] | list[Operand] | None:
    """Return the operands by port name; a list for a variadic one."""
    slots = trace.slots_of(node)
    if len(entry.ports) == 1 and entry.ports[0].variadic:
        return [operand(slots[slot]) for slot in sorted(slots)]
    names = form.ports or tuple(port.name for port in entry.ports)
    if any(slot >= len(names) for slot in slots):
        return None
    return {names[slot]: operand(tensor) for slot, tensor in slots.items()}


def _call(entry: Entry, form: Form, inputs: dict[str, Operand] | list[Operand], params: Params) -> Call | None:
    kept: Params = {}
    for name, value in params.items():
        name = form.params.get(name, name)
        port, param = entry.port(name), entry.param(name)
        if not name:
            continue
        if port is not None and port.number and isinstance(inputs, dict) and isinstance(value, int | float | complex):
            inputs[name] = Number(value)
        elif param is None:
            return None
        elif value != param.default or param.required:
            kept[name] = value
    ordered = tuple((param.name, kept[param.name]) for param in entry.params if param.name in kept)
    if any(param.required and param.name not in kept for param in entry.params):
        return None
    if isinstance(inputs, list):
        return Call(entry.key, tuple(inputs), ordered)
    places = tuple(inputs.get(port.name) for port in entry.ports)
    missing = any(place is None and not port.optional for place, port in zip(places, entry.ports, strict=True))
    return None if missing else Call(entry.key, places, ordered)


def parameters(text: str) -> Params:
    """Parse "dim=(1,), keepdim=True, reduction=mean" into values; anything but a number, list or bool is a text."""
    found: Params = {}
    for part in _parts(text):
        name, _, value = part.partition("=")
        try:
            found[name] = _frozen(ast.literal_eval(value))
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            found[name] = float(value) if value in ("inf", "-inf", "nan") else value.strip("'\"")
    return found


def _parts(text: str) -> list[str]:
    """Split at commas outside brackets."""
    found, depth, begin = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            found.append(text[begin:at].strip())
            begin = at + 1
    return [*found, text[begin:].strip()] if text.strip() else []


def _frozen(value: object) -> Literal:
    if isinstance(value, list | tuple):
        return tuple(_frozen(each) for each in value)
    return value if value is None or isinstance(value, bool | int | float | complex | str) else str(value)
