"""The program is killed at a random moment, again and again, and each time started on what is left: `at_work` works
in it. After each death no process may be left and no folder for temporary files; the next start offers every document
that was unsaved and older than the time between two copies, whole, and after SIGTERM every one to the last letter.

`python -m tests.faults.killing KILLS SEED [--damage] [--clock] [--sooner]` prints the figures; under Xvfb with
QT_QPA_PLATFORM=xcb. With --damage some of what is left is damaged first, with --clock (needs cc) the clock of
the system is set while the program runs, with --sooner most deaths are during the start. Linux."""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from gradviz.document.documents import Contents
from gradviz.document.files import opening
from gradviz.document.files.gradviz_file import write as encoded
from gradviz.ui.services.recovery import EVERY
from tests.faults.at_work import NOTES
from tests.guard import _children, _command, _is_dead

SPARE = 1.0  # seconds that a busy machine may be late with a copy
BETWEEN = 0.05  # and until a document that was noted is there
PATIENCE = 60.0
CHILD_SUBREAPER = 36  # prctl: whatever loses its parent becomes a child of this process
SET_CLOCK = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static const volatile long *ahead;
__attribute__((constructor)) static void begin(void) {
    int file = open(getenv("SET_CLOCK"), O_RDONLY);
    ahead = mmap(0, 8, PROT_READ, MAP_SHARED, file, 0);
    close(file);
}
int clock_gettime(clockid_t which, struct timespec *now) {
    int failed = syscall(SYS_clock_gettime, which, now);
    if (!failed && ahead && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) now->tv_sec += *ahead;
    return failed;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    now->tv_sec = found.tv_sec, now->tv_usec = found.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *now) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    return now ? (*now = found.tv_sec) : found.tv_sec;
}
"""


@dataclass(frozen=True)
class Options:
    """What is done to the program."""

    damage: bool = False
    clock: bool = False
    sooner: bool = False


@dataclass
class Report:
    """What was found."""

    wrong: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    slowest_end: float = 0.0
    longest_stall: float = 0.0  # seconds without a sign of the window, on a machine that may be busy


def all_below(pid: int) -> set[int]:
    found = _children(str(pid))
    return found.union(*(all_below(each) for each in found)) if found else found


class Lives:
    """The program in one folder, life after life."""

    def __init__(self, folder: Path, seed: int, options: Options) -> None:
        ctypes.CDLL(None).prctl(CHILD_SUBREAPER, 1, 0, 0, 0)
        self.folder = folder
        self.report = Report()
        self._options = options
        self._random = random.Random(seed)
        self._seed = seed
        self._temporary = folder / "temporary"
        self._temporary.mkdir()
        self._clock = folder / "clock"
        self._life = 0
        self._expected: list[set[str]] = []  # one of each must be offered
        self._possible: set[str] = set()

    def live(self) -> None:
        """Start it on what is left, look at what it offers, and kill it."""
        process = self._start(works=True)
        if self._options.sooner or self._random.random() < 0.2:
            self._wait(process, self._random.uniform(0.1, 6))
        elif self._begins(process):
            self._wait(process, self._random.uniform(0.1, 10))
        self._end(process, self._random.choice((signal.SIGKILL,) * 4 + (signal.SIGTERM,)))

    def _begins(self, process: subprocess.Popen[bytes]) -> bool:
        """Wait until it has offered what there was."""
        deadline = time.monotonic() + PATIENCE
        while process.poll() is None and time.monotonic() < deadline:
            if any(note["event"] == "started" for note in self._notes()):
                return True
            time.sleep(0.1)
        self._wrong("it does not start")
        return False

    def last(self) -> None:
        """Start it once more, which must end by itself."""
        process = self._start(works=False)
        try:
            status = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            status = process.wait()
        if status:
            self._wrong(f"the last start ended with {status}")
        self._nothing_stays(set())
        self._look(time.clock_gettime(time.CLOCK_MONOTONIC), signal.SIGKILL, is_last=True)

    def _start(self, works: bool) -> subprocess.Popen[bytes]:
        home = str(self.folder / "home")
        names = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
        env = {**os.environ, **dict.fromkeys(names, home), "TMPDIR": str(self._temporary)}
        os.makedirs(home, mode=0o700, exist_ok=True)
        if self._options.clock:
            env |= {"LD_PRELOAD": str(self._set_clock()), "SET_CLOCK": str(self._clock)}
        command = [sys.executable, "-m", "tests.faults.at_work", str(self.folder), str(self._life)]
        command += [str(self._seed * 1000 + self._life), *(["works"] if works else [])]
        with open(self.folder / f"errors-{self._life}", "wb") as errors:
            return subprocess.Popen(command, env=env, stdout=errors, stderr=errors, cwd=Path(__file__).parents[2])

    def _set_clock(self) -> Path:
        """A library that lets the clock of a program go before or after the machine's, by a number in a file."""
        library = self.folder / "set_clock.so"
        if not library.exists():
            command = ["cc", "-shared", "-fPIC", "-O1", "-x", "c", "-", "-o", str(library)]
            subprocess.run(command, input=SET_CLOCK.encode(), check=True)
            self._jump(0)
        return library

    def _jump(self, seconds: int) -> None:
        with open(self._clock, "r+b" if self._clock.exists() else "wb") as file:
            file.write(seconds.to_bytes(8, sys.byteorder, signed=True))

    def _wait(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            time.sleep(min(0.4, max(0.0, deadline - time.monotonic())))
            if self._options.clock:
                self._jump(self._random.choice((-1, 1)) * self._random.randrange(100_000))
            if process.poll() is not None:
                self._wrong(f"it ended by itself with {process.returncode}")
                return

    def _end(self, process: subprocess.Popen[bytes], number: signal.Signals) -> None:
        below = all_below(process.pid)
        now = time.clock_gettime(time.CLOCK_MONOTONIC)
        process.send_signal(number)
        try:
            status = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._wrong(f"{number.name} does not end it")
            process.kill()
            status = process.wait()
        if status != -number:
            self._wrong(f"after {number.name} the status is {status}")
        self.report.counts[number.name] += 1
        self._nothing_stays(below)
        self._look(now, number)

    def _nothing_stays(self, below: set[int]) -> None:
        begun = time.monotonic()
        while time.monotonic() - begun < PATIENCE:
            _reap()
            left = {pid for pid in below | all_below(os.getpid()) if not _is_dead(pid)}
            if not left:
                break
            time.sleep(0.005)
        else:
            self._wrong(f"processes stay: {[_command(pid) for pid in left]}")
            for pid in left:
                os.kill(pid, signal.SIGKILL)
        self.report.slowest_end = max(self.report.slowest_end, time.monotonic() - begun)
        for entry in self._temporary.iterdir():
            self.report.counts["folders left"] += 1
            self._wrong(f"{entry.name} is left in the folder for temporary files")
            shutil.rmtree(entry, ignore_errors=True)

    def _notes(self) -> list[dict[str, Any]]:
        file = self.folder / NOTES
        lines = file.read_text().splitlines() if file.exists() else []
        return [note for note in map(json.loads, lines) if note["life"] == self._life]

    def _look(self, died: float, number: signal.Signals, is_last: bool = False) -> None:
        """What the start of this life offered, and what the next one must offer."""
        notes = self._notes()
        said = (self.folder / f"errors-{self._life}").read_text(errors="replace")
        if "Traceback" in said or "Fatal" in said:
            self._wrong(f"it says: {said[-1500:]}")
        started = [note for note in notes if note["event"] == "started"]
        if started:
            self.report.counts["starts"] += 1
            self._compare(
                [note for note in notes if note["event"] == "document" and note["time"] <= started[0]["time"]]
            )
        elif is_last:
            self._wrong("the last start did not come")
        if not started:  # what was left is still there, to be offered the next time
            self._life += 1
            return
        awake = [note["time"] for note in notes if note["time"] >= started[0]["time"]]
        stall = max((later - before for before, later in pairwise([*awake, died])), default=0.0)
        self.report.longest_stall = max(self.report.longest_stall, stall)
        safe = died if number == signal.SIGTERM else awake[-1] - EVERY / 1000 - SPARE
        self._expect(notes, started[0]["time"], safe, died)
        self._life += 1
        if self._options.damage:
            self._do_damage()

    def _compare(self, found: list[dict[str, Any]]) -> None:
        texts = {note["text"] for note in found if not note["blank"]}
        on_disk = {_saved(file) for file in self.folder.glob("saved-*")}
        for each in self._expected:
            self.report.counts["expected"] += 1
            if not each & (texts | on_disk):
                self._wrong(f"lost: {max(each, key=len)[-300:]}")
            else:
                self.report.counts["offered"] += bool(each & texts)
        for text in texts - self._possible:
            self._wrong(f"offered, but never there: {text[-300:]}")

    def _expect(self, notes: list[dict[str, Any]], begun: float, safe: float, died: float) -> None:
        self._expected, self._possible = [], set()
        documents = [note for note in notes if note["event"] == "document"]
        for window in {note["window"] for note in documents}:
            own = [note for note in documents if note["window"] == window]
            self._possible |= {note["text"] for note in own}
            self._on_disk([note for note in own if note["time"] > begun])
            old = [note for note in own if note["time"] <= safe] or own[:1]
            first = own.index(old[-1])
            if first and died - old[-1]["time"] < BETWEEN:
                first -= 1  # it was noted, and had not yet come
            since = own[first:]
            given_up = [note["time"] for note in notes if note["event"] == "discarded" and note["window"] == window]
            if (old[-1]["time"] > safe and old[-1]["time"] > begun) or (given_up and given_up[-1] >= since[-1]["time"]):
                continue
            if all(note["dirty"] and not note["blank"] for note in since):
                self._expected.append({note["text"] for note in since})

    def _on_disk(self, own: list[dict[str, Any]]) -> None:
        """What a window has saved is in its file, or what it was about to save when it died."""
        for name in {note["saved"] for note in own} - {""}:
            last = max(at for at, note in enumerate(own) if note["saved"] == name)
            self.report.counts["saved"] += 1
            if _saved(self.folder / name) not in {note["text"] for note in own[last:]}:
                self._wrong(f"{name} is not what was saved")

    def _do_damage(self) -> None:
        """One of the files is cut, other bytes, a folder, or gone. What was in it is not expected any more."""
        home = self.folder / "home"
        files = [file for file in home.rglob("*") if file.is_file()]
        if not files or self._random.random() < 0.4:
            return
        file = self._random.choice(files)
        self.report.counts[f"damaged {file.suffix or file.name}"] += 1
        how = self._random.randrange(4)
        data = file.read_bytes()
        if how == 0:
            file.write_bytes(data[: len(data) // 2])
        elif how == 1:
            file.write_bytes(bytes(self._random.randrange(256) for _ in range(len(data) or 5)))
        elif how == 2:
            file.write_bytes(b"".join(data[at : at + 1] if at % 50 else b"\xff" for at in range(len(data))))
        else:
            file.unlink()
            file.mkdir()
        if file.parent.name == "recovery":
            self._expected = []

    def _wrong(self, what: str) -> None:
        self.report.wrong.append(f"life {self._life}: {what}")
        sys.stderr.write(f"life {self._life}: {what}\n")


def _reap() -> None:
    """Those whose parent was killed became children of this process."""
    for listing in Path("/proc/self/task").glob("*/children"):
        for pid in map(int, listing.read_text().split()):
            if _is_dead(pid):
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)


def _saved(file: Path) -> str:
    return encoded(Contents(opening.load(file).document)).decode()


def killed(kills: int, seed: int, options: Options, folder: Path) -> Report:
    """So many deaths, and a last start."""
    lives = Lives(folder, seed, options)
    for _ in range(kills):
        lives.live()
    lives.last()
    return lives.report


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("kills", type=int)
    parser.add_argument("seed", type=int)
    for name in ("damage", "clock", "sooner"):
        parser.add_argument(f"--{name}", action="store_true")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="killing-"))
    report = killed(given.kills, given.seed, Options(given.damage, given.clock, given.sooner), folder)
    times = f"slowest end {report.slowest_end:.3f} s; longest stall {report.longest_stall:.2f} s"
    sys.stdout.write(f"{dict(report.counts)}; {times}; {len(report.wrong)} wrong\n")
    if report.wrong:
        sys.stdout.write(f"what it left is in {folder}\n")
    else:
        shutil.rmtree(folder)
    return bool(report.wrong)


if __name__ == "__main__":
    sys.exit(main())
