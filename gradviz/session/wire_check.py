"""Why a drawing with one more wire can't run, in one short sentence with the operation and the shapes. It evaluates a
finished run; `ui.services.live_drawing` makes the run. Long explanations of errors are in `trace.words.errors`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gradviz.document.drawing import Drawing, Operation, Ref
from gradviz.document.shaping.queries import word
from gradviz.session.drawn import drawn
from gradviz.session.state import Phase

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

SHORT = 110  # characters of PyTorch's own sentence
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Tried:
    """How the forward pass of a drawing ended: PyTorch's last line if it raised."""

    phase: Phase
    last_line: str = ""


@dataclass(frozen=True)
class _Fault:
    word: str
    shapes: tuple[Shape, ...]  # of the inputs that are tensors
    dtypes: tuple[str, ...]
    message: str


def forward_only(drawing: Drawing) -> Drawing:
    """What is tried: the drawing without backward calls."""
    return replace(drawing, calls=())


def reason(candidate: Drawing, tried: Tried, trace: Trace, before: Tried | None) -> str:
    """Why it is impossible; "" if it is possible, or if the previous drawing ended the same way."""
    if tried.phase in (Phase.LIMIT, Phase.DIED):
        return tried.last_line
    if tried.phase is not Phase.RAISED or (before is not None and before.last_line == tried.last_line):
        return ""
    message = tried.last_line.partition(": ")[2] or tried.last_line
    found = drawn(candidate, trace)
    node, known = candidate.by_id.get(found.failed), found.tensors
    if not isinstance(node, Operation):
        return _shortened(message)
    rows = [known[one] for one in node.inputs if isinstance(one, Ref) and one in known]
    shapes = tuple(tuple(int(size) for size in trace.tensors.shape[row]) for row in rows)
    dtypes = tuple(str(trace.tensors.dtype[row]) for row in rows)
    return _said(_Fault(word(node.op), shapes, dtypes, message))


def _said(fault: _Fault) -> str:
    for pattern, say in ROWS:
        match = re.search(pattern, fault.message)
        if match:
            return f"{fault.word}: {say(fault, match)}"
    own = re.sub(rf"^[\w.]*{re.escape(fault.word)}(\(\))?: ", "", fault.message)
    return f"{fault.word}: {_shortened(own)}"


def _inner(fault: _Fault, match: re.Match[str]) -> str:
    a, b = (int(match[1]), int(match[2])), (int(match[3]), int(match[4]))
    return f"{_size(a)} with {_size(b)}: the inner sizes {a[1]} and {b[0]} differ"


def _vector(fault: _Fault, match: re.Match[str]) -> str:
    return f"{_with(fault)}: the inner sizes differ"


def _broadcast(fault: _Fault, match: re.Match[str]) -> str:
    return f"shapes {' and '.join(_size(shape) for shape in fault.shapes)} don't broadcast"


def _matrix(fault: _Fault, match: re.Match[str]) -> str:
    return f"{_with(fault)}: both must be matrices"


def _types(fault: _Fault, match: re.Match[str]) -> str:
    kinds = list(dict.fromkeys(fault.dtypes))
    return f"{' with '.join(kinds)}: both must have the same dtype"


def _classes(fault: _Fault, match: re.Match[str]) -> str:
    return "the target must be int64 class numbers"


def _scalar_type(fault: _Fault, match: re.Match[str]) -> str:
    if fault.word in ("cross_entropy", "nll_loss") and match[1] == "Long":
        return _classes(fault, match)
    return f"one input is {match[2].lower()}, where {match[1].lower()} is needed"


def _not_for(fault: _Fault, match: re.Match[str]) -> str:
    return f"does not take numbers of the type {match[1].lower()}"


def _batch(fault: _Fault, match: re.Match[str]) -> str:
    return f"{match[1]} rows of scores but {match[2]} targets"


def _dimension(fault: _Fault, match: re.Match[str]) -> str:
    low, _, high = match[1].partition(", ")
    return f"there is no dimension {match[2]}; those of the input are {low} to {high}"


def _view(fault: _Fault, match: re.Match[str]) -> str:
    return f"{match[2]} elements don't fit into the shape {_size(_numbers(match[1]))}"


def _channels(fault: _Fault, match: re.Match[str]) -> str:
    return f"the weight is for {match[1]} channels, the input has {match[2]}"


def _integers(fault: _Fault, match: re.Match[str]) -> str:
    return "needs floating-point numbers, not integers"


def _cat(fault: _Fault, match: re.Match[str]) -> str:
    return f"{_with(fault)}: all sizes but that of the joined dimension must be equal"


def _number(fault: _Fault, match: re.Match[str]) -> str:
    return "only one number becomes a Python number; reduce the tensor first"


ROWS: tuple[tuple[str, Callable[[_Fault, re.Match[str]], str]], ...] = (
    (r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)", _inner),
    (r"size mismatch, got|inconsistent tensor size|Expected size for first two dimensions|inner dim", _vector),
    (r"size of tensor a \((\d+)\) must match the size of tensor b|cannot be broadcast|not broadcastable", _broadcast),
    (r"must be a matrix|must be a 3D tensor|1D tensors expected|vector \+ matrix", _matrix),
    (r"must have the same dtype|to have the same dtype|to have same dtype", _types),
    (r"expected scalar type (\w+) but found (\w+)", _scalar_type),
    (r"expected target dtype to be Long|Expected floating point type for target", _classes),
    (r"not implemented for '(\w+)'", _not_for),
    (r"Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)", _batch),
    (r"Dimension out of range \(expected to be in range of \[(.*?)\], but got (-?\d+)\)", _dimension),
    (r"shape '\[(.*?)\]' is invalid for input of size (\d+)", _view),
    (r"to have (\d+) channels, but got (\d+) channels instead", _channels),
    (r"could not infer output dtype|must be either a floating point or complex", _integers),
    (r"Sizes of tensors must match except in dimension|stack expects each tensor to be equal size", _cat),
    (r"Tensor with (\d+) elements cannot be converted to Scalar", _number),
)


def _numbers(text: str) -> Shape:
    return tuple(int(number) for number in re.findall(r"-?\d+", text))


def _size(shape: Shape) -> str:
    return "×".join(map(str, shape)) if shape else "a number"


def _with(fault: _Fault) -> str:
    return " with ".join(_size(shape) for shape in fault.shapes)


def _shortened(message: str) -> str:
    """PyTorch's first sentence, without what helps only authors of code."""
    first = re.split(r"(?<=[a-z)\]\d])[.;]\s|\n", message.strip())[0].rstrip(".")
    return first if len(first) <= SHORT else f"{first[: SHORT - 1].rstrip()}…"
