"""Supervises the program: failures are reported, a death of the process is recorded for the next start, and unsaved
work is kept when the system ends the program. It exists from the start; what it needs is imported after the first
paint, or with the first failure.

Note [Overrides] Errors in methods that Qt calls (`paintEvent`, `mousePressEvent`, the `data` of a model) are reported,
and the program continues. Before Python 3.12, an error raised by C code, such as that of `1 / 0`, becomes an exception
object only where Python handles it. If it was Python that called Qt, PySide6 (6.8 to 6.11 were tried) reads the object
before that, and the process ends with SIGSEGV. PySide6 before 6.10 keeps the error until Qt returns to Python, which is
when the program ends. So all our overrides are wrapped in a handler, which in the second case reports the error itself.
To be removed with Python 3.11 and PySide6 6.9."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache, cached_property, wraps
from types import FunctionType, TracebackType
from typing import TYPE_CHECKING, Any

from PySide6 import __version_info__
from PySide6.QtCore import QMetaMethod, QObject
from PySide6.QtWidgets import QApplication

from gradviz.ui.windows import Windows

if TYPE_CHECKING:
    from gradviz.ui.crash import CrashFiles, Reporter
    from gradviz.ui.window import MainWindow


class Supervisor:
    """For all windows of the program."""

    def __init__(self, app: QApplication, windows: Windows) -> None:
        self._app, self._windows = app, windows
        sys.excepthook = self._report

    def begin(self, window: MainWindow) -> None:
        """The window is painted: listen to the system, and report what happened last time."""
        import threading

        from gradviz.ui.crash import LAST_TIME, CrashBox, ShutdownHandler

        ShutdownHandler(self._app, self._windows.keep_work, self.end)
        threading.excepthook = self._reporter.of_thread
        found = self._files.begin()
        note = window.settings.note or (LAST_TIME if found is not None else "")
        if note:
            window.store.say(note)
        if found:
            CrashBox(LAST_TIME, found, self._files.folder).exec()

    def end(self) -> None:
        """The program ends normally."""
        if "_files" in vars(self):
            self._files.end()

    def _report(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        self._reporter(kind, error, trace)

    @cached_property
    def _files(self) -> CrashFiles:
        from gradviz.ui.crash import CrashFiles

        return CrashFiles()

    @cached_property
    def _reporter(self) -> Reporter:
        from gradviz.ui.crash import Reporter

        return Reporter(self._files, self._windows.keep_work, self._windows.private)


# -- see Note [Overrides]

KEEPS_ERRORS = __version_info__ < (6, 10)


def protect_overrides() -> None:
    """From now on, for all existing classes and all new ones."""
    if (sys.version_info < (3, 12) or KEEPS_ERRORS) and "__init_subclass__" not in vars(QObject):
        QObject.__init_subclass__ = classmethod(_protect)  # type: ignore[assignment]
        for kind in _below(QObject):
            _protect(kind)


def _below(kind: type) -> Iterator[type]:
    below: list[type] = kind.__subclasses__()
    for each in below:
        yield each
        yield from _below(each)


def _protect(kind: type) -> None:
    if kind.__module__.startswith("PySide6."):
        return
    base = next(each for each in kind.__mro__ if each.__module__.startswith("PySide6."))
    for name, value in list(vars(kind).items()):
        is_override = type(value) is FunctionType and not name.startswith("__") and hasattr(base, name)
        if is_override and name not in _slots(base):
            setattr(kind, name, _handled(value))


@cache
def _slots(base: Any) -> frozenset[str]:
    """Signals check how many arguments slots take, and slots may be called by others than Qt."""
    meta = base.staticMetaObject
    methods = [meta.method(number) for number in range(meta.methodCount())]
    slot = QMetaMethod.MethodType.Slot
    return frozenset(bytes(each.name().data()).decode() for each in methods if each.methodType() == slot)


def _handled(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def override(*arguments: Any, **keywords: Any) -> Any:
        try:
            return function(*arguments, **keywords)
        except BaseException:  # this creates the object
            if not KEEPS_ERRORS:
                raise
            sys.excepthook(*sys.exc_info())
            return False

    return override
