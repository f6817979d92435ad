"""The layers by name: the table in the docs is theirs, and a running worker says nothing that they do not know."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.worker import layers
from gradviz.worker.client import WorkerPool
from gradviz.worker.layers import LAYERS, OPEN_DOORS, UNKNOWN, rows, sentence
from gradviz.worker.limits import Limits
from tests.worker.conftest import Runner

SAFETY = Path(__file__).parents[2] / "docs" / "safety.md"
LINUX = {"language": "on", "audit hook": "on", "limits": "on", "landlock": "on (ABI 7)", "seccomp": "on (40 calls)"}
WINDOWS = {"language": "on", "audit hook": "on", "low integrity": "on", "mitigations": "on (6 policies)", "job": "on"}


def test_the_table_in_the_docs_is_current() -> None:
    text = SAFETY.read_text(encoding="utf-8")
    assert layers.table() in text, "paste what `python -m gradviz.worker.layers` prints into docs/safety.md"


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


def test_a_running_worker_says_only_what_the_table_knows(run: Runner, shared_pool: WorkerPool) -> None:
    run("print(1)")
    said = shared_pool.layers
    assert set(said) <= {layer.key for layer in LAYERS}
    assert len(rows(said)) == len(said)
    assert sentence(said).startswith("This system: snippets are contained by language rules, audit hook, ")


def test_every_layer_is_on_some_system() -> None:
    assert all(any(layer.on) for layer in LAYERS)
    assert len({layer.key for layer in LAYERS}) == len(LAYERS)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({}, UNKNOWN),
        (
            LINUX,
            "This system: snippets are contained by language rules, audit hook, resource limits, Landlock (ABI 7) and "
            "seccomp (40 calls).",
        ),
        (
            {"language": "on", "landlock": "absent: the kernel has no Landlock", "seccomp": "on (40 calls)"},
            "This system: snippets are contained by language rules and seccomp (40 calls). Missing here: Landlock "
            "(the kernel has no Landlock).",
        ),
        (
            WINDOWS,
            "This system: snippets are contained by language rules, audit hook, Job object, low integrity and process "
            f"mitigations (6 policies). {OPEN_DOORS}",
        ),
        (
            {"language": "on", "landlock": "absent: no", "seccomp": "absent: no table of system calls for riscv64"},
            "This system: snippets are contained by language rules. Missing here: Landlock (no) and seccomp (no table "
            f"of system calls for riscv64). {OPEN_DOORS}",
        ),
    ],
)
def test_what_holds_in_words(said: dict[str, str], expected: str) -> None:
    assert sentence(said) == expected


def test_what_a_worker_makes_up_is_no_layer() -> None:
    assert rows({"language": "on", "magic": "on"}) == rows({"language": "on"})
    assert not rows({"language": "onwards"})[0].holds
