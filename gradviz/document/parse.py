"""From PyTorch code to a drawing: the straight-line part of Python that a drawing can say."""

from __future__ import annotations

from gradviz.document.drawing import Drawing
from gradviz.document.errors import UserError


def parse(text: str, like: Drawing | None = None) -> Drawing:
    """The drawing of this code; what is the same in `like` keeps its number and its place there. Raises UserError, with
    the line, for what can't be drawn."""
    raise UserError("This code can't be drawn yet.")
