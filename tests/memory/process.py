"""The process that the calls are made in. It knows all calls; for each batch of trials it forks, so that a crash ends
the fork, and nothing of one batch is there in the next. Memory and processor time of a batch are limited as those of
a worker are."""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SECONDS = 4  # of processor time, for a batch; a worker is ended by its clock, too
ROOM = 2 << 30  # bytes that a batch may have on top of what is there, pages that keep arrays apart among them
Trial = tuple[int, str]  # which call, and what is changed of it in hexadecimal digits


class Trials:
    """The parent's side: a context in which trials can be asked for."""

    def __enter__(self) -> Trials:
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.memory.process"],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True, encoding="utf-8",
        )  # fmt: skip
        ready = self._line()
        self.calls: list[str] = ready["calls"]
        self.is_fenced: bool = ready["fenced"]
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def run(self, trials: Sequence[Trial], plant: str = "") -> list[str]:
        """What came of each: "returned", "stopped" by the clock, or the name of the error that refused it. An
        AssertionError for what must not be, a crash among it. `plant` is a fault to put into the engine before."""
        outcomes: list[str] = []
        while len(outcomes) < len(trials):
            outcomes += self._batch(trials[len(outcomes) :], plant)
        return outcomes

    def _batch(self, trials: Sequence[Trial], plant: str) -> list[str]:
        assert self._process.stdin is not None
        begun = self._errors.seek(0, os.SEEK_END)
        self._process.stdin.write(json.dumps([plant, list(trials)]) + "\n")
        self._process.stdin.flush()
        outcomes, about = [], "nothing"
        while "status" not in (line := self._line()):
            about = line.get("about", about)
            if "outcome" in line:
                outcomes.append(line["outcome"])
            assert "finding" not in line, f"{line['finding']}: {about}"
        status = line["status"]
        if status in (-getattr(signal, "SIGXCPU", 0), -getattr(signal, "SIGKILL", 0)):
            return [*outcomes, "stopped"]
        self._errors.seek(begun)
        assert status == 0, f"ended with status {status}: {about}\n{self._errors.read()[:3000]}"
        return outcomes

    def _line(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._errors.seek(0)
            raise AssertionError(f"the process of the trials has ended\n{self._errors.read()[-3000:]}")
        return json.loads(line)


def main() -> None:
    """Make the calls that the parent asks for."""
    faulthandler.enable()
    from tests.memory.calls import corpus
    from tests.memory.fence import Fence
    from tests.memory.numpy_calls import corpus as numpy_corpus

    calls, fence = [*corpus(), *numpy_corpus()], Fence()
    can_fork = hasattr(os, "fork")
    is_fenced = can_fork and fence.install()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # LAPACK prints what it refuses
    _say(answers, {"calls": [call.name for call in calls], "fenced": is_fenced})
    for line in sys.stdin:
        plant, trials = json.loads(line)
        if not can_fork:
            _plant(plant)
            _try_all(calls, trials, fence, answers)
            _say(answers, {"status": 0})
            continue
        child = os.fork()
        if not child:
            _limit()
            _plant(plant)
            _try_all(calls, trials, fence, answers)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        _say(answers, {"status": status})


def _plant(name: str) -> None:
    from tests.memory.plants import PLANTS

    if name:
        PLANTS[name]()


def _try_all(calls: Any, trials: Any, fence: Any, answers: Any) -> None:
    from tests.memory.trial import Finding, described, try_call

    for number, digits in trials:
        data = bytes.fromhex(digits)
        try:
            _say(answers, {"about": f"{number} {digits} {described(calls[number], data)}"})
            _say(answers, {"outcome": try_call(calls[number], data, fence)})
        except Finding as finding:
            _say(answers, {"finding": str(finding)})
            return
        except MemoryError:  # all that the batch has was used: the others get a batch of their own
            _say(answers, {"outcome": "MemoryError"})
            return


def _limit() -> None:
    import resource

    file = Path("/proc/self/statm")
    if file.exists():
        now = int(file.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + ROOM, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))


def _say(answers: Any, what: Any) -> None:
    answers.write(json.dumps(what) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
