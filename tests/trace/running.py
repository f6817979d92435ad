"""Run a snippet in this process with the real engine and recorder, as the worker does in its own."""

from __future__ import annotations

import ast
import builtins
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TextIO

import gradviz.torch as torch
from gradviz.engine.kernel.state import set_observer, state
from gradviz.trace.record.chains import Question
from gradviz.trace.record.instrument import instrument
from gradviz.trace.record.location import place_of
from gradviz.trace.record.partials import Place
from gradviz.trace.record.recorder import Recorder
from gradviz.trace.table.encoding import joined
from gradviz.trace.table.schema import Batch
from gradviz.trace.table.trace import Trace
from gradviz.worker.modules.arrays import numpy_modules

NUMPY = {"numpy": numpy_modules()["numpy"]}
FILENAME = "<snippet>"


def record(
    source: str,
    every: int = 0,
    question: Question | None = None,
    places: Sequence[Place] = (),
    turns: Callable[[Recorder], object] = id,
) -> Iterator[Batch]:
    """The batches of a run; with `every`, one after each so many top-level statements. `turns` may pause the recorder
    where iterations begin."""
    torch.manual_seed(0)  # two runs of a snippet are the same
    torch.set_grad_enabled(True)  # and the last one may have switched it off
    state.sequence = 0
    recorder = Recorder(source, FILENAME, question=question, places=places)
    listener = turns(recorder)
    tree = instrument(ast.parse(source, FILENAME))

    def printed(*args: object, sep: str = " ", end: str = "\n") -> None:
        recorder.text("out", sep.join(map(str, args)) + end)

    ours = [(name, module) for name, module in sys.modules.items() if f"{name}.".startswith("gradviz.torch.")]
    sys.modules.update({name.removeprefix("gradviz."): module for name, module in ours})  # or it would load them anew
    builtin = {**vars(builtins), "__import__": _import}
    world = {"print": printed, "__name__": "__main__", "__builtins__": builtin, **recorder.hooks()}
    statements = tree.body
    chunks = [statements] if not every else [statements[i : i + every] for i in range(0, len(statements), every)]

    def warned(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        recorder.text("err", f"{category.__name__}: {message}\n")

    set_observer(recorder)
    try:
        for chunk in chunks:
            with warnings.catch_warnings():
                warnings.simplefilter("default")
                warnings.showwarning = warned
                exec(compile(ast.Module(chunk, []), FILENAME, "exec"), world)
            if every and (parts := recorder.take_parts()):
                yield joined(parts)
    except Exception as error:  # noqa: BLE001  what a snippet raises is what is looked at
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILENAME]
        last = traceback.format_exception_only(error)[-1].strip()
        whole = "".join(traceback.format_exception(error))
        recorder.raised(error, place_of(frames[-1]), (type(error).__name__, str(error), whole, last))
    finally:
        set_observer(None)
        recorder.finish()
        del listener
    if parts := recorder.take_parts():
        yield joined(parts)


def _import(name: str, *args: Any) -> object:
    """Import a module for a snippet: NumPy's stand-in, which reports what is written."""
    numpy = NUMPY.get(name)
    return builtins.__import__(name, *args) if numpy is None else numpy


def run(
    source: str,
    every: int = 0,
    question: Question | None = None,
    places: Sequence[Place] = (),
    turns: Callable[[Recorder], object] = id,
) -> Trace:
    """The trace of a snippet."""
    trace = Trace(source)
    for batch in record(source, every, question, places, turns):
        trace.extend(batch)
    return trace
