"""Very many random inputs for one target: `python -m tests.fuzz.many plots --count 20000 --seed 1`. The target runs in
a process of its own, so that a crash is seen, and a hang ended; the search goes on behind it. Findings are written as
`python -m tests.fuzz` writes its own; the last line says how many inputs there were, and how many crashes, hangs and
kinds of errors."""

from __future__ import annotations

import argparse
import importlib
import os
import random
import select
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from tests.fuzz.__main__ import TARGETS, watched

WITH_A_WINDOW = ("shown", "openings")  # too slow for one after the other in one process, and they leave a window
DAMAGED = ("lessons",)  # files that are made whole first: bytes alone lead nowhere
OF_MEMORY = ("hostile_calls",)  # where what is freed is overwritten, so that who reads it ends
LONGEST = 400  # bytes of an input
BATCH = 250  # inputs of one process
HANG = 90.0  # seconds of processor time for one input
STILL = 900.0  # seconds without a word, for what waits for something
MEMORY = 8_000_000_000  # bytes of address space of the process


def data_of(seed: int, number: int) -> bytes:
    """The input of this number."""
    chance = random.Random(f"{seed} {number}")
    return chance.randbytes(chance.randrange(8, LONGEST))


def child(target: str, seed: int, numbers: range, findings: Path) -> None:
    """Try them, saying each number before."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    run = watched(importlib.import_module(f"tests.fuzz.{target}").one_input, findings, slow=HANG)
    for number in numbers:
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
        run(data_of(seed, number))
    sys.stdout.write("end\n")
    sys.stdout.flush()
    os._exit(0)  # windows and workers have nothing to say at the end


def spent(pid: int) -> float:
    """Seconds of processor time of a process, 0 where the system does not say it."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Batch:
    """The inputs of one process."""

    def __init__(self, process: subprocess.Popen[bytes], first: int, hang: float) -> None:
        self.last, self.is_done, self.hung = first, False, False
        self._process, self._hang, self._rest = process, hang, b""
        self._heard, self._before = time.monotonic(), 0.0

    def follow(self) -> None:
        """Listen until it is done, has died or hangs."""
        assert self._process.stdout is not None
        while not self.is_done and not self.hung:
            ready, _, _ = select.select([self._process.stdout], [], [], 0.5)
            part = os.read(self._process.stdout.fileno(), 65536) if ready else b""
            if ready and not part:
                return
            self._take(part)

    def _take(self, part: bytes) -> None:
        *lines, self._rest = (self._rest + part).split(b"\n")
        now, used = time.monotonic(), spent(self._process.pid)
        if lines:
            self._heard, self._before = now, used
            self.is_done = lines[-1] == b"end"
            self.last = self.last if self.is_done else int(lines[-1])
        self.hung = now - self._heard > STILL or used - self._before > self._hang


def tried(chosen: argparse.Namespace, numbers: range) -> tuple[int, str]:
    """The number behind the last input that was tried, and what ended its process: "" if nothing did."""
    command = [sys.executable, "-m", "tests.fuzz.many", chosen.target, "--findings", str(chosen.findings)]
    command += ["--seed", str(chosen.seed), "--child", str(numbers.start), str(numbers.stop)]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    if chosen.target in OF_MEMORY:
        environment |= {"PYTHONMALLOC": "debug", "PYTHONHASHSEED": "0"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, start_new_session=True) as process:
        batch = Batch(process, numbers.start, chosen.hang)
        batch.follow()
        if batch.hung:
            process.kill()
        status = process.wait()
    if batch.is_done:
        return numbers.stop, ""
    return batch.last + 1, "hang" if batch.hung else f"crash{status}"


def main() -> int:
    """All of them; 1 if there is a finding."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.many", description=__doc__)
    parser.add_argument("target", choices=(*TARGETS, *DAMAGED, *WITH_A_WINDOW, *OF_MEMORY, "planted"))
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--hang", type=float, default=HANG)
    parser.add_argument("--findings", type=Path)
    parser.add_argument("--child", type=int, nargs=2)
    chosen = parser.parse_args()
    chosen.findings = chosen.findings or Path("build/fuzz") / f"{chosen.target}-findings"
    chosen.findings.mkdir(parents=True, exist_ok=True)
    if chosen.child:
        child(chosen.target, chosen.seed, range(*chosen.child), chosen.findings)
    before, ended, at, stop = set(chosen.findings.iterdir()), Counter[str](), chosen.first, chosen.first + chosen.count
    begun = time.monotonic()
    while at < stop:
        at, how = tried(chosen, range(at, min(at + BATCH, stop)))
        if how:
            ended[how[:5]] += 1
            (chosen.findings / f"{how}-{chosen.seed}-{at - 1}").write_bytes(data_of(chosen.seed, at - 1))
        sys.stderr.write(f"{at} inputs, {time.monotonic() - begun:.0f} s, {dict(ended)}\n")
    errors = [path.stem for path in sorted(set(chosen.findings.iterdir()) - before) if path.suffix == ".txt"]
    counted = f"{ended['crash']} crashes, {ended['hang']} hangs, {len(errors)} kinds of errors"
    sys.stdout.write(f"{chosen.target}: {chosen.count} inputs, {counted} {' '.join(errors)}\n")
    return 1 if ended or errors else 0


if __name__ == "__main__":
    sys.exit(main())
