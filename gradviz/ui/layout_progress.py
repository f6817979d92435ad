"""The progress of layouts: they run beside the window's thread, and one that takes longer than half a second is shown
in the status bar, with Cancel. What the user sees of it is in `status`."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from gradviz.commands.row import LayoutJob
from gradviz.session.store import Store

PATIENCE = 500  # milliseconds before it is told


class LayoutProgress(QObject):
    """Implements the commands' `LayoutProgress`."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self._going: dict[LayoutJob, str] = {}
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE)
        self._patience.timeout.connect(self._tell)

    def update(self, part: LayoutJob, what: str) -> None:
        """What a part of the window does now, instead of what it did before; "" for nothing."""
        self._going.pop(part, None)
        if what:
            self._going[part] = what
        if not self._going:
            self._patience.stop()
        if self._store.state.layout_progress:
            self._tell()
        elif self._going and not self._patience.isActive():
            self._patience.start()

    def stop(self) -> None:
        """Give up everything."""
        for part in tuple(self._going):
            part.give_up()

    def _tell(self) -> None:
        """The latest of what goes on."""
        self._store.set_layout_progress(next(reversed(self._going.values()), ""))
