"""Drag and drop in tests, as Qt would send it from another widget or another program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl, qVersion
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

from gradviz.ui.drawing.drag import MIME

_WHOLE = tuple(map(int, qVersion().split(".")[:2])) < (6, 12)  # only then an entering drag has a place in whole pixels
_HOW = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def carried(*what: str | Path) -> QMimeData:
    """Files, or one row of the palette ("mul", "leaf:scalar")."""
    data = QMimeData()
    files = [QUrl.fromLocalFile(str(one)) for one in what if isinstance(one, Path)]
    if files:
        data.setUrls(files)
    else:
        data.setData(MIME, str(what[0]).encode())
    return data


def place(at: QPoint) -> Any:
    """Where a drag enters or moves, as this version of Qt wants it."""
    return at if _WHOLE else QPointF(at)


def enter(target: QWidget, data: QMimeData, at: QPoint = QPoint(5, 5)) -> bool:  # noqa: B008
    """Drag this over a widget; whether it would be taken."""
    action, button, keys = _HOW
    event = QDragEnterEvent(place(at), action, data, button, keys)
    QApplication.sendEvent(target, event)
    return event.isAccepted()


def drop(target: QWidget, data: QMimeData, at: QPoint = QPoint(5, 5)) -> bool:  # noqa: B008
    """Drag this to a widget and let it go; whether it was taken."""
    action, button, keys = _HOW
    enter(target, data, at)
    event = QDropEvent(QPointF(at), action, data, button, keys)
    QApplication.sendEvent(target, event)
    return event.isAccepted()
