"""Paints the plots that a snippet shows: `painter` paints a figure, also into files, `view` is the widget.

Figures are defined in `gradviz.trace.figures`. This package needs NumPy, so it is imported when there is a plot."""
