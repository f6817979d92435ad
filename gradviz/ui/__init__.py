"""Qt and only Qt: the window, its panels and the canvas. Nothing here computes; it draws (document, trace, cursor).

Start at `gradviz.ui.app`."""
