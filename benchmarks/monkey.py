"""The monkey of the tests, for long: `python -m benchmarks.monkey EVENTS SEED` plays with one window, and tells what
broke, what Qt said, what was left running, and how the memory grew. The status is 0 if nothing broke."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QSettings, qInstallMessageHandler

from benchmarks.growth import peak_memory
from gradviz.document.snippet import Snippet
from gradviz.ui.launch import application
from gradviz.ui.memory_management import GarbageCollector
from gradviz.ui.services.settings import Settings
from gradviz.ui.window import MainWindow
from tests import guard
from tests.monkey import Monkey, let_things_end

PARTS = 10  # how often it says how far it is


def main(events: int, seed: int) -> int:
    """Play, and tell; returns the exit status."""
    folder = Path(tempfile.mkdtemp(prefix="gradviz-monkey-"))
    guard.quiet_environment(str(folder))
    app = application()
    collector = GarbageCollector(app)
    origins, records = guard.Origins(), guard.Records()
    qInstallMessageHandler(records.qt_message)
    origins.watch_qt()
    watch = guard.Guard(origins, records)
    window = MainWindow(Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)))
    window.show()
    window.complete()
    app.processEvents()
    monkey = Monkey(window, seed, folder, draws=True)
    began = time.monotonic()
    for _ in range(PARTS):
        monkey.play(events // PARTS)
        print(
            f"{monkey.done:,} events in {time.monotonic() - began:.0f} s, {len(gc.get_objects()):,} objects, "
            f"{peak_memory() >> 20:,} MB at most, {len(monkey.broken)} broken",
            flush=True,
        )
        if monkey.broken:
            break
    let_things_end(window)
    window.store.open(Snippet(), None)
    window.close()
    window.deleteLater()
    del window, monkey.window
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    collector.deleteLater()
    # Without a display Qt frees what is on the clipboard after Python has ended, and crashes where Python made it.
    app.clipboard().clear()
    verdict = watch.verdict()
    print("\n\n".join([*monkey.broken, verdict]) or "nothing broke")
    return 1 if monkey.broken or verdict else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
