"""One sample of `op_db` looked at on both sides, PyTorch's and ours: what is compared, and how near it has to be.
`compare_op_db.py` says which samples, and counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from tests.engine.record_ops import saved_tensors

DIFFERENTIABLE = ("float64", "float32", "complex128", "bfloat16", "float16")
NEAR = {"float64": 1e-7, "complex128": 1e-7, "float32": 1e-4, "complex64": 1e-4, "bfloat16": 2e-2, "float16": 2e-3}
Problem = str | None


@dataclass(frozen=True)
class Side:
    """A torch, and what makes an argument of PyTorch's into one of its own."""

    torch: Any
    convert: Callable[[Any], Any]

    def call(self, name: str, sample: Any) -> Any:
        self.torch.manual_seed(7)
        args, kwargs = self.convert([[sample.input, *sample.args], dict(sample.kwargs)])
        tensors = [each for each in leaves(self.torch, [args, kwargs]) if each.requires_grad]
        return tensors, resolved(self.torch, name)(*args, **kwargs)


def resolved(torch: Any, name: str) -> Callable[..., Any]:
    """The function of that name: torch.name, or the method of a tensor."""
    found = torch
    for part in name.split("."):
        found = getattr(found, part, None)
        if found is None:
            break
    if callable(found) and not isinstance(found, type | torch.dtype):
        return found
    attribute = getattr(torch.Tensor, name)
    return attribute if callable(attribute) else lambda tensor: getattr(tensor, name)


def converted(value: Any, known: dict[int, Any] | None = None) -> Any:
    """A value of PyTorch's as one of ours: tensors keep dtype, strides and requires_grad,
    and what is one tensor stays one (`known`)."""
    known = {} if known is None else known
    import torch

    import gradviz.torch as own

    if isinstance(value, torch.Tensor):
        if id(value) not in known:
            known[id(value)] = own_tensor(own, torch, value)
        return known[id(value)]
    if isinstance(value, torch.dtype | torch.memory_format | torch.layout):
        return getattr(own, str(value).removeprefix("torch."))
    if isinstance(value, torch.device):
        return own.device(str(value))
    if isinstance(value, torch.Size):
        return own.Size(value)
    if isinstance(value, slice):
        return slice(*(converted(each, known) for each in (value.start, value.stop, value.step)))
    if isinstance(value, dict):
        return {key: converted(each, known) for key, each in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(converted(each, known) for each in value))
    if isinstance(value, tuple | list):
        return type(value)(converted(each, known) for each in value)
    if isinstance(value, torch.nn.Module):
        return own_module(own, value)
    name = getattr(value, "__name__", "")
    return getattr(own.nn.functional, name) if name and getattr(torch.nn.functional, name, None) is value else value


def own_module(own: Any, value: Any) -> Any:
    """A module of PyTorch's as one of ours: its settings, parameters, buffers and the modules in it."""
    import torch

    cls = getattr(own.nn, type(value).__name__, None) or getattr(own.nn.modules.linear, type(value).__name__)
    made = cls.__new__(cls)
    own.nn.Module.__init__(made)
    for name, each in vars(value).items():
        if name not in vars(torch.nn.Module()):
            setattr(made, name, converted(each))
    for name, each in value._parameters.items():
        made.register_parameter(name, None if each is None else own.nn.Parameter(converted(each)))
    for name, each in value._buffers.items():
        made.register_buffer(name, converted(each))
    for name, each in value._modules.items():
        made.add_module(name, converted(each))
    return made


def own_tensor(own: Any, torch: Any, value: Any) -> Any:
    """A tensor of ours over a copy of the whole memory that a tensor of PyTorch's looks at."""
    plain = value.detach().resolve_conj().resolve_neg()
    offset, memory = plain.storage_offset(), torch.empty(0, dtype=plain.dtype).set_(plain.untyped_storage())
    if memory.numel() > 64 * max(plain.numel(), 1):
        plain = plain.clone()
        offset, memory = 0, torch.empty(0, dtype=plain.dtype).set_(plain.untyped_storage())
    array = _as_array(torch, memory).copy()
    steps = [step * array.itemsize for step in plain.stride()]
    seen = np.lib.stride_tricks.as_strided(array[offset:], tuple(plain.shape), steps) if plain.numel() else None
    if seen is None:
        seen = np.zeros(tuple(plain.shape), array.dtype)
    return own.from_numpy(seen).requires_grad_(value.requires_grad)


def _as_array(torch: Any, memory: Any) -> Any:
    if memory.dtype is torch.bfloat16:
        return memory.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return memory.numpy()


def leaves(torch: Any, value: Any) -> list[Any]:
    """The tensors in nested tuples, lists and dicts, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for each in value for leaf in leaves(torch, each)] if isinstance(value, tuple | list) else []


def plain(value: Any, known: bool = True) -> Any:
    """A result without tensors: what both sides can be compared by. Where the values are not `known`, they are what
    memory happened to hold."""
    if hasattr(value, "detach") and not known:
        return (str(value.dtype), tuple(value.shape), np.zeros(tuple(value.shape)))
    if hasattr(value, "detach"):
        tensor = value.detach().resolve_conj().resolve_neg()
        if str(tensor.dtype) == "torch.complex32":  # NumPy has no such numbers
            return (str(tensor.dtype), tuple(tensor.shape), np.zeros(tuple(tensor.shape)))
        wide = tensor.float() if str(tensor.dtype) in ("torch.bfloat16", "torch.float16") else tensor
        return (str(tensor.dtype), tuple(tensor.shape), np.asarray(wide.numpy(force=True)))
    if isinstance(value, tuple | list):
        return [plain(each, known) for each in value]
    number = isinstance(value, int | float | complex | bool)
    return ("value", type(value).__name__, value if number else str(value))


def difference(theirs: Any, ours: Any) -> Problem:
    """What differs between two plain results, in a few words."""
    if isinstance(theirs, list) or isinstance(ours, list):
        if type(theirs) is not type(ours) or len(theirs) != len(ours):
            return f"structure {_outline(theirs)} but ours {_outline(ours)}"
        found = [difference(a, b) for a, b in zip(theirs, ours, strict=True)]
        return next((f"[{i}] {each}" for i, each in enumerate(found) if each), None)
    if theirs[:2] != ours[:2]:
        return f"{theirs[:2]} but ours {ours[:2]}"
    if theirs[0] == "value":
        same = theirs[2] == ours[2] if isinstance(theirs[2], str) else np.allclose(theirs[2], ours[2], equal_nan=True)
        return None if same else f"{theirs[2]} but ours {ours[2]}"
    near = NEAR.get(theirs[0].removeprefix("torch."), 0)
    if np.allclose(ours[2], theirs[2], rtol=near, atol=near, equal_nan=True):
        return None
    return f"{theirs[0]} {theirs[1]} {_numbers(theirs[2])} but ours {_numbers(ours[2])}"


def _outline(value: Any) -> str:
    return f"{len(value)} results" if isinstance(value, list) else str(value[:2])


def _numbers(array: Any) -> str:
    return np.array2string(np.asarray(array).reshape(-1)[:6], precision=5, separator=",").replace("\n", "")


def compared(theirs: Side, ours: Side, info: Any, sample: Any) -> Iterator[tuple[str, Problem]]:
    """Each check of one sample with what differs, or None."""
    try:
        inputs, result = theirs.call(info.name, sample)
    except Exception:  # noqa: BLE001  the function of that name does not take the sample: PyTorch's table wraps it
        return
    try:
        own = ours.call(info.name, sample)
        plain(own[1])
    except Exception as error:
        if isinstance(error, TimeoutError):
            raise
        yield "forward", f"raises {type(error).__name__}: {error}"
        return
    known = not info.name.removeprefix("new_").startswith("empty")
    yield from outputs_compared(theirs, ours, (inputs, result), own, known)


def outputs_compared(
    theirs: Side, ours: Side, ask: Any, own_ask: Any, known: bool = True
) -> Iterator[tuple[str, Problem]]:
    """Each check of one result, (inputs, result), with what differs, or None."""
    problem = difference(plain(ask[1], known), plain(own_ask[1], known))
    yield "forward", problem
    if problem:
        return
    outputs, own_outputs = leaves(theirs.torch, ask[1]), leaves(ours.torch, own_ask[1])
    steps = [[each.stride() for each in outs] for outs in (outputs, own_outputs)]
    yield "strides", None if steps[0] == steps[1] else f"{steps[0]} but ours {steps[1]}"
    names = [[each.grad_fn and each.grad_fn.name() for each in outs] for outs in (outputs, own_outputs)]
    if any(each.requires_grad for each in [*outputs, *own_outputs]):
        yield "names", None if names[0] == names[1] else f"{names[0]} but ours {names[1]}"
        if names[0] == names[1]:
            yield "saved", _saved_difference(theirs, ours, outputs, own_outputs)
        yield from _gradients_compared(theirs, ours, (ask[0], outputs), (own_ask[0], own_outputs))


def _saved_difference(theirs: Side, ours: Side, outputs: list[Any], own_outputs: list[Any]) -> Problem:
    for out, own in zip(outputs, own_outputs, strict=True):
        if out.grad_fn is not None:
            kept = saved_tensors(theirs.torch, out.grad_fn), saved_tensors(ours.torch, own.grad_fn)
            if kept[0] != kept[1]:
                return f"{out.grad_fn.name()} keeps {kept[0]} but ours {kept[1]}"
    return None


def _weights(torch: Any, tensors: list[Any], shift: int) -> list[Any]:
    made = []
    for tensor in tensors:
        flat = np.array([((5 * i + shift) % 13 - 6) / 4 for i in range(tensor.numel())], np.float64)
        weight = torch.from_numpy(flat.reshape(tuple(tensor.shape)))
        made.append((weight * (1 + 0.5j) if tensor.dtype.is_complex else weight).to(tensor.dtype))
    return made


def _gradients_compared(theirs: Side, ours: Side, ask: Any, own_ask: Any) -> Iterator[tuple[str, Problem]]:
    """The gradient of the weighted outputs, then the gradient of that."""
    for check, shift in (("gradient", 0), ("second", 3)):
        found, own_found = _graded(theirs.torch, *ask, shift), _graded(ours.torch, *own_ask, shift)
        if isinstance(found, str) and check == "second" and isinstance(own_found, str):
            return
        if isinstance(found, str):
            if "not implemented" in found or "not differentiable" in found or isinstance(own_found, str):
                yield check, None if found == own_found else f"{found} but ours {own_found}"
            return
        problem = own_found if isinstance(own_found, str) else _several(found, own_found)
        yield check, problem
        if problem:
            return
        ask, own_ask = (
            (ask[0], [g for g in found if g is not None]),
            (own_ask[0], [g for g in own_found if g is not None]),
        )
        if not any(g.requires_grad for g in ask[1]):
            return


def _graded(torch: Any, inputs: list[Any], outputs: list[Any], shift: int) -> Any:
    tracked = [each for each in outputs if each.requires_grad]
    if not tracked:
        return "nothing requires grad"
    try:
        return torch.autograd.grad(
            tracked, inputs, _weights(torch, tracked, shift), create_graph=True, allow_unused=True
        )
    except TimeoutError:
        raise
    except Exception as error:  # noqa: BLE001  the message is what is compared
        return f"raises {type(error).__name__}: {error}"


def _several(theirs: Any, ours: Any) -> Problem:
    for i, (a, b) in enumerate(zip(theirs, ours, strict=True)):
        if a is None or b is None:
            if a is not b and not _zero(a if b is None else b):
                return f"input {i}: {'no gradient' if a is None else 'a gradient'} but ours the other way"
        elif problem := difference(plain(a), plain(b)):
            return f"input {i}: {problem}"
    return None


def _zero(tensor: Any) -> bool:
    return not bool((tensor != 0).any())


def inplace_compared(theirs: Side, ours: Side, info: Any, sample: Any) -> Iterator[tuple[str, Problem]]:
    """The in-place method of an operator on a copy of its input."""
    name = getattr(info.inplace_variant, "__name__", "")
    if not hasattr(theirs.torch.Tensor, name) or not isinstance(sample.input, theirs.torch.Tensor):
        return
    seen = []
    for side in (theirs, ours):
        try:
            side.torch.manual_seed(7)
            target = side.convert(sample.input).clone()
            kwargs = {key: side.convert(value) for key, value in sample.kwargs.items()}
            getattr(target, name)(*(side.convert(each) for each in sample.args), **kwargs)
            seen.append([plain(target), ("value", "name", str(target.grad_fn and target.grad_fn.name()))])
        except Exception as error:  # noqa: BLE001  the message is what is compared
            seen.append(f"raises {type(error).__name__}: {error}")
    if isinstance(seen[0], str) or isinstance(seen[1], str):
        yield "inplace", None if _same_error(*seen) else f"{name}: {_short(seen[0])} but ours {_short(seen[1])}"
    elif seen[0][1] != seen[1][1]:
        yield "inplace", f"{name}: {seen[0][1][2]} but ours {seen[1][1][2]}"
    else:
        problem = difference(seen[0][0], seen[1][0])
        yield "inplace", problem and f"{name}: {problem}"


def _same_error(a: Any, b: Any) -> bool:
    return isinstance(a, str) and isinstance(b, str) and a.splitlines()[0] == b.splitlines()[0]


def _short(seen: Any) -> str:
    return seen.splitlines()[0] if isinstance(seen, str) else "a result"


def errors_compared(theirs: Side, ours: Side, info: Any, sample: Any) -> Problem:
    """Whether a wrong call says the same on both sides: the type and the first line of the message."""
    said = []
    for side in (theirs, ours):
        try:
            side.call(info.name, sample)
            said.append("a result")
        except Exception as error:  # noqa: BLE001  the message is what is compared
            said.append(f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}")
    return None if said[0] == said[1] else f"{said[0]} but ours {said[1]}"
