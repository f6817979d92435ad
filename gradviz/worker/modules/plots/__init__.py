"""`import matplotlib.pyplot` for a snippet: what it draws is recorded as plain data and sent to the program, which
draws it in its panel of plots.

`book` holds what is drawn and sends it; `pyplot`, `figure`, `axes` and `artists` are the names that a snippet knows;
`numbers` and `colours` convert what it gives. The data is described in `gradviz.trace.figures`.
"""

from __future__ import annotations

import gradviz.worker.modules.arrays  # noqa: F401  # fills the tables of `numpy_boundary`
from gradviz.worker.modules.plots.book import NOT_DRAWN, Book
from gradviz.worker.modules.plots.pyplot import plot_modules

__all__ = ["NOT_DRAWN", "Book", "plot_modules"]
