"""The protocol: any bytes that a worker may send, read by the program's own side (the reader of a worker process and
the run that listens). Whatever comes, the run ends once, with its `Done` as the last event, and nothing but what is
checked goes on: no more text than allowed, and batches that a trace takes or refuses."""

from __future__ import annotations

import io
import json
import struct
import threading
from typing import Any

from gradviz.trace.table import encoding, schema
from gradviz.trace.table.trace import Trace
from gradviz.worker.process.events import Asked, Batch, Done, Event, Output
from gradviz.worker.process.limits import Limits
from gradviz.worker.process.protocol import VERSION, FrameKind
from gradviz.worker.process.run import Run
from gradviz.worker.process.worker_process import WorkerProcess
from tests.fuzz.choices import Choices
from tests.fuzz.traces import WRONG
from tests.trace.sample import SOURCE, sample_batch

LIMITS = Limits(output_chars=200, steps=50, recorded_bytes=200_000, message_bytes=100_000)
STATUSES = ("ok", "raised", "refused", "limit", "stopped", "died")
TEXTS = (
    "",
    "x",
    "out",
    "err",
    "in",
    "ok",
    "raised",
    "limit",
    "stopped",
    "\ud800",
    "line 3: x",
    "a" * 150,
    "\0",
    "🙂" * 60,
)
HEADERS: tuple[dict[str, Any], ...] = (
    {"layers": {"language": "on"}},
    {"stream": "out", "text": "x"},
    {"prompt": "Name? "},
    {"status": "ok"},
    {"status": "raised", "sentence": "no", "line": 3, "traceback": "", "last_line": ""},
    {"rows": {"steps": 3}},
    {"sentence": "no memory"},
    {},
)
FIELDS = ("layers", "stream", "text", "prompt", "status", "sentence", "line", "traceback", "last_line", "rows", "more")


class FakeProcess:
    """What a process object is to its reader: it has sent these bytes and ended."""

    returncode = 1
    pid = 0

    def __init__(self, sent: bytes) -> None:
        self.stdin, self.stdout = io.BytesIO(), io.BytesIO(sent)

    def poll(self) -> int:
        return 1

    def wait(self) -> int:
        return 1

    def kill(self) -> None:
        pass


class Stream(WorkerProcess):
    """A worker process without a process and without a thread."""

    def __init__(self, sent: bytes) -> None:
        self.layers = {}
        self._limits, self._process, self._outside = LIMITS, FakeProcess(sent), {}  # type: ignore[assignment]
        self._ready, self._gone, self._lock = threading.Event(), threading.Event(), threading.Lock()
        self._failure, self._started, self._was_killed, self._listener = "", False, True, None
        self._scratch = "/nonexistent/gradviz-fuzz"
        self._release = self._on_gone = lambda *_: None

    def read_all(self) -> None:
        """Read to the end, as the reader thread does."""
        self._read()


def one_input(data: bytes) -> None:
    """Bytes as they are, or messages made by decisions."""
    choices = Choices(data)
    answer = choices.of(("yes", None, "no answer"))
    stream = choices.rest() if choices.number(4) == 3 else b"".join(messages(choices))
    listened(stream, answer)


def messages(choices: Choices) -> list[bytes]:
    """READY and whatever follows."""
    made = [encoded(FrameKind.READY, 0, {"layers": {}})] if choices.number(8) else []
    while not choices.is_over and len(made) < 30:
        made.append(_message(choices))
    return made


def encoded(kind: int, request: int, header: Any, payload: bytes = b"") -> bytes:
    """As the worker writes it, but with anything in it."""
    raw = header if isinstance(header, bytes) else json.dumps(header).encode("utf-8", "surrogatepass")
    return struct.pack("<2sBBIII", b"GV", VERSION, kind, request, len(raw), len(payload)) + raw + payload


def _message(choices: Choices) -> bytes:
    kind = choices.of((4, 5, 7, 6, 9, 1, 2, 3, 8, 0, 77))
    request = choices.of((1, 1, 1, 1, 1, 0, 2, 2**32 - 1))
    header: Any = dict(choices.of(HEADERS))
    payload = b""
    if kind == FrameKind.BATCH and choices.number(2):
        batch = sample_batch()
        header, payload = dict(batch.header), batch.payload
    for _ in range(choices.number(3)):
        value = choices.of(TEXTS) if choices.number(2) else choices.of(WRONG)
        header[choices.of(FIELDS)] = value
    what = choices.number(12)
    if what == 1:
        header = choices.of(WRONG)
    elif what == 2:
        header = choices.bytes(40)
    elif what == 3:
        payload = choices.bytes(200)
    made = encoded(kind, request, header, payload)
    if what == 4:
        at = choices.number(len(made))
        made = made[:at] + choices.bytes(4) + made[at + choices.number(5) :]
    return made[: choices.number(len(made))] if what == 5 else made


def listened(sent: bytes, answer: str | None) -> list[Event]:
    """The events of a run whose worker sends this."""
    events: list[Event] = []

    def on_event(event: Event) -> None:
        events.append(event)
        if isinstance(event, Asked) and answer != "no answer":
            run.answer(answer)

    worker = Stream(sent)
    run = Run("x = 1", "snippet.py", LIMITS, on_event)
    run._worker, run._request, run._sent = worker, 1, True
    worker.listen(run._on_frame, run._on_end)
    worker.read_all()
    _check(events)
    return events


def _check(events: list[Event]) -> None:
    ends = [event for event in events if isinstance(event, Done)]
    assert len(ends) == 1 and events[-1] is ends[0], "a run ends once, and nothing follows"
    assert ends[0].status in STATUSES
    assert isinstance(ends[0].detail.sentence, str) and type(ends[0].detail.line) is int
    printed = sum(len(event.text) for event in events if isinstance(event, Output))
    assert printed <= LIMITS.output_chars, printed
    assert sum(isinstance(event, Batch) for event in events) <= 30
    trace = Trace(SOURCE)
    for event in events:
        if isinstance(event, Asked):
            assert len(event.prompt) <= 2_000
        if isinstance(event, Batch):
            try:
                trace.extend(schema.Batch(event.header, event.payload))
            except encoding.TraceFormatError:
                continue
