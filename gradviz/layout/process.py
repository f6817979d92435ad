"""The near end of the layout process: start it, send a graph, wait no longer than the budget, kill it when it overruns.
One `DotProcess` serves one caller at a time; `stop` may come from any thread. Read `server` for the messages."""

from __future__ import annotations

import importlib.util
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np

from gradviz.layout.records import LayoutInput, LayoutResult
from gradviz.layout.server import ANSWER, REQUEST, read_message, write_message

FROZEN_FLAG = "--layout-server"
PATIENCE = 5.0  # a busy machine may take so many times longer than the processor time


class LayoutFailed(Exception):
    """Graphviz is missing, refused the graph, died or was stopped."""


class LayoutOverran(LayoutFailed):
    """Graphviz took longer than its budget and was killed."""


def command() -> list[str]:
    """How the layout process is started, from source and frozen."""
    if getattr(sys, "frozen", False):
        return [sys.executable, FROZEN_FLAG]
    home = str(Path(__file__).resolve().parents[2])
    code = f"import sys; sys.path.insert(0, {home!r}); from gradviz.layout.server import serve; serve()"
    return [sys.executable, "-P", "-c", code]  # -P: a file of the user's folder is not taken for a module


def graphviz_is_here() -> bool:
    """Whether pygraphviz can be imported, without importing it."""
    return importlib.util.find_spec("pygraphviz") is not None


class DotProcess:
    """Graphviz in a process of its own, started when first needed and again after a kill."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._reader: threading.Thread | None = None
        self._lock = threading.Lock()
        self._closed = False

    def start(self) -> None:
        """Start the process ahead of the first graph."""
        child = self._child
        if child is not None and child.poll() is not None:
            self.stop()
        with self._lock:
            if self._closed:
                raise LayoutFailed("the layout was closed")
            if self._child is not None:
                return
            self._child = subprocess.Popen(
                command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
            self._answers = queue.SimpleQueue()
            self._reader = threading.Thread(
                target=_forward, args=(self._child, self._answers), name="layout-reader", daemon=True
            )
            self._reader.start()

    def draw(self, graph: LayoutInput, rough: bool, budget: float) -> LayoutResult:
        """Graphviz' drawing within `budget` seconds of processor time; LayoutOverran or LayoutFailed otherwise."""
        if not graphviz_is_here():
            raise LayoutFailed("pygraphviz is not installed")
        self.start()
        child, answers = self._child, self._answers
        assert child is not None and child.stdin is not None
        try:
            write_message(child.stdin, _request(graph, rough, budget))
            reply = answers.get(timeout=budget * PATIENCE)
        except queue.Empty:
            self.stop()
            raise LayoutOverran(f"Graphviz took longer than {budget:g} s") from None
        except (OSError, ValueError) as error:
            self.stop()
            raise LayoutFailed("the layout process went away") from error
        if reply is None:
            child.wait()
            self.stop()
            if child.returncode == -getattr(signal, "SIGPROF", 0):
                raise LayoutOverran(f"Graphviz worked longer than {budget:g} s")
            raise LayoutFailed("the layout process died")
        if reply[0]:
            raise LayoutFailed(reply[1:].decode(errors="replace"))
        return _result(reply[1:], len(graph.edges), "dot, rough" if rough else "dot")

    def stop(self) -> None:
        """Kill the process, whatever it is doing; the next graph starts a new one."""
        with self._lock:
            child, reader, self._child, self._reader = self._child, self._reader, None, None
        if child is None:
            return
        child.kill()
        child.wait()
        if reader is not None:
            reader.join()
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                _close(stream)

    def close(self) -> None:
        """Kill the process for good."""
        with self._lock:
            self._closed = True
        self.stop()


def _close(stream: object) -> None:
    try:
        stream.close()  # type: ignore[attr-defined]
    except OSError:  # what was still buffered for a dead process is of no use to anybody
        return


def _forward(child: subprocess.Popen[bytes], answers: queue.SimpleQueue[bytes | None]) -> None:
    """The reading thread: a pipe cannot be waited on with a time limit on every system, a queue can."""
    assert child.stdout is not None
    try:
        while (message := read_message(child.stdout)) is not None:
            answers.put(message)
    finally:
        answers.put(None)


def _request(graph: LayoutInput, rough: bool, budget: float) -> bytes:
    return b"".join(
        (
            REQUEST.pack(len(graph.sizes), len(graph.edges), rough, max(budget, 0.001)),
            np.ascontiguousarray(graph.sizes).tobytes(),
            np.ascontiguousarray(graph.edges, np.int32).tobytes(),
            np.ascontiguousarray(graph.ports).tobytes(),
            (np.zeros(len(graph.sizes), np.int8) if graph.side is None else graph.side.astype(np.int8)).tobytes(),
        )
    )


def _result(reply: bytes, edges: int, engine: str) -> LayoutResult:
    boxes, count = ANSWER.unpack_from(reply)
    at = ANSWER.size
    centres = np.frombuffer(reply, np.float64, 2 * boxes, at).reshape(-1, 2)
    starts = np.frombuffer(reply, np.int32, edges + 1, at + 16 * boxes).astype(np.int64)
    points = np.frombuffer(reply, np.float64, 2 * count, at + 16 * boxes + 4 * (edges + 1)).reshape(-1, 2)
    return LayoutResult(centres, points, starts, (0.0, 0.0), engine)
