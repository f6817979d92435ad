"""Every escape and abuse against the worker as it is shipped: nothing outside is reached, the person gets one sentence,
and the next run works. The snippets of `tests/worker/escapes.py` are tried beside that list."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.escapes.attack import Attack
from tests.escapes.found import FOUND
from tests.escapes.harness import CONTAINED, ENDED, Bench, Outside, outside
from tests.escapes.machine import MACHINE
from tests.escapes.second_look import SECOND
from tests.escapes.spies import SPIES
from tests.escapes.strain import STRAIN


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    made = Bench("all")
    yield made
    made.close()


@pytest.fixture(scope="module")
def target() -> Iterator[Outside]:
    with outside() as things:
        yield things


@pytest.mark.parametrize("attack", [*MACHINE, *STRAIN, *SPIES, *FOUND, *SECOND], ids=lambda attack: attack.label)
def test_it_is_contained(bench: Bench, target: Outside, attack: Attack) -> None:
    result = bench.attempt(attack, target)
    assert result.verdict in (CONTAINED, ENDED), result
    if result.status not in ("ok", "raised"):  # the text of an error is the snippet's own
        assert result.sentence.strip()
        assert "\n" not in result.sentence


def test_the_next_run_works(bench: Bench, target: Outside) -> None:
    after = Attack("", "after all that", "import torch\nassert torch.ones(2).sum() == 2")
    assert bench.attempt(after, target).status == "ok"
