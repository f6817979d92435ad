"""What a run tells its caller: recorded columns, printed text, and once how it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Batch:
    """Recorded steps: the header and the raw columns, for `Trace.extend`; `size` is what both took of the pipe."""

    header: dict[str, Any]
    payload: bytes
    size: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Output:
    """Text that the snippet printed; `stream` is "out" or "err", or "in" for what was typed for input()."""

    stream: str
    text: str


@dataclass(frozen=True)
class Detail:
    """How a run ended, in words: one sentence, and the error as Python prints it when the snippet raised."""

    sentence: str = ""
    line: int = -1
    traceback: str = ""
    last_line: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Done:
    """The end of a run; `status` is ok, raised, refused, limit, stopped or died."""

    status: str
    detail: Detail = field(default_factory=Detail)


@dataclass(frozen=True)
class Asked:
    """The snippet called input(): the run waits until `Run.answer` is called."""

    prompt: str


@dataclass(frozen=True)
class Figure:
    """A plot that the snippet showed, checked by `figures.Figure`'s reader before it is drawn."""

    header: dict[str, Any]
    payload: bytes


Event = Batch | Output | Asked | Figure | Done
