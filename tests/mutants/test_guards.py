"""The list of guards is current: each edit fits its file and makes another program of it, and each test exists.
`make mutants` tries them."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.mutants.guards import GUARDS
from tests.mutants.rows import Guard

ROOT = Path(__file__).parents[2]


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def texts(folder: Path) -> str:
    """All that is written in the tests of a folder."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py")))


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: f"{Path(guard.file).stem}: {guard.name}")
def test_an_edit_fits_its_file(guard: Guard) -> None:
    text = (ROOT / guard.file).read_text(encoding="utf-8")
    assert text.count(guard.old) == 1
    without = ast.parse(text.replace(guard.old, guard.new))
    assert ast.dump(without) != ast.dump(tree(ROOT / guard.file))


def test_no_guard_is_listed_twice() -> None:
    assert set(Counter((guard.file, guard.name) for guard in GUARDS).values()) == {1}


@pytest.mark.parametrize("test", sorted({test for guard in GUARDS for test in guard.tests}))
def test_a_test_that_is_named_exists(test: str) -> None:
    """Its parameter, too: the words of it are found in the tests beside it."""
    place, _, rest = test.partition("::")
    function, _, parameter = rest.partition("[")
    assert (ROOT / place).is_file()
    assert not rest or function in {getattr(node, "name", "") for node in tree(ROOT / place).body}
    missing = [word for word in re.split(": |-|]$", parameter) if word not in texts((ROOT / place).parent)]
    assert not missing
