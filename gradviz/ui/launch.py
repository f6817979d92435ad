"""Opens the window for a user, or draws it into a picture file. `app.main` calls this once Qt can start."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEventLoop, QMessageLogContext, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from gradviz.document.snippet import Snippet, is_recording
from gradviz.ui.memory_management import GarbageCollector
from gradviz.ui.services.files import is_lesson_set
from gradviz.ui.services.settings import Forgetful, Settings
from gradviz.ui.startup import complain
from gradviz.ui.supervisor import Supervisor, protect_overrides
from gradviz.ui.window import MainWindow
from gradviz.ui.windows import Ownership, Windows, fit

SETTLE = 40  # milliseconds between checks whether the layout is final
SETTLE_AT_MOST = 10_000
MOST_RECOVERED = 10  # windows that are opened to restore work after a crash


def application() -> QApplication:
    """The one QApplication."""
    protect_overrides()
    app = QApplication.instance()
    if isinstance(app, QApplication):
        return app
    app = QApplication([*sys.argv[:1], "-style", "fusion"])  # setStyle() builds many enums of QStyle for its result
    app.setApplicationName("GradViz")
    app.setOrganizationName("GradViz")
    app.setDesktopFileName("org.gradviz.GradViz")  # the menu entry under which the desktop groups the windows
    return app


def open_window(
    paths: Sequence[Path], step: str | None, size: tuple[int, int] | None, arguments: Sequence[str] = ()
) -> int:
    """Show the window until the user closes it. Each named file gets its own tab, and snippets are called with the
    arguments; one of the user's own is run at once, any other only if a step is named. Work left by a crash gets tabs,
    too."""
    app = application()
    window = MainWindow()
    supervisor = Supervisor(app, window.windows)
    if size:
        window.resize(*size)
    else:
        fit(window)
    window.show()

    def begin() -> None:
        gc.freeze()  # so that the collector does not go through the program itself again and again
        GarbageCollector(app)
        supervisor.begin(window)
        window.offer_recovery()
        rest: list[Callable[[MainWindow], object]] = [
            partial(_open, path=path, step=step, arguments=arguments) for path in paths
        ]
        if rest and not window.store.state.is_dirty:
            rest.pop(0)(window)
        _recover_more(window, rest)

    window.painted.connect(begin)
    status = app.exec()
    window.windows.keep_work()  # of windows that did not close, because the display went away
    supervisor.end()
    return status


def _recover_more(window: MainWindow, then: list[Callable[[MainWindow], object]]) -> None:
    """Restore further work left by a crash in tabs, one after the other, and then call `then`."""
    from gradviz.ui.services.recovery import something_waits

    def recover(tab: MainWindow) -> None:
        tab.offer_recovery()
        _recover_more(tab, then)

    def then_next(tab: MainWindow) -> None:
        then[0](tab)
        _recover_more(tab, then[1:])

    if something_waits() and len(window.windows.open_now) < MOST_RECOVERED:
        window.windows.open_tab(window, recover).shell.recovery.write()  # from now on it is stored there
    elif then:
        window.windows.open_tab(window, then_next)


def _open(window: MainWindow, path: Path, step: str | None, arguments: Sequence[str] = ()) -> None:
    """Open a file. A double click in a file manager ends up here, too: a file that is not the user's own must not run
    just because it was opened."""
    if is_recording(path):
        _open_recording(window, path, step)
    elif is_lesson_set(path):
        window.files.open_path(path)
    elif window.files.open_path(path, arguments) and (step is not None or window.store.state.is_trusted):
        _run_to(window, step)


def _open_recording(window: MainWindow, path: Path, step: str | None) -> None:
    window.files.open_path(path)
    window.shell.recordings.when_open(lambda: _go(window, step))


def _go(window: MainWindow, step: str | None) -> None:
    """Go to this step: "end" or a number; with nothing, stay."""
    if step is not None:
        window.store.move(window.store.state.steps if step == "end" else int(step))


def draw(
    path: Path | None,
    step: str | None,
    picture: Path,
    size: tuple[int, int],
    theme: str | None = None,
    arguments: Sequence[str] = (),
) -> int:
    """Run the file with these arguments, go to the step, and draw the window into `picture`; returns 0 if that
    succeeded. Nothing about it is remembered."""
    from gradviz.document.files.trust import OwnFiles

    application()
    before = qInstallMessageHandler(_without_noise)
    window = MainWindow(Settings(Forgetful()), Windows(Ownership(OwnFiles(None))))
    window.resize(*size)
    if theme is not None:
        window.store.look(replace(window.store.state.view, theme=theme))
    window.show()
    window.complete()
    try:
        status = _draw(window, path, step, picture, arguments)
    finally:
        window.store.open(Snippet(), None)
        window.close()
        qInstallMessageHandler(before)
    return status


def _without_noise(_kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
    """Pass Qt's messages on to standard error, except for what the offscreen platform says in every run."""
    if "This plugin does not support" not in text:
        complain(text)


def _draw(window: MainWindow, path: Path | None, step: str | None, picture: Path, arguments: Sequence[str]) -> int:
    if path is not None and is_recording(path):
        _open_recording(window, path, step)
        wait_until(lambda: not window.shell.recordings.is_busy)
        if not window.store.state.is_recording:
            complain(f"gradviz: {window.store.state.notice.sentence}")
            return 1
    elif path is not None and not window.files.open_path(path, arguments):
        complain(f"gradviz: {window.store.state.notice.sentence}")
        return 1
    elif path is not None and not is_lesson_set(path):
        loop = QEventLoop()
        window.shell.runner.ended.connect(loop.quit)
        QTimer.singleShot(0, lambda: _run_to(window, step))
        loop.exec()
        run = window.store.state.run
        if run.sentence:
            complain(f"gradviz: {run.sentence}")
    wait_until(lambda: window.canvas.is_settled)
    QApplication.processEvents()  # panels that asked for another size get it
    wait_until(lambda: window.canvas.is_settled)
    if not window.grab().save(str(picture)):
        complain(f"gradviz: {picture} could not be written; the name must end in .png or .jpg.")
        return 1
    return 0


def _run_to(window: MainWindow, step: str | None) -> None:
    """Run the document, and at its end go to the step ("end", a number, or nothing for where a run comes to rest)."""

    def go(_: str) -> None:
        window.shell.runner.ended.disconnect(go)
        _go(window, step)

    window.shell.runner.ended.connect(go)
    window.shell.runner.run()


def wait_until(ready: Callable[[], bool]) -> None:
    """Process events until it is ready, or a time limit has passed."""
    loop = QEventLoop()
    poll = QTimer()
    poll.setInterval(SETTLE)
    poll.timeout.connect(lambda: loop.quit() if ready() else None)
    QTimer.singleShot(SETTLE_AT_MOST, loop, loop.quit)
    poll.start()
    loop.exec()
    poll.stop()
