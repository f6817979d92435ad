"""What functions return: the named tuples of some (`torch.return_types.max(values=…, indices=…)`), and what `out=` may
be: its element type, and whether it may lie in the memory of an operand. Each refusal in PyTorch's words; who gives the
result to `out` is `api.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine import dtypes
from gradviz.engine.memory import repeated
from gradviz.engine.tensor import Tensor
from gradviz.engine.words import WRITTEN_TWICE


class _Named(tuple):  # type: ignore[type-arg]
    """A tuple with names that prints over several lines, as PyTorch's structured results do."""

    fields: tuple[str, ...] = ()
    title = ""

    def __new__(cls, *values: Any) -> Any:
        return tuple.__new__(cls, values)

    def __getattr__(self, name: str) -> Any:
        if name in self.fields:
            return self[self.fields.index(name)]
        raise AttributeError(f"'torch.return_types.{self.title}' object has no attribute '{name}'")

    def __repr__(self) -> str:
        body = ",\n".join(f"{name}={value!r}" for name, value in zip(self.fields, self, strict=True))
        return f"torch.return_types.{self.title}(\n{body})"


RETURN_TYPES: dict[str, type[_Named]] = {}


def return_type(name: str, fields: tuple[str, ...] = ("values", "indices")) -> type[_Named]:
    """The class for the results of one function, made when first asked for."""
    found = RETURN_TYPES.get(name)
    if found is None:
        shown = {"fields": fields, "title": name, "__module__": "torch.return_types"}
        found = RETURN_TYPES[name] = type(name, (_Named,), shown)
    return found


# Functions whose result has one element type and no other, and what they say of another one.
_EXACT = frozenset(
    """mm bmm addmm baddbmm mv matmul gather max min sort argmax argmin softmax log_softmax tril triu norm aminmax
    kthvalue topk""".split()
)
_WORDS = {
    "index_select": "index_select(): self and result must have the same scalar type",
    "masked_select": "masked_select(): self and result must have the same scalar type",
    "take": "take(): self and out expected to have the same dtype, but got self.dtype = {0} and out.dtype = {1}",
    "where": "Expected out type to be {0} but got {1}",
    "amax": "Expected the dtype for input and out to match, but got {0} for input's dtype and {1} for out's dtype.",
    "multinomial": "multinomial expects {0} tensor out, got: {1}",
}
_WORDS["amin"] = _WORDS["amax"]
# Functions that read their operands while they write.
_APART = frozenset("gather take masked_select kthvalue cat concat concatenate".split())
_SHARED = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
    "location. Please clone() the tensor before performing the operation."
)


def check_out(name: str, out: Any, found: Tensor, operands: Any) -> None:
    """Refuse one tensor that was given as `out=`."""
    made, given = found.dtype, out.dtype
    if made is not given:
        if name in _WORDS:
            raise RuntimeError(_WORDS[name].format(made.title, given.title))
        if name in _EXACT:
            raise RuntimeError(f"Expected out tensor to have dtype {made.cpp}, but got {given.cpp} instead")
        if name in ("cat", "concat", "concatenate") and not dtypes.can_cast(made, given):
            raise TypeError(f"torch.cat(): input types can't be cast to the desired output type {given.title}")
    data = out._data
    if data.shape == found._data.shape and repeated(data.shape, data.strides):
        raise RuntimeError(WRITTEN_TWICE)
    if name in _APART and any(np.may_share_memory(data, each._data) for each in _tensors(operands)):
        raise RuntimeError(_SHARED)


def check_cast(out: Tensor, found: Tensor) -> None:
    """Refuse an `out=` of an elementwise operation that can't hold the result."""
    if not dtypes.can_cast(found.dtype, out.dtype):
        raise RuntimeError(
            f"result type {found.dtype.title} can't be cast to the desired output type {out.dtype.title}"
        )


def _tensors(operands: Any) -> list[Tensor]:
    found: list[Tensor] = []
    for each in operands:
        if isinstance(each, Tensor):
            found.append(each)
        elif isinstance(each, (tuple, list)):
            found += _tensors(each)
    return found
