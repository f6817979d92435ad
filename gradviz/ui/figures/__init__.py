"""Painting the plots that a snippet shows: `painter` paints a figure, `view` is the widget, `saving` makes files of it.

What a figure is, is in `gradviz.trace.figures`. This package needs NumPy, so it is imported when there is a plot.
"""
