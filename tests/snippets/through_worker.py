"""Run snippets as the program does: in a worker process, under the language policy, recorded and with limits."""

from __future__ import annotations

import queue
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.events import Done, Event, Output
from gradviz.worker.process.limits import Limits
from tests.snippets.execute import first_line, without_addresses

WARNING = re.compile(r"^[^\n]+?:\d+: (\w+Warning): ([^\n]*)", re.MULTILINE)


def run_in_worker(paths: Iterable[Path]) -> dict[str, dict[str, Any]]:
    """What each file printed, warned and raised, by its name."""
    pool = WorkerPool(Limits(), reuse=True)
    pool.warm()
    try:
        return {path.stem: _run(pool, path) for path in paths}
    finally:
        pool.close()


def _run(pool: WorkerPool, path: Path) -> dict[str, Any]:
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    pool.start(path.read_text(encoding="utf-8"), events.put, path.name)
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
