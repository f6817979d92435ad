"""Frames survive the way through the pipe; whatever is no frame ends that worker and nothing else."""

from __future__ import annotations

import io
import struct
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.trace.figures import MOST_FIGURES, MOST_NUMBERS
from gradviz.worker.process.events import Done, Event, Figure
from gradviz.worker.process.limits import Limits
from gradviz.worker.process.protocol import (
    Frame,
    FrameKind,
    ProtocolError,
    count_field,
    encode,
    read_frame,
    text_field,
    write_frame,
)
from gradviz.worker.process.run import Run, _detail
from gradviz.worker.process.worker_process import WorkerProcess
from tests.worker.hostile import worker_that

CAP = 1000


def read(raw: bytes) -> Frame | None:
    return read_frame(io.BytesIO(raw).read, CAP)


@given(
    kind=st.sampled_from(FrameKind),
    request=st.integers(0, 2**32 - 1),
    header=st.dictionaries(
        st.text(max_size=5), st.text() | st.integers() | st.none() | st.lists(st.text()), max_size=5
    ),
    payload=st.binary(max_size=CAP),
)
def test_a_frame_comes_back_as_it_was(kind: FrameKind, request: int, header: dict[str, object], payload: bytes) -> None:
    frame = Frame(kind, request, header, payload)
    stream = io.BytesIO(encode(frame) * 2)
    assert read_frame(stream.read, CAP) == frame
    assert read_frame(stream.read, CAP) == frame
    assert read_frame(stream.read, CAP) is None


def test_a_payload_in_parts_arrives_in_one_piece(tmp_path: Path) -> None:
    own, more = b"own", [bytearray(b"small"), b"large" * 40_000, b"", bytearray(b"next" * 20_000), b"end"]
    with (tmp_path / "frames").open("w+b") as file:
        write_frame(file.fileno(), Frame(FrameKind.BATCH, 3, {"rows": 1}, own), more)
        write_frame(file.fileno(), Frame(FrameKind.DONE, 3, {}))
        file.seek(0)
        frames = [read_frame(file.read, 1_000_000) for _ in range(3)]
    assert frames == [Frame(FrameKind.BATCH, 3, {"rows": 1}, own + b"".join(more)), Frame(FrameKind.DONE, 3, {}), None]


@given(st.binary(max_size=200))
@settings(max_examples=300)
def test_any_bytes_are_a_frame_an_end_or_an_error(raw: bytes) -> None:
    for candidate in (raw, b"GV" + raw, b"GV\x02\x05" + raw):
        try:
            frame = read(candidate)
        except ProtocolError:
            continue
        assert frame is None or isinstance(frame, Frame)


@given(st.data())
def test_a_cut_stream_is_an_end(data: st.DataObject) -> None:
    raw = encode(Frame(FrameKind.OUTPUT, 1, {"text": "x"}, b"payload"))
    assert read(raw[: data.draw(st.integers(0, len(raw) - 1))]) is None


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"X" * 16, "not a GradViz worker message"),
        (struct.pack("<2sBBIII", b"GV", 9, 5, 0, 2, 0) + b"{}", "not a GradViz worker message"),
        (struct.pack("<2sBBIII", b"GV", 2, 99, 0, 2, 0) + b"{}", "unknown message kind 99"),
        (struct.pack("<2sBBIII", b"GV", 2, 5, 0, 2**32 - 1, 0), "too long"),
        (struct.pack("<2sBBIII", b"GV", 2, 5, 0, 2, CAP + 1), "too long"),
        (struct.pack("<2sBBIII", b"GV", 2, 5, 0, 2, 0) + b"[]", "not a JSON object"),
        (struct.pack("<2sBBIII", b"GV", 2, 5, 0, 2, 0) + b"\xff\xfe", "not JSON"),
        (struct.pack("<2sBBIII", b"GV", 2, 5, 0, 200_000, 0) + b"[" * 200_000, "not JSON"),
        (struct.pack("<2sBBIII", b"GV", 2, 5, 0, 10_001, 0) + b"1" * 10_001, "not JSON"),
    ],
)
def test_what_is_no_frame_is_named(raw: bytes, words: str) -> None:
    with pytest.raises(ProtocolError, match=words):
        read(raw)


@pytest.mark.parametrize("value", [1, None, ["x"], {"x": 1}, True])
def test_fields_of_the_wrong_type_are_refused(value: object) -> None:
    with pytest.raises(ProtocolError):
        text_field({"text": value}, "text")
    if value != 1 or value is True:
        with pytest.raises(ProtocolError):
            count_field({"steps": value}, "steps")


def test_negative_counts_are_refused() -> None:
    with pytest.raises(ProtocolError):
        count_field({"steps": -1}, "steps")


HOSTILE = {
    "garbage": "os.write(1, b'garbage, and more of it')",
    "garbage after a valid frame": "send(4, 1, {'stream': 'out', 'text': 'x'}); os.write(1, b'garbage' * 9)",
    "another request": "send(4, 2, {'stream': 'out', 'text': 'x'})",
    "unknown stream": "send(4, 1, {'stream': 'log', 'text': 'x'})",
    "text that is none": "send(4, 1, {'stream': 'out', 'text': 5})",
    "unknown status": "send(6, 1, {'status': 'stopped'})",
    "status that is none": "send(6, 1, {'status': ['ok']})",
    "refusals that are none": "send(6, 1, {'status': 'refused', 'refusals': [[1, 'x', ['y']]]})",
    "refusals without end": "send(6, 1, {'status': 'refused', 'refusals': [[1, 'x', 'y']] * 1000})",
    "missing things that are none": "send(6, 1, {'status': 'raised', 'missing': [['a', 'a', 'a', ['1']]]})",
    "missing things without names": "send(6, 1, {'status': 'raised', 'missing': [['a', 1, 'a', [1]]]})",
    "missing things without end": "send(6, 1, {'status': 'raised', 'missing': [['a', 'a', 'a', [1]]] * 1000})",
    "lines without end": "send(6, 1, {'status': 'raised', 'missing': [['a', 'a', 'a', [1] * 1000]]})",
    "files without end": "for n in range(101): send(10, 1, {'name': 'a', 'size': 0})",
    "a file with a name that is none": "send(10, 1, {'name': ['a'], 'size': 0})",
    "a file of less than nothing": "send(10, 1, {'name': 'a', 'size': -1})",
    "ready twice": "send(1, 1, {'layers': {}})",
    "a request to the program": "send(3, 1, {'source': 'x'})",
    "batch without rows": "send(5, 1, {})",
    "batch with negative rows": "send(5, 1, {'rows': {'steps': -5}})",
    "header of lies": "os.write(1, struct.pack('<2sBBIII', b'GV', 2, 5, 1, 2 ** 32 - 1, 2 ** 32 - 1))",
    "half a frame": "os.write(1, struct.pack('<2sBBIII', b'GV', 2, 5, 1, 100, 0)); sys.exit()",
    "deep header": "os.write(1, struct.pack('<2sBBIII', b'GV', 2, 5, 1, 90_000, 0)); os.write(1, b'[' * 90_000)",
    "a pickle": "import pickle; raw = pickle.dumps(print); os.write(1, raw * 10)",
    "silence and an end": "sys.exit(7)",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_worker_is_ended_with_a_sentence(name: str) -> None:
    events: list[Event] = []
    worker = worker_that(HOSTILE[name])
    run = Run("x = 1", "snippet.py", Limits(wall_seconds=30), events.append)
    run.attach(worker, 1)
    done = run.wait(60)
    worker.join()
    run.join()
    assert done is not None
    assert done.status == "died"
    assert done.detail.sentence.startswith("The worker process ended unexpectedly")
    assert not worker.is_alive


PLOTS = {
    "one too many": f"for _ in range({MOST_FIGURES + 1}): send(9, 1, {{}})",
    "too large a one": f"send(9, 1, {{}}, bytes({8 * MOST_NUMBERS + 8}))",
}


@pytest.mark.parametrize("name", PLOTS)
def test_plots_are_counted_whatever_the_worker_counts(name: str) -> None:
    done, events = ended(f"{PLOTS[name]}\nsend(6, 1, {{'status': 'ok'}})")
    assert done.status == "died"
    assert "a plot too many, or too large" in done.detail.sentence
    assert sum(isinstance(each, Figure) for each in events) <= MOST_FIGURES


def test_a_worker_that_takes_memory_is_ended_also_where_nothing_bounds_it() -> None:
    """The kernel's bound of a locked worker is not there."""
    done, _ = ended("held = b'x' * (300 << 20)", Limits(memory_mb=200, wall_seconds=30))
    assert done.status == "limit"
    assert "more than 200 MB of memory" in done.detail.sentence


def test_a_message_after_the_end_ends_the_worker() -> None:
    worker = worker_that("send(6, 1, {'status': 'ok'}); send(4, 1, {'stream': 'out', 'text': 'x'})")
    run = Run("x = 1", "snippet.py", Limits(), lambda event: None)
    run.attach(worker, 1)
    worker.join()
    run.join()
    assert run.result is not None
    assert run.result.status == "ok"
    assert not worker.is_alive


def ended(script: str, limits: Limits | None = None) -> tuple[Done, list[Event]]:
    """How a run ends in a worker that does this."""
    events: list[Event] = []
    worker = worker_that(script, limits)
    run = Run("x = 1", "snippet.py", limits or Limits(), events.append)
    run.attach(worker, 1)
    done = run.wait(60)
    worker.kill()
    worker.join()
    run.join()
    assert done is not None
    return done, events


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import sys; sys.exit(3)", "exit status 3"),
        ("print('hello, this is not the protocol')", "not a GradViz worker message"),
        ("import nothing_like_it", "exit status 1"),
    ],
)
def test_a_worker_that_never_gets_ready(code: str, words: str) -> None:
    events: list[Event] = []
    worker = WorkerProcess(Limits(), command=[sys.executable, "-c", code])
    run = Run("x = 1", "snippet.py", Limits(), events.append)
    run.attach(worker, 1)
    done = run.wait(60)
    worker.join()
    run.join()
    assert done is not None
    assert done.status == "died"
    assert done.detail.sentence.startswith("The worker process could not start")
    assert words in done.detail.sentence


def test_a_worker_that_hangs_before_it_is_ready() -> None:
    limits = Limits(start_seconds=0.3)
    worker = WorkerProcess(limits, command=[sys.executable, "-c", "while True: pass"])
    run = Run("x = 1", "snippet.py", limits, lambda event: None)
    run.attach(worker, 1)
    done = run.wait(60)
    worker.join()
    run.join()
    assert done is not None
    assert "not ready after 0.3 seconds" in done.detail.sentence


def test_a_worker_ends_with_the_program_that_started_it() -> None:
    """A program that is killed leaves no worker behind, not even one in an endless loop."""
    code = (
        "import sys, time\nfrom gradviz.worker.process.client import WorkerPool\n"
        "pool = WorkerPool()\n"
        "run = pool.start('print(1)\\nwhile True: pass', lambda event: print(run_pid(), flush=True))\n"
        "def run_pid(): return next(iter(pool._workers)).pid\n"
        "sys.stdin.read()\n"
    )
    import subprocess

    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as app:
        assert app.stdout is not None
        pid = int(app.stdout.readline())
        app.kill()
    gone = threading.Event()
    threading.Thread(target=lambda: (_wait_gone(pid), gone.set()), daemon=True).start()
    assert gone.wait(20)


def _wait_gone(pid: int) -> None:
    """Block until a process that is not our child has ended (a descriptor of it becomes readable)."""
    import os
    import select

    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    select.select([descriptor], [], [])
    os.close(descriptor)


@pytest.mark.parametrize(
    ("line", "taken"), [(3, 3), (0, -1), (-5, -1), (2**31 - 1, 2**31 - 1), (2**31, -1), (10**30, -1)]
)
def test_the_lines_of_an_end_are_ones_that_an_editor_can_count(line: int, taken: int) -> None:
    header = {"line": line, "refusals": [[line, "x", "y"]], "missing": [["a", "a", "x", [line]]]}
    found = _detail(Frame(FrameKind.DONE, 1, header))
    assert (found.line, found.refusals[0].line, found.missing[0].lines) == (taken, taken, (taken,))


def test_a_list_of_obstacles_has_short_texts() -> None:
    long = "x" * 100_000
    found = _detail(Frame(FrameKind.DONE, 1, {"refusals": [[1, long, long]], "missing": [[long, long, long, [1]]]}))
    texts = (found.refusals[0].what, found.refusals[0].advice, *vars(found.missing[0]).values())
    assert [len(text) for text in texts[:-1]] == [500] * 5
