"""The clock of a movement on the canvas: an eased part of the way for every picture, then the end. A movement can be
ended at any time; where nothing should move by itself there is none."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QElapsedTimer, QObject, Qt, QTimer

FRAME = 15  # milliseconds between two pictures
LENGTH = 220  # milliseconds of a movement


class Moving(QObject):
    """One movement at a time."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._show: Callable[[float], None] | None = None
        self._end: Callable[[], None] | None = None
        self._clock = QElapsedTimer()
        self._curve = QEasingCurve(QEasingCurve.Type.OutCubic)
        self._timer = QTimer(self, interval=FRAME)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._frame)

    @property
    def is_going(self) -> bool:
        """Whether something is on its way."""
        return self._end is not None

    def begin(self, show: Callable[[float], None], end: Callable[[], None]) -> None:
        """`show` is called with the part of the way, 0 to 1, for every picture, and `end` once at its end."""
        self.finish()
        self._show, self._end = show, end
        self._clock.start()
        self._timer.start()
        show(0.0)

    def finish(self) -> None:
        """Be at the end at once."""
        self._timer.stop()
        end, self._show, self._end = self._end, None, None
        if end is not None:
            end()

    def _frame(self) -> None:
        part = self._clock.elapsed() / LENGTH
        if part < 1 and self._show is not None:
            self._show(self._curve.valueForProgress(part))
        else:
            self.finish()
