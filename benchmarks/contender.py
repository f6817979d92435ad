"""One contender in a process of its own: `python -m benchmarks.contender pytorch|engine|recording|sending`. It reads
the name of a workload per line and answers each with the seconds of CPU that one round took. It needs no more than this
folder and what it measures, so that real PyTorch may live in another Python. `__main__.py` is the other end."""

from __future__ import annotations

import functools
import gc
import importlib
import sys
import time
from collections.abc import Callable
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

from benchmarks import workloads
from benchmarks.workloads import WORKLOADS, Round


def real_torch() -> Any:
    torch = importlib.import_module("torch")  # the real one: never imported by the program itself

    torch.set_num_threads(1)
    return torch


def own_torch() -> Any:
    import gradviz.torch

    return gradviz.torch


def recorded(one_round: Round, send: bool = False) -> Round:
    """The round with a fresh recorder watching it; `send` also makes the batch that would go to the window."""
    from gradviz.engine.observe import set_observer
    from gradviz.trace.recorder import Recorder

    source = Path(workloads.__file__).read_text(encoding="utf-8")

    def watched() -> Any:
        recorder = Recorder(source, workloads.__file__)
        set_observer(recorder)
        try:
            one_round()
        finally:
            set_observer(None)
        return recorder.take_batch() if send else recorder

    return watched


def unchanged(one_round: Round) -> Round:
    return one_round


CONTENDERS: dict[str, tuple[Callable[[], Any], Callable[[Round], Round]]] = {
    "pytorch": (real_torch, unchanged),
    "engine": (own_torch, unchanged),
    "recording": (own_torch, recorded),
    "sending": (own_torch, functools.partial(recorded, send=True)),
}


def main(name: str) -> None:
    load, watch = CONTENDERS[name]
    torch = load()
    rounds = {key: watch(prepare(torch)) for key, prepare in WORKLOADS.items()}
    version = f"PyTorch {torch.__version__}" if name == "pytorch" else "GradViz on NumPy " + version_of("numpy")
    print(f"{version}, Python {sys.version.split()[0]}", flush=True)
    for line in sys.stdin:
        gc.collect()
        start = time.process_time()
        rounds[line.strip()]()
        print(time.process_time() - start, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
