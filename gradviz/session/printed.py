"""What the snippet had printed at the cursor. Pure; the output panel shows it."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.session.state import State


@dataclass(frozen=True)
class Piece:
    """One print or warning: stream "out" or "err"."""

    stream: str
    text: str


def printed(state: State, *, whole: bool = False) -> tuple[Piece, ...]:
    """The pieces in the order in which they came."""
    if state.trace is None:
        return ()
    import numpy as np

    texts = state.trace.texts
    count = len(texts.step) if whole else int(np.searchsorted(texts.step, state.cursor))
    return tuple(Piece(stream, text) for stream, text in zip(texts.stream[:count], texts.text[:count], strict=True))
