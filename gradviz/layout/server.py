"""The child process that holds Graphviz: reads one graph after the other from its standard input and writes the drawing
to its standard output, until the input ends. It is a process of its own because Graphviz holds Python's lock while it
works, is not thread-safe, and can only be stopped by killing it. Where the program is frozen it is `gradviz
--layout-server`. Read `process` next: the other end.

Note [Layout messages]
Each message is a 4-byte little-endian length, then the bytes. A request holds `<IIId` (boxes, edges, rough, seconds of
processor time), then float64 sizes, int32 edges, float64 ports, int8 sides. An answer begins with a byte: 0 and the
drawing (`<II` boxes and points, then float64 centres, int32 starts, float64 points), or 1 and a message in UTF-8."""

from __future__ import annotations

import os
import signal
import struct
import sys
from array import array
from typing import IO

from gradviz.layout.dot import Point, dot_text, read_svg

LENGTH = struct.Struct("<I")
REQUEST = struct.Struct("<IIId")
ANSWER = struct.Struct("<II")


def read_message(stream: IO[bytes]) -> bytes | None:
    """The next message, or None at the end of the stream."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    body = stream.read(length)
    return body if len(body) == length else None


def write_message(stream: IO[bytes], body: bytes) -> None:
    """Send one message."""
    stream.write(LENGTH.pack(len(body)) + body)
    stream.flush()


def answer(request: bytes) -> bytes:
    """The drawing of one request; see Note [Layout messages]."""
    import pygraphviz

    boxes, count, rough, _ = REQUEST.unpack_from(request)
    at = REQUEST.size
    sizes = _pairs("d", request[at : at + 16 * boxes])
    edges = [(int(a), int(b)) for a, b in _pairs("i", request[at + 16 * boxes : at + 16 * boxes + 8 * count])]
    sides = array("b", request[at + 16 * boxes + 24 * count :])
    ports = _pairs("d", request[at + 16 * boxes + 8 * count : at + 16 * boxes + 24 * count])
    graph = pygraphviz.AGraph(string=dot_text(sizes, edges, ports, sides, bool(rough)))
    try:
        text = graph.draw(format="svg", prog="dot").decode()
    finally:
        graph.close()
    centres, routes = read_svg(text, boxes, count)
    starts = array("i", [0])
    for route in routes:
        starts.append(starts[-1] + len(route))
    numbers = array("d", [number for point in centres for number in point])
    points = array("d", [number for route in routes for point in route for number in point])
    head = ANSWER.pack(boxes, starts[-1])
    return b"\0" + head + numbers.tobytes() + starts.tobytes() + points.tobytes()


def _pairs(code: str, data: bytes) -> list[Point]:
    numbers = array(code)
    numbers.frombytes(data)
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def serve() -> None:
    """Answer until the input ends. Whatever Graphviz prints goes to the standard error, not between the messages."""
    source = sys.stdin.buffer
    with os.fdopen(os.dup(1), "wb") as target:
        os.dup2(2, 1)
        while (request := read_message(source)) is not None:
            _die_after(REQUEST.unpack_from(request)[3])
            try:
                reply = answer(request)
            except Exception as error:  # noqa: BLE001  every failure of the library is told to the other end
                reply = b"\1" + f"{type(error).__name__}: {error}".encode()
            _die_after(0.0)
            write_message(target, reply)


def _die_after(seconds: float) -> None:
    """Let the system end this process once it has worked so long; 0 takes that back. Processor time, so that whether
    a graph gets its good drawing depends on the graph and not on what else the machine does. Windows has no such
    timer; there `process` waits no longer than its patience."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


if __name__ == "__main__":
    serve()
