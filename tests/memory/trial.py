"""One changed call, made twice: with other canaries, other contents of fresh memory, arrays that end at a page that
nobody may touch and arrays that begin at one. What must hold: canaries stay as they are; what is returned lies in
memory that is there; nothing that is returned depends on canaries or on what fresh memory held."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import gradviz.torch as torch
from gradviz.engine.kernel.batched import BatchedArray
from gradviz.engine.kernel.tensor import Tensor
from gradviz.worker.objects.numpy_boundary import to_numpy
from tests.fuzz.choices import Choices
from tests.memory.calls import Call
from tests.memory.changes import NONE, Change
from tests.memory.fence import Fence
from tests.memory.numpy_calls import MODULES

# What shows a memory beyond the tensor that it is asked of, as in PyTorch.
SHOW_MEMORY = frozenset("as_strided as_strided_ as_strided_copy as_strided_scatter set_ resize_ resize_as_".split())
FORMS = ("as it is", "as it is", "in place", "out=", "vmap")
FILLS = ((0x5A, True), (0xC3, False))
MOST_COMPARED = 1 << 20


@dataclass
class Outcome:
    """What came of a call: the error that refused it, or the bytes of its results."""

    error: BaseException | None = None
    found: list[Any] = field(default_factory=list)


class Finding(AssertionError):
    """Something that must not be."""


def try_call(call: Call, data: bytes, fence: Fence) -> str:
    """Make the call, changed as `data` says; "returned" or the name of the error that refused it."""
    outcomes = [_once(call, data, fence, *fill) for fill in FILLS]
    first, second = outcomes
    for each in outcomes:
        if isinstance(each.error, MemoryError):
            raise each.error
    if type(first.error) is not type(second.error):
        raise Finding(f"{first.error!r} with one canary, {second.error!r} with another")
    if call.name.rpartition(".")[2] not in SHOW_MEMORY:
        for one, other in zip(first.found, second.found, strict=True):
            if one != other:
                raise Finding("the result depends on canaries or on what fresh memory held")
    return "returned" if first.error is None else type(first.error).__name__


def described(call: Call, data: bytes) -> str:
    """The changed call as text."""
    choices = Choices(data)
    form, change = choices.of(FORMS), Change(choices, 0)
    args, keywords = change.made(call.args), change.made(call.keywords)
    layouts = ", ".join(str(each.strides) for each in arrays_in([args, keywords]))
    return f"{Call(call.name, args, keywords, call.function)!r} {form}; strides {layouts}"[:2000]


def _once(call: Call, data: bytes, fence: Fence, fill: int, at_end: bool) -> Outcome:
    fence.fill, fence.at_end = fill, at_end
    torch.manual_seed(0)
    MODULES["numpy.random"].seed(0)
    choices = Choices(data)
    form, change = choices.of(FORMS), Change(choices, fill)
    args, keywords = change.made(call.args), change.made(call.keywords)
    outcome = Outcome()
    results: list[Any] = []
    outs: list[tuple[Tensor, Any]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = _run(call, form, args, keywords, choices, outs)
            results = arrays_in(found)
            if change.gradients != NONE:
                found = gradients(tensors_in(found), [arena.tensor for arena in change.arenas])
                results += arrays_in(found)
        except SystemError as error:
            raise Finding(f"a C function of NumPy went wrong: {error}") from error
        except Exception as error:  # noqa: BLE001  whatever it is, it is a refusal
            outcome.error = error
    resized = [before for out, before in outs if out._data.shape != before.shape]
    for arena in change.arenas:
        if not arena.is_unharmed(resized):
            raise Finding("memory beside a tensor was written to")
    for each in [*results, *arrays_in([args, keywords])]:
        check_place(each)
    outcome.found = [_bytes(each) for each in results]
    return outcome


def _run(call: Call, form: str, args: Any, keywords: Any, choices: Choices, outs: list[tuple[Tensor, Any]]) -> Any:
    """Make the call in this form. An `out` is noted with where it lay."""
    function = call.function
    given = tensors_in(args)
    if call.is_of_numpy:
        return function(*args, **keywords)
    if form == "in place" and call.name.startswith("Tensor."):
        function = getattr(Tensor, f"{call.name.removeprefix('Tensor.')}_", function)
    if form == "out=" and call.name.startswith("torch."):
        out = _out(given, choices)
        outs.append((out, out._data))
        keywords = {**keywords, "out": out}
    if form == "vmap" and given and isinstance(args[0], Tensor) and args[0].ndim:
        return torch.vmap(lambda one: function(one, *args[1:], **keywords))(args[0])
    with torch.no_grad() if form == "out=" else torch.enable_grad():
        return function(*args, **keywords)


def _out(given: list[Tensor], choices: Choices) -> Tensor:
    kind = choices.number(5)
    if not given or kind == 0:
        return torch.empty(0)
    if kind == 1:
        return given[0].detach()
    if kind == 2:
        return given[0].detach().reshape(-1)[1:]
    if kind == 3:
        return given[0].detach().t() if given[0].ndim < 3 else given[0].detach()
    return torch.zeros(1).expand(3, 2)


def gradients(results: list[Tensor], inputs: list[Tensor]) -> list[Tensor]:
    """The gradients of the results with respect to those inputs that want one, and the gradients of these."""
    wanted = [each for each in inputs if each.requires_grad]
    found: list[Tensor] = []
    for _ in range(2):
        total = [each.sum() for each in results if each.requires_grad and each.numel() < MOST_COMPARED]
        if not total or not wanted:
            break
        root = sum(total[1:], total[0]).abs()
        found += torch.autograd.grad(root, wanted, retain_graph=True, allow_unused=True)
        results = torch.autograd.grad(root, wanted, create_graph=True, allow_unused=True, materialize_grads=True)
    return [each for each in found if each is not None]


def check_place(array: Any) -> None:
    """The elements of an array lie in the memory of the array, or of the buffer, that owns it."""
    owner = array
    while owner.base is not None and not owner.flags.owndata:
        below = owner.base
        while not isinstance(below, np.ndarray) and getattr(below, "base", None) is not None:
            below = below.base
        if not isinstance(below, np.ndarray):
            break
        owner = below
    if not array.size:
        return
    low, high = np.lib.array_utils.byte_bounds(array)
    first, last = np.lib.array_utils.byte_bounds(owner) if owner.size else (0, 0)
    if not first <= low <= high <= last:
        raise Finding(f"an array of {array.shape} with strides {array.strides} lies outside of its memory")


def arrays_in(value: Any) -> list[Any]:
    """The data of the tensors, and the arrays, in nested lists, tuples and dicts."""
    if isinstance(value, np.ndarray):
        array = to_numpy(value)
        return [array] if isinstance(array, np.ndarray) else []
    if isinstance(value, Tensor):
        found = value._data.phys if isinstance(value._data, BatchedArray) else value._data  # of a tensor in vmap
        if type(found) is not np.ndarray:
            raise Finding(f"a tensor's data is no array but {type(found).__name__}")
        return [found]
    return [found for each in _items(value) for found in arrays_in(each)]


def tensors_in(value: Any) -> list[Tensor]:
    """The tensors in nested lists, tuples and dicts."""
    if isinstance(value, Tensor):
        return [value]
    return [found for each in _items(value) for found in tensors_in(each)]


def _items(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, list):
        return list(list.__getitem__(value, slice(None)))
    return list(value) if isinstance(value, tuple) else []


def _bytes(array: Any) -> Any:
    if array.size > MOST_COMPARED:
        return array.shape, array.dtype.name
    return array.shape, array.dtype.name, array.tobytes()
