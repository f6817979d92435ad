"""One contender in a process of its own: `python -m benchmarks.contender NAME`, with one of `CONTENDERS`. It first says
what it is and what it can't do (or that it is not here); then it reads "check WORKLOAD" or "time WORKLOAD" line by line
and answers in JSON, with what the round found or with the seconds of CPU that it took. It needs no more than this
folder and what it measures, so that real PyTorch may live in another Python. `__main__.py` is the other end."""

from __future__ import annotations

import functools
import gc
import importlib
import json
import sys
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import workloads
from benchmarks.problems import PROBLEMS, Problem, Round
from benchmarks.workloads import WORKLOADS

Rounds = Mapping[str, Callable[[Problem], Round]]
LIBRARIES = ("autograd", "micrograd", "tinygrad", "numpy")  # each in a module `with_…`
WHILE = 0.05  # seconds
CONTENDERS = ("pytorch", "engine", "recording", "sending", "beyond", *LIBRARIES)


def torch_of(name: str) -> Any:
    """What the workloads are to use as `torch`."""
    if name != "pytorch":
        return importlib.import_module("gradviz.torch")
    torch = importlib.import_module("torch")  # the real one: never imported by the program itself
    torch.set_num_threads(1)
    return torch


def recorded(one_round: Callable[[], Any], send: bool = False, beyond: bool = False) -> tuple[Any, Any]:
    """The round with a fresh recorder watching it: what it returned, and the recorder or (`send`) the batch that would
    go to the window. `beyond`: the budget for values is spent already."""
    from gradviz.engine.kernel.state import set_observer
    from gradviz.trace.record.recorder import Recorder
    from gradviz.trace.table.encoding import BUDGET

    recorder = Recorder(_source(), workloads.__file__, 0 if beyond else BUDGET)
    set_observer(recorder)
    try:
        found = one_round()
    finally:
        set_observer(None)
    return found, recorder.take_parts() if send else recorder


@functools.cache
def _source() -> str:
    return Path(workloads.__file__).read_text(encoding="utf-8")


def in_torch(name: str) -> tuple[str, dict[str, str], Rounds]:
    """Version, what is missing, and the rounds of PyTorch and of ours."""
    torch = torch_of(name)
    version = f"PyTorch {torch.__version__}" if name == "pytorch" else "GradViz on NumPy " + version_of("numpy")

    def prepared(workload: str, problem: Problem) -> Round:
        one_round = WORKLOADS[workload](torch, problem)
        if name in ("recording", "sending", "beyond"):
            return lambda: list(recorded(one_round, name != "recording", name == "beyond")[0])
        return one_round

    return version, {}, {each: functools.partial(prepared, each) for each in WORKLOADS}


def collect_as_in_a_run() -> None:
    """Python looks for cycles as often as the worker lets it while a snippet runs."""
    from gradviz.worker.process.limits import Limits
    from gradviz.worker.running.runner import Collector, heap_reader

    Collector(heap_reader()).begin(Limits().memory_mb)


def guard_as_in_a_run() -> None:
    """The worker's audit hook watches, which costs something each time a place in the snippet is looked for."""
    from gradviz.worker.running.audit import refuse_from_now_on

    refuse_from_now_on()


def fingerprint(found: list[Any]) -> list[list[float]]:
    """[size, product with a fixed wave] of each result: what tells one computation from another."""
    arrays = [np.asarray(each.detach() if hasattr(each, "detach") else each, np.float64).ravel() for each in found]
    return [[float(np.linalg.norm(each)), float(each @ np.cos(np.arange(len(each))))] for each in arrays]


def seconds_of(one_round: Round) -> float:
    """The CPU time of a round. What is short runs as often as fits into a while: a program that trains runs on, with
    its code in the processor's caches, while a first round here comes after those of the other contenders."""
    gc.collect()
    start = time.process_time()
    one_round()
    once = time.process_time() - start
    again = int(WHILE / once)
    if not again:
        return once
    start = time.process_time()
    for _ in range(again):
        one_round()
    return (time.process_time() - start) / again


def main(name: str) -> None:
    try:
        if name in LIBRARIES:
            module = importlib.import_module(f"benchmarks.with_{name}")
            version, missing, rounds = module.VERSION, module.MISSING, module.ROUNDS
        else:
            version, missing, rounds = in_torch(name)
    except (ImportError, OSError, RuntimeError) as error:
        print(json.dumps({"absent": f"{type(error).__name__}: {error}"}), flush=True)
        return
    print(json.dumps({"version": f"{version}, Python {sys.version.split()[0]}", "missing": missing}), flush=True)
    prepared = {each: rounds[each](PROBLEMS[each]()) for each in rounds}
    gc.collect()
    gc.freeze()  # in every contender: what was imported is not looked through again and again
    if name not in ("pytorch", *LIBRARIES):
        collect_as_in_a_run()
        for each in rounds:  # what is imported when it is first needed is here before that is refused; a round that
            rounds[each](PROBLEMS[each]())()  # trains goes on where it stopped, so these have arrays of their own
        guard_as_in_a_run()
    for line in sys.stdin:
        order, workload = line.split()
        one_round = prepared[workload]
        print(json.dumps(seconds_of(one_round) if order == "time" else fingerprint(one_round())), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
