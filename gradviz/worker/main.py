"""The worker process: import and exercise everything, forget its paths, close the locks, say READY, then run what is
requested until the pipe ends.

Started by `process.worker_process` (see `process.spawn` for the command). The pipe is moved to private descriptors
first, and 0 and 1 become the null device, so that nothing that C code prints can get into the protocol."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NoReturn

from gradviz.document.snippet import MOST_ATTACHED
from gradviz.worker.locks.oslock import lock_down
from gradviz.worker.locks.places import forget_environment, forget_places
from gradviz.worker.process.forking import SERVER_FLAG, forget_orders, on_deep_stack, serve_forks
from gradviz.worker.process.limits import MEMORY_MARGIN_MB
from gradviz.worker.process.parent import ended_with
from gradviz.worker.running.channel import Channel

if TYPE_CHECKING:
    from gradviz.worker.running.runner import Runner

_ELSEWHERE = (
    "numpy "  # first: if it is damaged, it says how, and ml_dtypes does not
    "_strptime encodings.idna encodings.latin_1 encodings.ascii encodings.unicode_escape encodings.raw_unicode_escape "
    "unicodedata decimal fractions numbers heapq bisect copyreg locale gettext shutil ml_dtypes "
    "numpy.polynomial numpy.fft numpy.random statistics csv cmath tarfile "
    "encodings.utf_8_sig encodings.utf_7 encodings.utf_16 encodings.utf_32 encodings.punycode encodings.cp1250 "
    "encodings.cp1251 encodings.cp1252 encodings.cp437 encodings.iso8859_2 encodings.iso8859_15 encodings.koi8_r"
).split()
if sys.version_info >= (3, 12):
    _ELSEWHERE.append("_pylong")  # divides very long numbers


def main() -> NoReturn:
    """Run the worker until its parent closes the pipe; never returns. As fork server, become one worker after
    another."""
    is_server = SERVER_FLAG in sys.argv
    pipe = None if is_server else _private_pipe()
    with ended_with(pipe[0] if pipe else 0, forget_orders if is_server else _nothing):
        prepared, failure = _try_to_prepare()
    if pipe is not None:
        _work(prepared, failure, pipe, _memory_mb(), 0)

    def work(stack_mb: int) -> NoReturn:
        order = serve_forks()
        if prepared is not None and order.ahead:
            _warm_up(prepared)
        _work(prepared, failure, _private_pipe(), order.memory_mb, stack_mb)

    on_deep_stack(work)


def _work(prepared: Runner | None, failure: str, pipe: tuple[int, int], memory_mb: int, stack_mb: int) -> NoReturn:
    """Lock this process, whose stack takes that much address space, and run what is requested."""
    reading, writing = pipe
    channel = Channel(writing, reading)
    try:
        if prepared is None:
            raise ImportError(failure)
        from gradviz.worker.running.audit import refuse_from_now_on

        prepared.report_to(channel, memory_mb)
        forget_environment()
        space_mb = memory_mb + MEMORY_MARGIN_MB + stack_mb
        layers = {"language": "on", "audit hook": "on", **lock_down(space_mb, reading, writing)}
        refuse_from_now_on()
    except BaseException as error:  # noqa: BLE001 the parent must hear why; this process is over
        channel.failed(failure or f"{type(error).__name__}: {error}")
        os._exit(1)
    channel.ready(layers)
    _serve(channel, prepared, reading)
    os._exit(0)


def _nothing() -> None:
    pass


def _private_pipe() -> tuple[int, int]:
    reading, writing = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    if os.name == "nt":  # no byte of a message is a line ending
        import msvcrt

        for descriptor in (reading, writing):
            msvcrt.setmode(descriptor, os.O_BINARY)  # type: ignore[attr-defined,unused-ignore]
    return reading, writing


def _try_to_prepare() -> tuple[Runner | None, str]:
    """Do everything up to the locks, or return the sentence that says why it failed."""
    try:
        return _prepare(), ""
    except BaseException as error:  # noqa: BLE001 the parent must hear why; this process is over
        return None, f"{type(error).__name__}: {error}"


def _prepare() -> Runner:
    """Import and exercise everything; output in the meantime is discarded. Hardly anything that is made here is ever
    freed, so the collector would search it in vain; it runs once while there is little, because it then stops following
    Python's own table of the files of compiled modules (see `places`). After that it runs at ticks, see `Collector`."""
    import gc
    import signal

    gc.disable()
    import_elsewhere()
    gc.collect()
    import gradviz.worker.running.audit  # noqa: F401 what `main` needs when nothing can be opened any more
    from gradviz.worker.modules.stand_ins import load_torch
    from gradviz.worker.objects.hardening import harden
    from gradviz.worker.running.runner import Runner
    from gradviz.worker.running.warm import warm

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch = load_torch()
    harden(torch)
    null = os.open(os.devnull, os.O_WRONLY)
    runner = Runner(Channel(null), torch)
    warm(runner)
    os.close(null)
    forget_places()
    gc.freeze()
    return runner


def import_elsewhere() -> None:
    """Import what of Python and the packages is compiled, or would be imported by C code or functions on first use."""
    import importlib

    for name in _ELSEWHERE:
        importlib.import_module(name)


def _warm_up(runner: Runner) -> None:
    """Take part of the work of the first run off it: after a fork, each page of memory is copied when it is first
    written to, and every reference count is a write."""
    from gradviz.worker.running.warm import TRAINING

    null = os.open(os.devnull, os.O_WRONLY)
    runner.report_to(Channel(null), 0)
    runner.rehearse([TRAINING])
    os.close(null)


def _serve(channel: Channel, runner: Runner, reading: int) -> None:
    from gradviz.trace.record.chains import Question
    from gradviz.trace.record.partials import places_of
    from gradviz.worker.process.protocol import FrameKind, read_frame
    from gradviz.worker.running.pacing import Plan

    files: dict[str, bytes] = {}
    while (frame := read_frame(lambda count: os.read(reading, count), MOST_ATTACHED)) is not None:
        if frame.kind is FrameKind.FILE:
            files[str(frame.header["name"])] = frame.payload
        elif frame.kind is FrameKind.RUN:
            limits = frame.header["limits"]
            channel.begin(frame.request, int(limits["output_chars"]))
            asked = [int(number) for number in frame.header.get("question") or ()]
            question = Question(asked[0], asked[1], bool(asked[2])) if len(asked) == 3 else None
            places = places_of(asked) if question is None else ()
            source, filename = frame.header["source"], frame.header["filename"]
            as_cpu = frame.header.get("cuda_as_cpu") is True
            values, plan = int(limits["values_mb"]) << 20, Plan.of(frame.header)
            again = frame.header.get("again") is True
            if again or asked:
                runner.settle()
            runner.run(source, filename, values, question, places, files, as_cpu, plan)
            files = {}
            if again:
                runner.prepare()


def _memory_mb() -> int:
    for argument in sys.argv:
        if argument.startswith("--memory-mb="):
            return int(argument.partition("=")[2])
    return 1500
