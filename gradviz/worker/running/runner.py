"""Runs one snippet inside the worker: fresh state, policy, recording, and how it ended, in words.

In this order: everything that an earlier run may have left is reset; the text is checked, instrumented and compiled;
the code runs. The audit hook refuses all the while (`audit`): code of the snippet can run at any moment, when a
generator that it left open is closed, or in its `__str__`."""

from __future__ import annotations

import _thread
import ctypes
import gc
import itertools
import linecache
import os
import signal
import sys
import threading
import time
import types
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from gradviz.engine.kernel.devices import ACCELERATORS, STANDING
from gradviz.engine.kernel.state import Observer, begin_run, set_observer
from gradviz.trace.record.chains import Question
from gradviz.trace.record.finite_differences import Nudge, Search, differences
from gradviz.trace.record.instrument import instrument
from gradviz.trace.record.partials import Place
from gradviz.trace.record.recorder import Recorder
from gradviz.trace.table.encoding import BUDGET
from gradviz.worker.language.errors import FAILED, ErrorText, describe
from gradviz.worker.language.guard import Guard
from gradviz.worker.language.missing_uses import is_missing, missing_uses
from gradviz.worker.language.policy import Refusal, compile_snippet
from gradviz.worker.modules.games import read_form
from gradviz.worker.modules.plots.facade import Accepted
from gradviz.worker.modules.saved_files import torch_names
from gradviz.worker.modules.scratch import SCRATCH
from gradviz.worker.modules.snippet_builtins import snippet_builtins
from gradviz.worker.modules.stand_ins import TorchFacade, World, torch_modules
from gradviz.worker.modules.vision.datasets import expect, hurry
from gradviz.worker.objects.identity import Identities
from gradviz.worker.policy_names import LOOKED_FOR
from gradviz.worker.process.limits import MOST_WRITTEN, WRITTEN_BYTES
from gradviz.worker.running.channel import Channel
from gradviz.worker.running.fresh import Fresh
from gradviz.worker.running.pacing import USUAL, Again, Pace, Plan, begin

# -- where the runner meets the engine and the trace: a recorder listens during a run


@contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """Context in which the engine reports to this observer."""
    set_observer(observer)
    try:
        yield
    finally:
        set_observer(None)


def record_error(recorder: Recorder, error: BaseException, told: ErrorText) -> None:
    """Record the last step of a run that raised."""
    set_observer(None)
    recorder.raised(error, told.place, (told.type_name, told.message, told.traceback, told.last_line))


CUDA_IS_CPU = "cuda and mps are the CPU in this run: Run > Treat cuda as cpu."
_ROOM = 32 << 20  # bytes; they are never touched, so they use address space but no memory
INTERVAL = 0.05
_TRIES = 5  # to end what a run has left: something that ends can leave something else
SOON = 0.002  # seconds until the next try, when a tick came at a bad moment


class Collector:
    """How often Python looks for unreachable cycles. While a graph grows there is more and more to search and nothing
    to find, which takes a quarter of the time; so it searches rarely while a quarter of the memory suffices. A run that
    makes cycles of large arrays exceeds that, and from there on Python collects as often as it does by itself; if the
    heap can't be measured, always.

    What it finds may be a generator of the snippet, whose `finally` runs then. Python collects when it has made many
    objects, wherever that is: where GradViz looks at something before it uses it, and before 3.12 also in the middle of
    C code, such as one that copies a list. So a worker never collects by itself; what is due is collected at a tick
    that comes while nothing that guards is at work.

    `used` measures the heap, which takes up to half a millisecond when the caches are cold, and `clock` the processor
    time: a run that waits measures nothing, or its ticks alone would look like computing to the program."""

    def __init__(self, used: Callable[[], int] | None, clock: Callable[[], float] = time.process_time) -> None:
        self._used, self._clock = used, clock
        self._looked = 0.0
        self._room = 0

    def begin(self, memory_mb: int) -> None:
        """Begin a run that may use this much memory."""
        self._room = memory_mb << 18
        self._look()

    def look(self) -> None:
        """Adjust how often, if anything was computed since the last time."""
        if self._clock() - self._looked > _NOTHING:
            self._look()

    def _look(self) -> None:
        self._looked = self._clock()
        gc.set_threshold(*(_SELDOM if self._used is not None and self._used() < self._room else _USUAL))

    def collect(self, frame: types.FrameType | None) -> bool:
        """Collect what is due, in this frame; return False if it has to wait for another one."""
        due = zip(gc.get_count(), gc.get_threshold(), strict=True)
        generation = max((at for at, (count, most) in enumerate(due) if count > most), default=None)
        if generation is None or gc.isenabled():
            return True
        if frame is None or not _may_be_interrupted(frame.f_globals):
            return False
        gc.collect(generation)
        return True

    def end(self) -> None:
        """End the run: restore the setting from before."""
        gc.set_threshold(*_USUAL)


_USUAL, _SELDOM = gc.get_threshold(), (50_000, 50, 50)
_NOTHING = 0.002  # seconds of processor time: no more than a few ticks take


def _may_be_interrupted(names: Mapping[str, object]) -> bool:
    """Whether code with these global names may find that something of the snippet has run meanwhile."""
    return "<get>" in names or not str(names.get("__name__")).startswith("gradviz.worker.")


class _Heap(ctypes.Structure):
    """What glibc says of its heap; fields that are not used have numbers for names."""

    _fields_ = [(name, ctypes.c_size_t) for name in "arena 1 2 3 mapped 5 6 used 8 9".split()]


def heap_reader() -> Callable[[], int] | None:
    """Return a function that tells how many bytes allocated by the C library are in use, including all large arrays;
    None if it does not count them. It makes no system calls, so a locked process may call it."""
    count = getattr(ctypes.CDLL(None), "mallinfo2", None) if sys.platform.startswith("linux") else None
    if count is None:
        return None
    count.restype = _Heap

    def used() -> int:
        found = count()
        return int(found.mapped + found.used)

    return used


def _is_well(code: object) -> bool:
    return code is None or (type(code) is int and code == 0)


def _call_with_room_afterwards(function: Callable[[], object]) -> None:
    """Reserve room, so that a snippet that takes all available memory leaves enough to report how it ended."""
    room = bytes(_ROOM)
    try:
        function()
    finally:
        del room


class Ticker:
    """Calls `tick` in the main thread about every 50 ms between `start` and `stop`, between two bytecodes, also while
    the snippet loops and reports nothing; and again soon when it returns False.

    By an interval timer if there is one; otherwise (Windows) a thread raises a signal's handler. That thread must exist
    before the locks close; it sleeps while nothing runs."""

    def __init__(self, tick: Callable[[], bool], by_thread: bool = not hasattr(signal, "setitimer")) -> None:
        self._by_thread = by_thread
        self._number = signal.SIGTERM if by_thread else signal.SIGALRM
        self._running = threading.Event()
        self._tick = tick
        self._rings = False  # a signal that comes meanwhile is let pass, or ticks would nest on a loaded machine
        self._collector = Collector(heap_reader())
        signal.signal(self._number, lambda number, frame: self._ring(frame))
        if by_thread:
            threading.Thread(target=self._beat, name="gradviz-ticker", daemon=True).start()

    def start(self, memory_mb: int = 0) -> None:
        """Begin ticking, in a run that may use this much memory."""
        self._collector.begin(memory_mb)
        self._running.set()
        if not self._by_thread:
            signal.setitimer(signal.ITIMER_REAL, INTERVAL, INTERVAL)

    def stop(self) -> None:
        """Stop ticking."""
        self._collector.end()
        self._running.clear()
        if not self._by_thread:
            signal.setitimer(signal.ITIMER_REAL, 0.0)

    def _ring(self, frame: types.FrameType | None) -> None:
        if self._rings:
            return
        self._rings = True
        try:
            if self._running.is_set():
                self._collector.look()
            is_done = self._tick()
        finally:
            self._rings = False
        if self._running.is_set():
            is_done = is_done and self._collector.collect(frame)
            if not is_done and not self._by_thread:
                signal.setitimer(signal.ITIMER_REAL, SOON, INTERVAL)

    def _beat(self) -> None:
        while True:
            self._running.wait()
            time.sleep(INTERVAL)
            if self._running.is_set():
                _thread.interrupt_main(self._number)


_CODE = vars(SystemExit)["code"]  # a class of the snippet may override it with a method that raises
_QUIET = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)


class Runner:
    """Runs snippets one after the other; `run` answers on the channel, the last message being DONE."""

    def __init__(self, channel: Channel, torch: dict[str, types.ModuleType]) -> None:
        self._memory_mb = 0
        self._channel = channel
        self._torch = TorchFacade(torch_modules(torch, torch_names()))
        self._ticker = Ticker(self._tick)
        self._print_options = np.get_printoptions()
        self._world: World | None = None
        self._fresh: Fresh | None = None
        self._files: Mapping[str, bytes] = {}
        self._cuda_as_cpu = False
        self._plan = USUAL
        self._pace: Pace | None = None
        self._again: list[str] = []  # the same, for when it runs again
        self.prepare()

    def settle(self) -> None:
        """Record the state that each run starts from, unless that was done: nothing has run, and several runs will."""
        self._fresh = self._fresh or Fresh()

    def run(
        self,
        source: str,
        filename: str,
        values_bytes: int = BUDGET,
        question: Question | None = None,
        places: Sequence[Place] = (),
        files: Mapping[str, bytes] = MappingProxyType({}),
        cuda_as_cpu: bool = False,
        plan: Plan = USUAL,
    ) -> None:
        """Run the snippet and report how it ended; call `prepare` afterwards if another one follows."""
        if self._filename:
            self.prepare()
        self._files, self._cuda_as_cpu, self._plan = files, cuda_as_cpu, plan
        if cuda_as_cpu:
            self._note(CUDA_IS_CPU)
        self._place_files()
        ended = self._run(source, filename, values_bytes, question, places)
        if self._world is not None and (ended["status"] == "refused" or is_missing(ended.get("sentence", ""))):
            ended["missing"] = missing_uses(source, filename, self._world.modules, self._world.own)
        if question is None:
            _send_files(self._channel)
        self._channel.done(ended)

    def prepare(self) -> None:
        """Prepare what a run needs and can be made before its text is known; first, remove what the last one left."""
        if self._world is not None:
            self._end(weakref.ref(self._world.guard))
        self._renew()
        self._quiet = False  # it runs again, and nothing is reported
        self._filename = ""  # of the snippet that has run since
        self._answers: list[str] = []  # of input() so far

    def _end(self, guard: weakref.ref[Guard]) -> None:
        """Let what waits in the last run end now, such as a generator before its `finally`: nothing of it is left when
        its guard is gone, which all functions of the snippet call. In a process that keeps it, no other run follows."""
        self._quiet, self._world, self._pace = True, None, None
        self._channel.record(None)
        self._torch.forget()
        Identities(lambda thing: False)  # which numbers objects meanwhile, in place of those of the last run
        for _ in range(_TRIES):
            self._reset()
            gc.collect()
            if guard() is None or self._fresh is None:
                return
            self._fresh.restore()
        os._exit(0)

    def _renew(self) -> None:
        """Make everything as in a new process."""
        self._world = self._pace = None
        if self._fresh is not None:
            self._fresh.restore()
        self._reset()
        self._world = World(self._torch, self._write, self._show_figure)

    def _place_files(self) -> None:
        """Put what is attached into the folder of the run, and set the devices and arguments that the user chose."""
        assert self._world is not None
        STANDING.kinds = ACCELERATORS if self._cuda_as_cpu else frozenset()
        for name, data in self._files.items():
            SCRATCH.attach(name, data)
        self._world.attach(self._files, self._plan.arguments)

    def _tick(self) -> bool:
        if not self._channel.tick():
            return False
        if self._pace is not None:
            self._pace.tick(self._channel.sent)
        return True

    def _write(self, stream: str, text: str) -> None:
        if not self._quiet:
            self._channel.write(stream, text)

    def _ask(self, prompt: str) -> str:
        if self._quiet:
            if not self._again:
                raise EOFError("EOF when reading a line")
            return self._again.pop(0)
        self._answers.append(self._channel.ask(prompt))
        return self._answers[-1]

    def _note(self, text: str) -> None:
        self._channel.write("err", f"{text}\n")

    def _show_figure(self, header: dict[str, object], payload: bytes) -> None:
        if not self._quiet:
            line = snippet_line(self._filename) if self._filename else 0
            self._channel.figure({**header, "line": line or -1}, payload)

    def _run(
        self, source: str, filename: str, values_bytes: int, question: Question | None, places: Sequence[Place]
    ) -> dict[str, Any]:
        world = self._world
        assert world is not None
        self._filename = world.modules["sys"].argv[0] = filename
        read_form(source, self._note)
        linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
        self._show_warnings(filename)
        try:
            code = compile_snippet(source, filename, world.modules, instrument, self._note, world.own)
        except Refusal as refusal:
            return _refused(refusal)
        except Exception as error:  # noqa: BLE001 whatever Python's compiler says about this text
            return _raised(self._describe(error))
        recorder = Recorder(source, filename, values_bytes, question, places)
        self._channel.record(recorder)
        asks = question is not None or bool(places)
        self._pace = begin(self._plan, recorder, self._note, (expect, hurry), asks=asks)
        if question is None or not question.nudges:
            return self._execute(code, world, recorder, recorder, filename)
        search = Search(question, recorder)
        ended = self._execute(code, world, recorder, cast(Observer, search), filename)
        self._quiet = True
        differences(search, lambda nudge: self._once_more(code, nudge, filename), recorder)
        return ended

    def _once_more(self, code: types.CodeType, nudge: Nudge, filename: str) -> None:
        """Run it with a different number, from the beginning; nothing is recorded."""
        self._renew()
        self._place_files()
        self._again = list(self._answers)
        assert self._world is not None
        Again(recorder := Recorder("", filename, 0), self._plan.gaps)
        self._execute(code, self._world, recorder, cast(Observer, nudge), filename)

    def rehearse(self, sources: list[str]) -> None:
        """Run these snippets of our own, which leave nothing in tables, before anybody listens, to fill caches."""
        for source in sources:
            self._channel.begin(0, 100_000)
            self.run(source, "rehearsal.py")
            self._filename = ""  # the next one may begin with what this one left
        self.prepare()

    def report_to(self, channel: Channel, memory_mb: int) -> None:
        """From now on answer on this channel, in a process with this much memory."""
        self._channel, self._memory_mb = channel, memory_mb

    def _execute(
        self, code: types.CodeType, world: World, recorder: Recorder, observer: Observer, filename: str
    ) -> dict[str, Any]:
        guard = world.guard
        names = (world.import_module, printer(self._write), self._ask, world.load_child)
        guard.globals.update(
            **dict.fromkeys(("__doc__", "__package__")),
            __name__="__main__",
            __file__=filename,
            __builtins__=snippet_builtins(guard, world.classes, *names),
        )
        guard.globals.update({**guard.hooks(), **recorder.hooks(), "<echo>": self._echo(guard.globals["__builtins__"])})
        function = types.FunctionType(code, guard.globals)
        with observed(observer):
            self._ticker.start(self._memory_mb)
            try:
                _call_with_room_afterwards(function)
            except SystemExit as leaving:
                return self._left(leaving)
            except BaseException as error:  # noqa: BLE001 what a snippet raises is its result
                described = self._describe(error)
                self._write("err", _not_found(error))
                record_error(recorder, error, described)
                return self._out_of_memory(described) if isinstance(error, MemoryError) else _raised(described)
            finally:
                self._ticker.stop()
                self._write("err", recorder.finish())
                with suppress(MemoryError):
                    world.plots.finish()
        return {"status": "ok"}

    def _left(self, leaving: SystemExit) -> dict[str, Any]:
        """sys.exit(): without a code, or with 0, all is well."""
        return {"status": "ok"} if _is_well(_CODE.__get__(leaving)) else _raised(self._describe(leaving))

    def _describe(self, error: BaseException) -> ErrorText:
        return describe(error, self._filename, self._world.own.paths if self._world else frozenset())

    def _out_of_memory(self, error: ErrorText) -> dict[str, Any]:
        """The address space is bounded: what asks for more gets a MemoryError, unless the parent was faster."""
        sentence = f"The run was stopped because it asked for more than {self._memory_mb:,} MB of memory."
        return {**_raised(error), "status": "limit", "sentence": sentence}

    def _reset(self) -> None:
        """Reset to the state of a new process, whatever the run before did."""
        SCRATCH.forget()
        begin_run()
        STANDING.kinds = frozenset()
        np.set_printoptions(**self._print_options)
        sys.setrecursionlimit(1000)
        warnings.resetwarnings()
        for category in _QUIET:
            warnings.simplefilter("ignore", category)
        warnings.filterwarnings("default", category=DeprecationWarning, module="__main__")
        warnings.simplefilter("always", append=True)  # `_show_warnings` decides what is shown once

    def _echo(self, names: dict[str, object]) -> Callable[[object], None]:
        """Do what Python does with the value of an expression at a prompt; `_` is the last one."""

        def echo(value: object) -> None:
            if value is not None and type(value) is not Accepted:  # for most of these, matplotlib returns None
                self._write("out", f"{str.__str__(repr(value))}\n")
                names["_"] = value

        return echo

    def _show_warnings(self, filename: str) -> None:
        """Write warnings to the error stream as Python prints them, once for each text and line of the snippet."""
        shown: set[tuple[str, str, int]] = set()
        write = self._write

        def show(message: object, category: type[Warning], where: str, line: int, *rest: object) -> None:
            line = snippet_line(filename) or line
            try:
                text = str.__str__(str(message))
            except Exception:  # noqa: BLE001 a warning class of the snippet with a __str__ that raises
                text = FAILED
            key = (text, category.__name__, line)
            # the last filter is ours; another "always" means that the snippet wants to see each one
            always = any(f[0] == "always" and issubclass(category, f[2]) for f in warnings.filters[:-1])
            if key in shown and not always:
                return
            shown.add(key)
            source = linecache.getline(filename, line).strip()
            write("err", f"{filename}:{line}: {category.__name__}: {text}\n" + (f"  {source}\n" if source else ""))

        warnings.showwarning = show  # type: ignore[assignment]


def printer(write: Callable[[str, str], None]) -> Callable[..., None]:
    """Return the snippet's `print`, which writes with this function."""

    def print_(*values: object, sep: object = " ", end: object = "\n", file: Any = None, flush: bool = False) -> None:
        between, after = _text_or("sep", sep, " "), _text_or("end", end, "\n")
        text = between.join([str.__str__(str(value)) for value in values]) + after
        if file is None:
            write("out", text)
        else:
            file.write(text)

    print_.__name__ = print_.__qualname__ = "print"
    return print_


def _not_found(error: BaseException) -> str:
    """Return a sentence about files that the run looked for in vain: what it lacks now may have been in them."""
    if not SCRATCH.unmatched or not isinstance(error, Exception):
        return ""
    found = f"{LOOKED_FOR} {SCRATCH.unmatched!r} and found none"
    return f"{found}: attach them, or the folder that they are in.\n"


def _send_files(channel: Channel) -> None:
    """Send what the run wrote; of what is too much, only the names."""
    room = WRITTEN_BYTES
    with suppress(MemoryError):
        for name, data, is_object in itertools.islice(SCRATCH.written(), MOST_WRITTEN):
            kept = data if len(data) <= room and not is_object else b""
            room -= len(kept)
            channel.file(name, kept, len(data), is_object)


def _refused(refusal: Refusal) -> dict[str, object]:
    every = [[each.line, each.what, each.way_round] for each in refusal.every]
    return {"status": "refused", "sentence": refusal.sentence, "line": refusal.line, "refusals": every}


def _raised(error: ErrorText) -> dict[str, Any]:
    return {
        "status": "raised",
        "sentence": error.last_line,
        "line": error.line,
        "traceback": error.traceback,
        "last_line": error.last_line,
    }


def _text_or(name: str, value: object, default: str) -> str:
    if value is None:
        return default
    if not isinstance(value, str):
        raise TypeError(f"{name} must be None or a string, not {type(value).__name__}")
    return str.__str__(value)


def snippet_line(filename: str) -> int:
    """Return the line of the snippet that is running now, 0 if there is none."""
    frame: types.FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename == filename:
            return frame.f_lineno
        frame = frame.f_back
    return 0
