"""The worker's end of the pipe: collects printed text and recorded steps and sends them in order, every 50 ms at first
and less often the longer a run takes, because each batch costs the window some milliseconds, however small it is.

Everything happens in the main thread. `tick` may run between any two bytecodes, so unfinished work is marked by
`_busy`, and a tick that finds it set does nothing."""

from __future__ import annotations

import os
import sys
from time import monotonic
from typing import Protocol

from gradviz.worker.process.parent import parent_watch
from gradviz.worker.process.protocol import Frame, FrameKind, ProtocolError, read_frame, write_frame

FLUSH_CHARS = 16_000
SELDOM, PART = 0.25, 0.2  # a batch waits at most this many seconds, and at most this fraction of the run's time
PROMPT_CHARS = 2_000
ANSWER_BYTES = 1 << 20
DEPTH = 200  # calls that a question needs at most: it must not stop halfway because the snippet's stack is deep


class Recording(Protocol):
    """What the channel needs of the trace's recorder."""

    @property
    def step(self) -> int:
        """The number of steps so far."""

    @property
    def busy(self) -> bool:
        """Whether an event is being recorded right now."""

    def take_parts(self) -> tuple[dict[str, object], list[bytes | bytearray]] | None:
        """Return the rows since the last call, as a header and the parts of a payload, or None if there are none."""

    def text(self, stream: str, text: str) -> None:
        """Record that the snippet printed, or that a warning was shown."""


class Channel:
    """Sends the messages of one request at a time; answers to questions arrive at `answers`, a descriptor to read."""

    def __init__(self, descriptor: int, answers: int = -1) -> None:
        self._descriptor = descriptor
        self._answers = answers
        self._is_orphan = parent_watch()
        self._request = 0
        self._room = 0
        self._recording: Recording | None = None
        self._parts: list[tuple[str, str]] = []
        self._chars = 0
        self._busy = False
        self._began = self._flushed = monotonic()
        self.sent = 0  # bytes of the recording

    def begin(self, request: int, output_chars: int) -> None:
        """Associate the messages that follow with this request."""
        self._request = request
        self._room = output_chars + 1  # the parent must notice that it was too much
        self._recording = None
        self._parts, self._chars, self.sent = [], 0, 0
        self._began = self._flushed = monotonic()

    def record(self, recording: Recording | None) -> None:
        """Also send what this recorder records."""
        self._recording = recording

    def write(self, stream: str, text: str) -> None:
        """Add text that the snippet printed ("out"), that is a warning ("err") or that was typed ("in")."""
        text = text[: self._room]
        if not text:
            return
        self._busy = True
        self._room -= len(text)
        self._parts.append((stream, text))
        self._chars += len(text)
        if self._recording is not None:
            self._recording.text("err" if stream == "err" else "out", text)
        self._busy = False
        if self._chars >= FLUSH_CHARS:
            self.flush()

    def tick(self) -> bool:
        """Send what has been collected if it is time, unless something is unfinished (False); end when the program that
        asked has gone."""
        if self._is_orphan():
            os._exit(0)
        if self._busy or (self._recording is not None and self._recording.busy):
            return False
        if monotonic() - self._flushed >= min(SELDOM, PART * (self._flushed - self._began)):
            self.flush()
        return True

    def flush(self) -> None:
        """Send everything collected so far."""
        self._busy = True
        parts, self._parts, self._chars = self._parts, [], 0
        for stream, text in _joined(parts):
            self._send(FrameKind.OUTPUT, {"stream": stream, "text": text})
        batch = self._recording.take_parts() if self._recording is not None else None
        if batch is not None:
            self._send(FrameKind.BATCH, batch[0], *batch[1])
            self.sent += sum(map(len, batch[1]))
        self._flushed = monotonic()
        self._busy = False

    def ask(self, prompt: str) -> str:
        """input(): show the prompt, wait for the person's answer and show it as a terminal does; EOFError if there is
        none."""
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(limit + DEPTH)
        try:
            self.write("out", prompt)
            self.flush()
            self._busy = True  # nothing is sent until the answer has arrived
            self._send(FrameKind.ASK, {"prompt": prompt[:PROMPT_CHARS]})
            answer = self._answer()
            self._busy = False
            if answer is not None:
                self.write("in", f"{answer}\n")
        finally:
            sys.setrecursionlimit(limit)
        if answer is None:
            raise EOFError("EOF when reading a line")
        return answer

    def figure(self, header: dict[str, object], payload: bytes) -> None:
        """Send a plot that was shown, after everything printed and recorded before it."""
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(limit + DEPTH)
        try:
            self.flush()
            self._busy = True
            step = self._recording.step if self._recording is not None else 0
            self._send(FrameKind.FIGURE, {**header, "step": step}, payload)
            self._busy = False
        finally:
            sys.setrecursionlimit(limit)

    def file(self, name: str, data: bytes, size: int, is_object: bool) -> None:
        """Send a file that the run wrote, with its length; the bytes may be left out."""
        self.flush()
        self._send(FrameKind.FILE, {"name": name, "size": size, "objects": is_object}, data)

    def _answer(self) -> str | None:
        try:
            frame = read_frame(lambda count: os.read(self._answers, count), ANSWER_BYTES)
            if frame is None:  # the program has gone
                os._exit(0)
            if frame.kind is not FrameKind.ANSWER or frame.request != self._request:
                os._exit(1)
        except (OSError, ProtocolError):
            os._exit(1)
        text = frame.header.get("text")
        return text if type(text) is str else None

    def done(self, header: dict[str, object]) -> None:
        """Report how the request ended, after everything else."""
        self.flush()
        self._send(FrameKind.DONE, header)

    def ready(self, layers: dict[str, str]) -> None:
        """Report that the worker is ready for snippets."""
        self._send(FrameKind.READY, {"layers": layers})

    def failed(self, sentence: str) -> None:
        """Report that this worker will never be ready."""
        self._send(FrameKind.FAILED, {"sentence": sentence})

    def _send(self, kind: FrameKind, header: dict[str, object], *payload: bytes | bytearray) -> None:
        try:
            write_frame(self._descriptor, Frame(kind, self._request, header), payload)
        except OSError:  # nobody reads any more
            os._exit(0)


def _joined(parts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Join neighbouring texts of the same stream."""
    joined: list[tuple[str, list[str]]] = []
    for stream, text in parts:
        if joined and joined[-1][0] == stream:
            joined[-1][1].append(text)
        else:
            joined.append((stream, [text]))
    return [(stream, "".join(texts)) for stream, texts in joined]
