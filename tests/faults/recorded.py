"""A real run taken apart into the messages of its worker, and a process that sends so many of them and then fails in a
way of its choice. The process is real, and so is whoever reads it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gradviz.worker.process.events import Event
from gradviz.worker.process.limits import Limits
from gradviz.worker.process.protocol import Frame, encode
from gradviz.worker.process.run import Run
from gradviz.worker.process.worker_process import WorkerProcess

SNIPPET = """\
import time
import torch
w = torch.tensor(3., requires_grad=True)
for i in range(3):
    loss = (w * w - i) ** 2
    loss.backward()
    print("loss", loss)
    time.sleep(0.1)
"""
PATIENCE = 60.0

# what the process does after its messages: each a piece of Python
DIES = "os.kill(os.getpid(), 9)"
CLOSES_BUT_LIVES = "os.close(1); time.sleep(1000)"
HANGS = "time.sleep(1000)"
STOPS = "os.kill(os.getpid(), signal.SIGSTOP)"
FLOODS = "raw = frame(4, {'stream': 'out', 'text': 'x' * 1000})\nwhile True: os.write(1, raw)"
FLOODS_BATCHES = "raw = frame(5, {'rows': {}}, b'x' * 50_000)\nwhile True: os.write(1, raw)"
FLOODS_NONSENSE = "while True: os.write(1, b'GV' * 50_000)"

_PROGRAM = """\
import json, os, signal, struct, sys, time
def frame(kind, header, payload=b""):
    raw = json.dumps(header).encode()
    return struct.pack("<2sBBIII", b"GV", 2, kind, 1, len(raw), len(payload)) + raw + payload
def write(left):
    while left: left = left[os.write(1, left):]
data, ready, listens = open(sys.argv[1], "rb").read(), int(sys.argv[2]), sys.argv[3] == "listens"
write(data[:ready])
if listens and data[:ready]: os.read(0, 1)
write(data[ready:])
"""


class _Overheard(WorkerProcess):
    """A worker process that remembers the messages that it hands on."""

    def __init__(self, limits: Limits) -> None:
        self.frames: list[Frame] = []
        super().__init__(limits)

    def _dispatch(self, frame: Frame) -> None:
        self.frames.append(frame)
        super()._dispatch(frame)


@dataclass(frozen=True)
class Attempt:
    """A run that was read to its end: its events, and its worker, which must be gone."""

    events: tuple[Event, ...]
    worker: WorkerProcess

    @property
    def sentence(self) -> str:
        return self.events[-1].detail.sentence  # type: ignore[union-attr]

    @property
    def status(self) -> str:
        return self.events[-1].status  # type: ignore[union-attr]

    @property
    def seconds(self) -> float:
        return self.events[-1].detail.seconds  # type: ignore[union-attr]


@cache
def frames() -> tuple[Frame, ...]:
    """What a worker sends for the snippet, READY first and DONE last."""
    limits = Limits()
    worker = _Overheard(limits)
    attend(worker, limits)
    return tuple(worker.frames)


def attend(worker: WorkerProcess, limits: Limits, source: str = SNIPPET) -> Attempt:
    """Run in this worker until it ends, and wait until nothing of it is left."""
    events: list[Event] = []
    run = Run(source, "snippet.py", limits, events.append)
    run.attach(worker, 1)
    done = run.wait(PATIENCE)
    worker.kill()
    worker.join()
    run.join()
    assert done is not None, "the run did not end"
    return Attempt(tuple(events), worker)


def failing(
    folder: Path, sent: bytes, then: str, limits: Limits, *, ready: int = 0, listens: bool = True, source: str = SNIPPET
) -> Attempt:
    """A process that sends these bytes, waiting for its request after the first `ready` of them, and then fails."""
    file = folder / "sent"
    file.write_bytes(sent)
    program = [sys.executable, "-S", "-E", "-c", _PROGRAM + then]
    command = [*program, str(file), str(ready), "listens" if listens else "never listens"]
    return attend(WorkerProcess(limits, command=command), limits, source)


def encoded(count: int) -> bytes:
    """The first messages."""
    return b"".join(encode(frame) for frame in frames()[:count])
