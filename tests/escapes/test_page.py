"""`docs/escapes.md` lists every attack, and what it says of each layer is what the layers are held to; that they do it
is tried in `test_all_layers`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.escapes.attack import Attack, every_attack
from tests.escapes.harness import CONTAINED, ENDED, INSIDE, LAYERS, OUT, Bench
from tests.escapes.page import NOT_MEASURED, page, table
from tests.worker.kernel_attempts import HAS_KERNEL_LOCKS, NEEDS_LOCKS

WRITTEN = (Path(__file__).parents[2] / "docs" / "escapes.md").read_text(encoding="utf-8")
MAKE = "make it again: make escapes"


def test_the_page_is_current_but_for_the_machine_that_it_was_measured_on() -> None:
    made = page(every_attack(), table(WRITTEN))
    assert _without_kernel(made) == _without_kernel(WRITTEN), MAKE


def _without_kernel(text: str) -> list[str]:
    return [line for line in text.splitlines() if "was measured on" not in line]


def test_there_are_many_and_each_has_a_name_of_its_own() -> None:
    labels = [each.label for each in every_attack()]
    assert len(set(labels)) == len(labels) > 700


MAY = {
    "all": {CONTAINED, ENDED},
    "language": {CONTAINED, ENDED},
    "kernel": {CONTAINED, ENDED, INSIDE},
    "parent": {CONTAINED, ENDED, INSIDE, OUT, NOT_MEASURED},
}
# The Python of the page. Without the rules of the language, the faults of its C code differ from version to version.
MEASURED_WITH = (3, 11)


def test_the_page_says_of_no_layer_what_it_may_not_do() -> None:
    found = table(WRITTEN)
    assert set(MAY) == set(LAYERS)
    for layer, verdicts in MAY.items():
        assert set(found[layer].values()) <= verdicts, layer
    freely = {each.label for each in every_attack() if each.freely}
    assert {label for label, verdict in found["parent"].items() if verdict == OUT} <= freely


@pytest.mark.skipif(not HAS_KERNEL_LOCKS, reason=NEEDS_LOCKS)
@pytest.mark.parametrize("layer", ["language", "kernel"])
def test_a_layer_alone_gets_the_verdict_of_the_page(layer: str) -> None:
    """For every eighth attack that ends by itself; the maker measures all."""
    measured = [each for each in every_attack() if not each.by_parent][::8]
    bench, written = Bench(layer), table(WRITTEN)[layer]
    try:
        results = bench.attempt_all(measured)
    finally:
        bench.close()
    pairs = zip(measured, results, strict=True)
    exact = layer == "language" or sys.version_info[:2] == MEASURED_WITH
    wrong = [
        (each.name, written[each.label], new)
        for each, new in pairs
        if new.verdict not in ({written[each.label]} if exact else MAY[layer])
    ]
    assert wrong == [], MAKE


def test_what_an_attack_is_told_of_the_outside_counts() -> None:
    """A worker that knew the time of the file, or said that it learned something, would be found out."""
    bench = Bench("parent")
    try:
        told = bench.attempt_all([
            Attack("", "size", "import os\nprint(os.stat('SECRET').st_mtime)"),
            Attack("", "error", "import os\nraise ValueError(os.stat('SECRET'))"),
            Attack("", "claim", "print('LEARNED')"),
            Attack("", "place", "import sys\nprint(sys.path)"),
            Attack("", "inside", "print('ESCAPED')"),
            Attack("", "nothing", "print('x')"),
        ])  # fmt: skip
    finally:
        bench.close()
    assert [each.verdict for each in told] == [OUT, OUT, OUT, OUT, INSIDE, CONTAINED]
