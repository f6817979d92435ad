"""The canvas: a trace drawn as cards and operations at a cursor. `trace_view` is the widget and `view` its parts;
`diagram` says what there is to draw, `moment` and `content` what of it is visible at a cursor, `diagram_layout` where
it goes, and the `…_painter` modules what it looks like. NumPy is imported with the first trace, not before."""

from gradviz.ui.canvas.trace_view import TraceView
from gradviz.ui.canvas.view import CanvasView

__all__ = ["CanvasView", "TraceView"]
