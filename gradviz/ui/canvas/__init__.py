"""The canvas: a trace drawn as cards and operations at a cursor. `view` is the widget; `diagram` what there is to draw,
`moment` and `content` what of it is seen at a cursor, `placing` where it stands, the `…_painter` modules how it looks.
NumPy is imported with the first trace, not before."""

from gradviz.ui.canvas.view import CanvasView

__all__ = ["CanvasView"]
