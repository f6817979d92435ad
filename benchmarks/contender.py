"""One contender in a process of its own: `python -m benchmarks.contender pytorch|engine|recording`. It reads the name
of a workload per line and answers each with the seconds of CPU that one round took. It needs no more than this folder
and what it measures, so that real PyTorch may live in another Python. `__main__.py` is the other end."""

from __future__ import annotations

import gc
import importlib
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.workloads import WORKLOADS, Round


def real_torch() -> Any:
    torch = importlib.import_module("torch")  # the real one: never imported by the program itself

    torch.set_num_threads(1)
    return torch


def own_torch() -> Any:
    import gradviz.torch

    return gradviz.torch


def recorded(one_round: Round) -> Round:
    """The round with a fresh recorder watching it."""
    from gradviz.engine.observe import set_observer
    from gradviz.trace.recorder import Recorder

    def watched() -> Any:
        set_observer(Recorder())
        try:
            return one_round()
        finally:
            set_observer(None)

    return watched


def unchanged(one_round: Round) -> Round:
    return one_round


CONTENDERS: dict[str, tuple[Callable[[], Any], Callable[[Round], Round]]] = {
    "pytorch": (real_torch, unchanged),
    "engine": (own_torch, unchanged),
    "recording": (own_torch, recorded),
}


def main(name: str) -> None:
    load, watch = CONTENDERS[name]
    torch = load()
    rounds = {key: watch(prepare(torch)) for key, prepare in WORKLOADS.items()}
    version = getattr(torch, "__version__", "")
    print(f"{version}, Python {sys.version.split()[0]}", flush=True)
    for line in sys.stdin:
        gc.collect()
        start = time.process_time()
        rounds[line.strip()]()
        print(time.process_time() - start, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
