"""Every input that once reached new code or went wrong is tried again, a few hundred of them in some seconds; and each
target still finds what it looks for. How to search for more: CONTRIBUTING, `make fuzz`."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

from tests.fuzz import figures, messages, policy, traces
from tests.fuzz.__main__ import SEEDS, TARGETS, watched
from tests.trace.sample import SOURCE, sample_batch


def seeds(target: str) -> list[Path]:
    return sorted(path for path in (SEEDS / target).iterdir() if path.is_file())


@pytest.mark.parametrize("target", TARGETS)
def test_what_was_found_before(target: str) -> None:
    one_input = importlib.import_module(f"tests.fuzz.{target}").one_input
    assert len(seeds(target)) >= 5
    for seed in seeds(target):
        one_input(seed.read_bytes())


def test_the_seeds_are_few_and_small() -> None:
    every = [path for path in SEEDS.rglob("*") if path.is_file()]
    assert len(every) <= 200
    assert sum(path.stat().st_size for path in every) <= 300_000


def test_the_seeds_of_the_policy_are_refused_wrong_and_accepted() -> None:
    became = set()
    for seed in seeds("policy"):
        became.add(policy.compiled(policy.made(seed.read_bytes())))
    assert became == {"refused", "wrong", "accepted"}


@pytest.mark.parametrize(
    "text", ["x._y", "x.__class__", "x.format", "x.mro", "x.y = 1", "match x:\n case y(_z=1): pass"]
)
def test_a_policy_that_left_something_would_be_noticed(text: str) -> None:
    with pytest.raises(AssertionError):
        policy.look_at_tree(ast.parse(text))


def test_an_honest_trace_is_taken_and_a_changed_one_refused() -> None:
    batch = sample_batch()
    assert traces.look_through(SOURCE, [batch])
    assert not traces.look_through(SOURCE, [batch, batch])


def test_an_honest_figure_is_read() -> None:
    header, count = figures.honest(list(figures.COLUMNS))
    figure = figures.read_through(header, bytes(8 * count))
    assert figure is not None and [layer.kind for layer in figure.axes[0].layers] == list(figures.COLUMNS)
    assert figures.read_through(header, bytes(8 * count + 8)) is None


def test_an_honest_worker_is_heard() -> None:
    ready, text = messages.encoded(1, 0, {"layers": {}}), messages.encoded(4, 1, {"stream": "out", "text": "hello"})
    events = messages.listened(ready + text + messages.encoded(6, 1, {"status": "ok"}), None)
    assert [type(event).__name__ for event in events] == ["Output", "Done"]


def test_a_finding_is_written_down_once_and_the_search_goes_on(tmp_path: Path) -> None:
    def one_input(data: bytes) -> None:
        assert data != b"bad", "found"

    run = watched(one_input, tmp_path)
    for data in (b"good", b"bad", b"bad"):
        run(data)
    found = sorted(path.name for path in tmp_path.iterdir())
    assert len(found) == 2 and found[1] == f"{found[0]}.txt"
    assert (tmp_path / found[0]).read_bytes() == b"bad"
