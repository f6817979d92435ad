"""What the window shows of the chain rule: which gradient was asked for, and what was found. How paths are found is in
`paths`; this is only the record, so that the state needs no NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradviz.session.paths import Dependencies, Paths
    from gradviz.trace.table.trace import Trace


@dataclass(frozen=True, eq=False)
class ChainRule:
    """The paths by which a backward call of `trace` comes to a tensor. `at` is the path that stands out on the canvas,
    -1 none; `sentence` says why there is nothing to show, or that it is being worked out."""

    trace: Trace
    call: int
    tensor: int
    name: str
    paths: Paths | None = None
    depends: Dependencies | None = None
    at: int = -1
    sentence: str = ""
