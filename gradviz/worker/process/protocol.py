"""Frames between the program and its worker: a fixed prefix, a JSON header and raw bytes; never pickle, never eval.

A frame is `GV`, a version byte, a kind byte, the request it belongs to, and the lengths of header and payload; the
lengths are checked against a cap before anything is read. The worker is not trusted: whatever does not follow these
rules is a `ProtocolError`, and the client ends that worker. Next: `client` (the parent's side), `main` (the
child's)."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

VERSION = 2
HEADER_CAP = 8_000_000
_PREFIX = struct.Struct("<2sBBIII")
_MAGIC = b"GV"
_LARGE = 1 << 16  # bytes of a part of a payload


class FrameKind(IntEnum):
    """What a frame means; RUN and ANSWER go to the worker, FILE goes both ways, the others come from it."""

    READY = 1
    FAILED = 2
    RUN = 3
    OUTPUT = 4
    BATCH = 5
    DONE = 6
    ASK = 7  # input(): the header has the prompt, the run waits for ANSWER
    ANSWER = 8  # the header has the text, or null if there is none
    FILE = 10  # attached to the run that follows, or written by it: its name in the header, its bytes in the payload
    FIGURE = 9  # a plot as data: its description in the header, its numbers (little-endian float64) in the payload


class ProtocolError(Exception):
    """The other side sent something that is not a frame of this protocol."""


@dataclass(frozen=True)
class Frame:
    """One message: its kind, the request it belongs to, a JSON object and raw bytes; `size` is what it took in the
    pipe, once it has been read."""

    kind: FrameKind
    request: int
    header: dict[str, Any]
    payload: bytes = b""
    size: int = field(default=0, compare=False)


def encode(frame: Frame) -> bytes:
    """Return the bytes of a frame."""
    return _front(frame, len(frame.payload)) + frame.payload


def _front(frame: Frame, length: int) -> bytes:
    """Everything before a payload of this length."""
    header = json.dumps(frame.header, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return _PREFIX.pack(_MAGIC, VERSION, frame.kind, frame.request, len(header), length) + header


def write_frame(descriptor: int, frame: Frame, more: Sequence[bytes | bytearray] = ()) -> None:
    """Write a whole frame to a file descriptor, with `more` after its own payload; large parts are not copied."""
    payload = [frame.payload, *more]
    small: list[bytes | bytearray] = [_front(frame, sum(map(len, payload)))]
    for part in payload:
        if len(part) < _LARGE:
            small.append(part)
        else:
            _write(descriptor, b"".join(small))
            _write(descriptor, part)
            small.clear()
    _write(descriptor, b"".join(small))


def _write(descriptor: int, data: bytes | bytearray) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def read_frame(read: Callable[[int], bytes], message_cap: int) -> Frame | None:
    """Return the next frame from `read(n)` (at most n bytes, b"" at the end), or None if the stream ended between or
    inside frames."""
    prefix = _read_exactly(read, _PREFIX.size)
    if prefix is None:
        return None
    magic, version, kind, request, header_length, payload_length = _PREFIX.unpack(prefix)
    if magic != _MAGIC or version != VERSION:
        raise ProtocolError("this is not a GradViz worker message")
    if header_length > HEADER_CAP or payload_length > message_cap:
        raise ProtocolError(f"a message of {header_length + payload_length:,} bytes is too long")
    try:
        frame_kind = FrameKind(kind)
    except ValueError:
        raise ProtocolError(f"unknown message kind {kind}") from None
    header = _read_exactly(read, header_length)
    payload = _read_exactly(read, payload_length)
    if header is None or payload is None:
        return None
    return Frame(frame_kind, request, _decode_header(header), payload, _PREFIX.size + header_length + payload_length)


def _decode_header(raw: bytes) -> dict[str, object]:
    try:
        header = json.loads(raw.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        raise ProtocolError("a message header is not JSON") from None
    if type(header) is not dict:
        raise ProtocolError("a message header is not a JSON object")
    return header


def _read_exactly(read: Callable[[int], bytes], count: int) -> bytes | None:
    parts: list[bytes] = []
    while count:
        part = read(min(count, 1 << 20))
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def text_field(header: dict[str, object], name: str, cap: int = 100_000) -> str:
    """Return the text under `name` (empty if absent), cut to `cap`; refuses any other type."""
    value = header.get(name, "")
    if type(value) is not str:
        raise ProtocolError(f"the field {name} is not text")
    return value[:cap]


def count_field(header: dict[str, object], name: str) -> int:
    """Return the non-negative integer under `name` (0 if absent); refuses any other type."""
    value = header.get(name, 0)
    if type(value) is not int or value < 0:
        raise ProtocolError(f"the field {name} is not a count")
    return value
