"""The worker's end of the pipe: collects printed text and recorded steps and sends them in order, about every 50 ms.

Everything happens in the main thread; `tick` may come between any two bytecodes, so whatever is not finished is
marked by `_busy`, and a tick that finds it set does nothing.
"""

from __future__ import annotations

import os
from typing import Any, Protocol

from gradviz.worker.protocol import Frame, FrameKind, write_frame

FLUSH_CHARS = 16_000


class Recording(Protocol):
    """What the channel needs of the trace's recorder."""

    @property
    def busy(self) -> bool:
        """Whether an event is being recorded now."""

    def take_batch(self) -> Any:
        """The rows since the last call (`.header`, `.payload`), or None if there are none."""

    def text(self, stream: str, text: str) -> None:
        """The snippet printed, or a warning was shown."""


class Channel:
    """Sends the frames of one request at a time."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._parent = os.getppid()
        self._request = 0
        self._room = 0
        self._recording: Recording | None = None
        self._parts: list[tuple[str, str]] = []
        self._chars = 0
        self._busy = False

    def begin(self, request: int, output_chars: int) -> None:
        """The next frames belong to this request."""
        self._request = request
        self._room = output_chars + 1  # the parent must see that it was too much
        self._recording = None
        self._parts, self._chars = [], 0

    def record(self, recording: Recording | None) -> None:
        """Send what this recorder records, too."""
        self._recording = recording

    def write(self, stream: str, text: str) -> None:
        """Text that the snippet printed ("out") or that warns ("err")."""
        text = text[: self._room]
        if not text:
            return
        self._busy = True
        self._room -= len(text)
        self._parts.append((stream, text))
        self._chars += len(text)
        if self._recording is not None:
            self._recording.text(stream, text)
        self._busy = False
        if self._chars >= FLUSH_CHARS:
            self.flush()

    def tick(self) -> bool:
        """Send what there is, unless something is half done (False); end when the program that asked is gone."""
        if os.getppid() != self._parent:
            os._exit(0)
        if self._busy or (self._recording is not None and self._recording.busy):
            return False
        self.flush()
        return True

    def flush(self) -> None:
        """Send everything collected so far."""
        self._busy = True
        parts, self._parts, self._chars = self._parts, [], 0
        for stream, text in _joined(parts):
            self._send(FrameKind.OUTPUT, {"stream": stream, "text": text})
        batch = self._recording.take_batch() if self._recording is not None else None
        if batch is not None:
            self._send(FrameKind.BATCH, batch.header, batch.payload)
        self._busy = False

    def done(self, header: dict[str, Any]) -> None:
        """Say how the request ended, after everything else."""
        self.flush()
        self._send(FrameKind.DONE, header)

    def ready(self, layers: dict[str, str]) -> None:
        """Say that snippets can come."""
        self._send(FrameKind.READY, {"layers": layers})

    def failed(self, sentence: str) -> None:
        """Say that this worker will never be ready."""
        self._send(FrameKind.FAILED, {"sentence": sentence})

    def _send(self, kind: FrameKind, header: dict[str, Any], payload: bytes = b"") -> None:
        try:
            write_frame(self._descriptor, Frame(kind, self._request, header, payload))
        except OSError:  # nobody reads any more
            os._exit(0)


def _joined(parts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Neighbours of the same stream as one text."""
    joined: list[tuple[str, list[str]]] = []
    for stream, text in parts:
        if joined and joined[-1][0] == stream:
            joined[-1][1].append(text)
        else:
            joined.append((stream, [text]))
    return [(stream, "".join(texts)) for stream, texts in joined]
