"""`docs/escapes.md` lists every attack, and says of each layer what it does now."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.escapes.attack import every_attack
from tests.escapes.harness import ENDED, INSIDE, LAYERS, OUT, Bench, Outside, outside
from tests.escapes.page import NOT_MEASURED, page, table
from tests.worker.test_oslock import HAS_KERNEL_LOCKS, NEEDS_LOCKS

WRITTEN = (Path(__file__).parents[2] / "docs" / "escapes.md").read_text(encoding="utf-8")
MAKE = "make it again: python -m tests.escapes.page > docs/escapes.md"


@pytest.fixture(scope="module")
def target() -> Iterator[Outside]:
    with outside() as things:
        yield things


def test_the_page_is_current_but_for_the_machine_that_it_was_measured_on() -> None:
    made = page(every_attack(), table(WRITTEN))
    assert _without_kernel(made) == _without_kernel(WRITTEN), MAKE


def _without_kernel(text: str) -> list[str]:
    return [line for line in text.splitlines() if "was measured on" not in line]


def test_there_are_many_and_each_has_a_name_of_its_own() -> None:
    labels = [each.label for each in every_attack()]
    assert len(set(labels)) == len(labels) > 400


def test_nothing_is_out_and_nothing_gets_past_the_language() -> None:
    found = table(WRITTEN)
    assert not [label for layer in LAYERS for label, verdict in found[layer].items() if verdict == OUT]
    assert INSIDE not in {*found["all"].values(), *found["language"].values()}
    assert set(found["parent"].values()) <= {ENDED, INSIDE, NOT_MEASURED, "contained"}


@pytest.mark.skipif(not HAS_KERNEL_LOCKS, reason=NEEDS_LOCKS)
@pytest.mark.parametrize("layer", ["language", "kernel"])
def test_the_layer_alone_does_what_the_page_says(target: Outside, layer: str) -> None:
    """For every eighth attack; the maker measures all."""
    measured = [each for each in every_attack() if not each.by_parent][::8]
    bench, written = Bench(layer), table(WRITTEN)[layer]
    try:
        wrong = [
            (attack.label, written[attack.label], result)
            for attack in measured
            if (result := bench.attempt(attack, target)).verdict != written[attack.label]
        ]
    finally:
        bench.close()
    assert not wrong, MAKE
