"""What moves on the canvas by itself: the dashes of the current step's gradients, and what a step has changed as it
dissolves into its new look. A while after a step, or when playing ends, all is still. Where there is no screen or the
system has animations switched off, dashes move while the user plays, else nothing; where the user said so, nothing."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from gradviz.ui.canvas.flight import animated

TICK = 33  # milliseconds between two pictures
PHASE = 0.07  # of a dash, by picture
FADE = 250  # milliseconds in which one look dissolves into the next
LINGER = 2600  # milliseconds that dashes move after a step


class Motion(QObject):
    """`ticked` comes for every picture; `phase` and `fade` say how far it is."""

    ticked = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.enabled = animated()
        self.wanted = True  # the user has not switched movements off
        self.phase = 0.0
        self.fade = 1.0
        self._playing = False
        self._clock = QElapsedTimer()
        self._timer = QTimer(self, interval=TICK)
        self._timer.timeout.connect(self._tick)

    def set_playing(self, playing: bool) -> None:
        """Whether the user plays."""
        self._playing = playing
        if playing and self.wanted:
            self._timer.start()
        elif not self._lingers:
            self.stop()

    def begin(self) -> bool:
        """A step was made; returns whether it is shown as a movement."""
        if not (self.enabled and self.wanted):
            return False
        self.fade = 0.0
        self._clock.start()
        self._timer.start()
        return True

    def stop(self) -> None:
        """Be still."""
        self._timer.stop()
        self.fade = 1.0

    @property
    def _lingers(self) -> bool:
        return self.enabled and self._clock.isValid() and self._clock.elapsed() < LINGER

    def _tick(self) -> None:
        self.phase = (self.phase + PHASE) % 1.0
        self.fade = min(1.0, self._clock.elapsed() / FADE) if self._lingers else 1.0
        self.ticked.emit()
        if not self._playing and not self._lingers:
            self.stop()
