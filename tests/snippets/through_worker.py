"""Run snippets as the program does: in a worker process, under the language policy, recorded and with limits."""

from __future__ import annotations

import queue
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.events import Done, Event, Output
from gradviz.worker.process.limits import Limits
from tests.snippets.execute import first_line, without_addresses

WARNING = re.compile(r"^[^\n]+?:\d+: (\w+Warning): ([^\n]*)", re.MULTILINE)


@contextmanager
def worker() -> Iterator[Callable[[Path], dict[str, Any]]]:
    """Yields what runs a file in one worker for all, and returns what it printed, warned and raised."""
    pool = WorkerPool(Limits(), reuse=True)
    try:
        assert _run(pool, "", "")["error"] is None  # the worker is there before a test looks for processes
        yield lambda path: _run(pool, path.read_text(encoding="utf-8"), path.name)
    finally:
        pool.close()


def _run(pool: WorkerPool, source: str, filename: str) -> dict[str, Any]:
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    pool.start(source, events.put, filename)
    text = {"out": "", "err": ""}
    while not isinstance(event := events.get(), Done):
        if isinstance(event, Output):
            text[event.stream] += event.text
    return {
        "stdout": without_addresses(text["out"]).split("\n"),
        "warnings": [[kind, first_line(message)] for kind, message in WARNING.findall(text["err"])],
        "error": _error(event),
    }


def _error(done: Done) -> str | None:
    """What Python prints last: the type and the message, of any number of lines."""
    if done.status == "ok":
        return None
    if not done.detail.traceback:
        return f"{done.status}: {done.detail.sentence}"
    lines = done.detail.traceback.rstrip().split("\n")
    last_frame = max(i for i, line in enumerate(lines) if line.startswith("  File "))
    after = [i for i, line in enumerate(lines) if i > last_frame and not line.startswith("  ")]
    return without_addresses("\n".join(lines[after[0] :]))
