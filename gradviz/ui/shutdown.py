"""How the program ends when the system wants it to: a signal, a session that ends. What is typed is kept first, so that
the next start gives it back."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier, Qt
from PySide6.QtWidgets import QApplication


class ShutdownHandler(QObject):
    """Python hears of a signal only when it has something to do; a socket wakes it."""

    def __init__(self, app: QApplication, keep_work: Callable[[], None], end: Callable[[], None]) -> None:
        super().__init__(app)
        self._keep_work, self._end = keep_work, end
        app.commitDataRequest.connect(lambda _: keep_work(), Qt.ConnectionType.DirectConnection)
        if sys.platform == "win32":
            return  # it has a session that ends, and no such signals
        self._heard, self._wake = socket.socketpair()
        for one in (self._heard, self._wake):
            one.setblocking(False)
        signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)
        self._notifier = QSocketNotifier(self._heard.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._listen)
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup wants it
                signal.signal(number, self._on_signal)

    def _listen(self) -> None:
        self._heard.recv(4096)  # meanwhile Python has called what listens to the signal

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        try:
            self._keep_work()
            self._end()
        finally:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
