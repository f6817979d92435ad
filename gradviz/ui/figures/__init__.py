"""Painting the plots that a snippet shows: `painter` paints a figure, also into files, `view` is the widget.

What a figure is, is in `gradviz.trace.figures`. This package needs NumPy, so it is imported when there is a plot.
"""
