"""What is copied. Qt's clipboard may outlive Python: data that Python made is then destroyed without an interpreter,
which ends the program with a crash after its last window has closed."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QStringListModel


def empty_data() -> QMimeData:
    """Data for the clipboard that Qt has made."""
    model = QStringListModel([""])
    made = model.mimeData([model.index(0)])
    for each in made.formats():
        made.removeFormat(each)
    return made
