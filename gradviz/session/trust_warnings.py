"""Why a document does not run until the user presses Run: the sentences of `State.doubt`. A document without one was
made here, ships with the program, or was saved or run by this user before."""

from __future__ import annotations

from gradviz.document.disk import shown

NOT_RUN = "Nothing has run yet."
HOW = "Press Run (F5) to see its values."
RECOVERED = "This was recovered from a window that did not close properly."
LONGEST = 36  # characters of a name


def elsewhere(name: str, origin: str = "") -> str:
    """For a file that was neither run nor saved here before; `origin` is like "from example.org"."""
    return f"{shown(name, LONGEST)} {f'was downloaded {origin}' if origin else 'is ready'}."


def changed(name: str) -> str:
    """For a file that another program has changed and that was loaded again."""
    return f"{shown(name, LONGEST)} was changed by another program."
