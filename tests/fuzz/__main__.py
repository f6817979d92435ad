"""Coverage-guided fuzzing: `python -m tests.fuzz policy --minutes 30 [--corpus FOLDER]` mutates what is in the seeds
and keeps what reaches new code. Needs atheris (`pip install '.[fuzz]'`, Linux and macOS). What goes wrong is written
into the folder of findings, one file for each place where it does, and the search goes on; then it belongs into
`seeds`, with the fix."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

TARGETS = ("policy", "documents", "traces", "figures", "messages", "plots", "recordings")
INSTRUMENTED = ["gradviz.worker", "gradviz.document", "gradviz.trace", "gradviz.session", "gradviz.ui.figures"]
SEEDS = Path(__file__).parent / "seeds"
SLOW = 5.0  # seconds that one small input may take at most


def main() -> int:
    """Run one target for some minutes; 1 if there are findings."""
    try:
        import atheris
    except ImportError:
        sys.stderr.write("Fuzzing needs atheris: pip install '.[fuzz]'\n")
        return 2
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--corpus", type=Path, default=Path("build/fuzz"))
    chosen = parser.parse_args()
    corpus, findings = chosen.corpus / chosen.target, chosen.corpus / f"{chosen.target}-findings"
    for folder in (corpus, findings):
        folder.mkdir(parents=True, exist_ok=True)
    with atheris.instrument_imports(include=INSTRUMENTED):
        target = importlib.import_module(f"tests.fuzz.{chosen.target}")
    sys.setrecursionlimit(1000)
    seconds = int(chosen.minutes * 60)
    options = [
        f"-max_total_time={seconds}",
        "-timeout=120",
        "-rss_limit_mb=3000",
        "-max_len=8000",
        "-print_final_stats=1",
        "-len_control=20",
    ]
    options.append(f"-artifact_prefix={findings}/")
    atheris.Setup([sys.argv[0], *options, str(corpus), str(SEEDS / chosen.target)], watched(target.one_input, findings))
    atheris.Fuzz()
    return 0


def watched(one_input: Callable[[bytes], None], findings: Path, slow: float = SLOW) -> Callable[[bytes], None]:
    """The target, which writes down what fails, once for each place, and goes on."""
    known: set[str] = set()

    def run(data: bytes) -> None:
        begun = time.thread_time()
        try:
            one_input(data)
            took = time.thread_time() - begun
            if took < slow:
                return
            place, words = "slow", f"{took:.1f} seconds of processor time"
        except BaseException as error:  # whatever it is, it is a finding
            if isinstance(error, KeyboardInterrupt):
                raise
            frames = [f"{Path(one.filename).stem}-{one.lineno}" for one in traceback.extract_tb(error.__traceback__)]
            place = f"{type(error).__name__}-{'-'.join(dict.fromkeys(frames[-2:]))}"
            words = "".join(traceback.format_exception(error)[-12:])
        if place in known:
            return
        known.add(place)
        (findings / place).write_bytes(data)
        (findings / f"{place}.txt").write_text(words, encoding="utf-8", errors="replace")
        sys.stderr.write(f"FINDING {place}\n")

    return run


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)
