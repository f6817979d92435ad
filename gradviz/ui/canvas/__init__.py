"""The canvas: a trace drawn as cards and operations at a cursor. `trace_view` is the widget, `view` the parts that it
is made of; `diagram` is what there is to draw, `moment` and `content` what of it is seen at a cursor, `diagram_layout`
where it is, the `…_painter` modules how it looks. NumPy is imported with the first trace, not before."""

from gradviz.ui.canvas.trace_view import TraceView
from gradviz.ui.canvas.view import CanvasView

__all__ = ["CanvasView", "TraceView"]
