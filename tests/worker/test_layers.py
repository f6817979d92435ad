"""The layers by name: the table in the docs is theirs, and a running worker says nothing that they do not know."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.document import snippet
from gradviz.trace import figures
from gradviz.worker.locks import layers
from gradviz.worker.locks.layers import CAUTIONS, LAYERS, OPEN_DOORS, UNKNOWN, UNTRIED, caution, merged, rows, sentence
from gradviz.worker.modules import scratch
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.limits import MOST_WRITTEN, WRITTEN_BYTES, Limits
from gradviz.worker.running.pacing import LATE, NEARLY, SHARE
from tests.worker.conftest import Runner
from tests.worker.kernel_attempts import HAS_KERNEL_LOCKS, NEEDS_LOCKS

SAFETY = Path(__file__).parents[2] / "docs" / "safety.md"
LINUX = {"language": "on", "audit hook": "on", "landlock": "on (ABI 7)", "seccomp": "on (16 calls)", "trial": "on"}
WINDOWS = {"language": "on", "audit hook": "on", "restricted token": "on", "low integrity": "on", "job": "on"}
COULD = "it could open a file and open a socket"


def test_the_table_in_the_docs_is_current() -> None:
    text = SAFETY.read_text(encoding="utf-8")
    assert layers.table() in text, "paste what `python -m gradviz.worker.locks.layers` prints into docs/safety.md"


def test_the_limits_in_the_docs_are_those_of_a_run() -> None:
    text, limits = SAFETY.read_text(encoding="utf-8"), Limits()
    assert f"| time on the clock | {limits.wall_seconds:g} s" in text
    assert f"| time of the processor | {limits.cpu_seconds:g} s" in text
    assert f"| memory | {limits.memory_mb:,} MB |" in text
    assert f"| recorded steps | {limits.steps:,} |" in text
    assert (
        f"| recorded numbers | {limits.recorded_bytes // 1_000_000} MB; of arrays beyond {limits.values_mb} MB" in text
    )
    assert f"| printed text | {limits.output_chars:,} characters |" in text
    assert f"{limits.wall_seconds:g} s, or {limits.idle_seconds:g} s in which nothing is computed" in text
    plots = f"{figures.MOST_FIGURES}, each of {figures.MOST_LAYERS:,} parts and {figures.MOST_NUMBERS:,} numbers"
    assert f"| plots | {plots} |" in text


def test_the_numbers_of_a_folder_in_the_docs_are_those_of_the_program() -> None:
    text = " ".join(SAFETY.read_text(encoding="utf-8").split())
    assert f"room for at most {scratch.MOST_BYTES >> 20} MB under {scratch.MOST_NAMES:,} names" in text
    assert f"at most {MOST_WRITTEN} files and {WRITTEN_BYTES // 1_000_000} MB" in text
    assert f"at most {snippet.MOST_FILES} files with {snippet.MOST_ATTACHED // 1_000_000} MB together" in text
    assert (SHARE, NEARLY, LATE) == (1 / 4, 8 / 10, 7 / 10)
    assert "a quarter of the processor time, or eight tenths of the steps or the numbers" in text
    assert "After seven tenths of the time" in text


def test_a_running_worker_says_only_what_the_table_knows(run: Runner, shared_pool: WorkerPool) -> None:
    run("print(1)")
    said = shared_pool.layers
    assert set(said) <= {layer.key for layer in LAYERS}
    assert len(rows(said)) == len(said)
    assert sentence(said).startswith("This system: snippets are contained by language rules, audit hook, ")


@pytest.mark.skipif(not HAS_KERNEL_LOCKS, reason=NEEDS_LOCKS)
def test_every_lock_that_this_kernel_has_holds_in_a_running_worker(run: Runner, shared_pool: WorkerPool) -> None:
    run("print(1)")
    assert [state for state in shared_pool.layers.values() if not state.startswith("on")] == []
    assert {"limits", "landlock", "descriptors", "seccomp"} <= set(shared_pool.layers)


def test_every_layer_is_on_some_system() -> None:
    assert all(any(layer.on) for layer in LAYERS)
    assert len({layer.key for layer in LAYERS}) == len(LAYERS)


@pytest.mark.parametrize(
    ("said", "system", "expected"),
    [
        ({}, "linux", UNKNOWN),
        (
            LINUX,
            "linux",
            "This system: snippets are contained by language rules, audit hook, Landlock (ABI 7), seccomp (16 calls) "
            "and trial.",
        ),
        (
            {"language": "on", "landlock": "absent: the kernel has no Landlock", "seccomp": "on", "trial": "on"},
            "linux",
            "This system: snippets are contained by language rules, seccomp and trial. Missing here: Landlock (the "
            "kernel has no Landlock).",
        ),
        (
            {"language": "on", "landlock": "on", "seccomp": "absent: no", "trial": "on (asks which files are there)"},
            "linux",
            "This system: snippets are contained by language rules, Landlock and trial (asks which files are there). "
            "Missing here: seccomp (no).",
        ),
        (
            {**WINDOWS, "trial": "on"},
            "win32",
            "This system: snippets are contained by language rules, audit hook, restricted token, Job object, low "
            f"integrity and trial. {CAUTIONS['win32']}",
        ),
        (
            {**WINDOWS, "restricted token": "absent: no", "trial": f"absent: {COULD}"},
            "win32",
            "This system: snippets are contained by language rules, audit hook, Job object and low integrity. Missing "
            f"here: restricted token (no) and trial ({COULD}). {OPEN_DOORS.format(COULD)} {CAUTIONS['win32']}",
        ),
        (
            {"language": "on", "sandbox": "on"},
            "darwin",
            "This system: snippets are contained by language rules and sandbox-exec. "
            f"{OPEN_DOORS.format(UNTRIED)} {CAUTIONS['darwin']}",
        ),
    ],
)
def test_what_holds_in_words(said: dict[str, str], system: str, expected: str) -> None:
    assert sentence(said, system) == expected


def test_where_the_locks_were_never_seen_at_work_it_is_said() -> None:
    assert caution("linux") == ""
    assert caution("win32") != caution("darwin")
    text = SAFETY.read_text(encoding="utf-8").replace("\n", " ")
    for system, name in (("win32", "Windows"), ("darwin", "macOS")):
        assert "have not been seen at work on a real" in caution(system)
        assert f"The locks of {name} follow its documentation" in caution(system)
        assert f"**{name}**" in text
    assert text.count("the lock has not been seen at work on a real") == len(CAUTIONS)


def test_a_layer_that_was_left_out_from_outside_is_missing_for_the_reason_that_is_known_there() -> None:
    inside = {"language": "on", "restricted token": "absent: the process was started without one", "trial": "on"}
    outside = {"restricted token": "absent: CreateRestrictedToken failed with Windows error 5", "job": "on"}
    assert merged(inside, outside) == {**inside, **outside}
    inside["restricted token"] = "absent: RevertToSelf failed with Windows error 5"
    assert merged(inside, {"restricted token": "on", "job": "on"}) == {**inside, "job": "on"}


def test_what_a_worker_makes_up_is_no_layer() -> None:
    assert rows({"language": "on", "magic": "on"}) == rows({"language": "on"})
    assert not rows({"language": "onwards"})[0].holds
