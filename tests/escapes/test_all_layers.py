"""Every escape and abuse against the worker as it is shipped, and against each layer alone, so that no outer layer
hides a hole in an inner one: the language lets nothing past, the kernel lets nothing out, and what is tried is real, as
it gets out where nothing holds it."""

from __future__ import annotations

import ast
import functools
import os
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from gradviz.worker.language.guard import Guard
from tests.escapes.attack import Attack, by_kind, every_attack
from tests.escapes.harness import CONTAINED, ENDED, INSIDE, OUT, Bench, Result, Targets, outside
from tests.escapes.layered_worker import Watching, watching
from tests.worker.kernel_attempts import HAS_KERNEL_LOCKS, NEEDS_LOCKS

KINDS = dict(by_kind(every_attack()))
FREE = {kind: tried for kind, several in KINDS.items() if (tried := [each for each in several if each.freely])}
MakeBench = Callable[[str], Bench]
Attempt = Callable[[str, list[Attack]], list[Result]]

# What gets nowhere where nothing holds it, either, and why.
_TORCH = "torch.load reads nothing but what torch.save wrote"
_ALWAYS = {
    "environment": "a worker is given none",
    "own environment as a file": "a worker is given none",
    "the machine's name by what was kept": "nothing keeps it",
    "a warning of the worker": "it has warned of nothing",
    "what lines were kept": "it keeps none",
    "torch.load of a pickle": _TORCH,
    "torch.load of a file": _TORCH,
    "np.loadtxt": "it takes a current folder, and the worker's is removed",
}
_OFTEN = {
    "the clipboard": "it takes a display",
    "a pool of processes": "it takes semaphores with names",
    "a shelf": "it takes a database",
    "look into a process": "a system may allow it for children only",
    "read a process's memory": "a system may allow it for children only",
    "name_to_handle_at": "a file system may have none",
}
_BUT_FOR_ROOT = {name: "root only" for name in ("a raw socket", "another user", "another root", "open_tree", "mount")}
NOWHERE = _ALWAYS | _OFTEN | ({} if hasattr(os, "geteuid") and os.geteuid() == 0 else _BUT_FOR_ROOT)


@pytest.fixture(scope="module")
def bench() -> Iterator[MakeBench]:
    """One at a time: each takes the place of the last."""
    made: dict[str, Bench] = {}

    def make(layer: str) -> Bench:
        if layer not in made:
            while made:
                made.popitem()[1].close()
            made[layer] = Bench(layer)
        return made[layer]

    yield make
    while made:
        made.popitem()[1].close()


@pytest.fixture(scope="module")
def attempt(bench: MakeBench) -> Iterator[Attempt]:
    """attempt(layer, attacks): what becomes of them; all tests have the same things to aim at."""
    with Targets() as targets:
        yield lambda layer, attacks: bench(layer).attempt_all(attacks, targets)


def wrong(attacks: list[Attack], results: list[Result], allowed: tuple[str, ...]) -> list[tuple[str, Result]]:
    return [
        (attack.name, result)
        for attack, result in zip(attacks, results, strict=True)
        if result.verdict not in allowed or not is_told_well(result)
    ]


def is_for_the_language(kind: str) -> bool:
    """Whether the language alone must contain attacks of a class, without an end of the worker."""
    return kind.startswith("Found")


def is_told_well(result: Result) -> bool:
    """One sentence says why a run was not to be; the text of an error is the snippet's own."""
    return result.status in ("ok", "raised") or bool(result.sentence.strip() and "\n" not in result.sentence)


@pytest.mark.parametrize("kind", KINDS)
def test_the_worker_as_it_is_shipped_contains_it(attempt: Attempt, kind: str) -> None:
    """One attack of each class, as every one is tried against the language and the kernel alone, too. `make escapes`
    tries all of them here; those of `tests/worker/escapes.py` are all tried by `tests/worker/test_escapes.py`."""
    tried = KINDS[kind][:1]
    assert wrong(tried, attempt("all", tried), (CONTAINED, ENDED)) == []


def test_the_next_run_works(bench: MakeBench) -> None:
    after = Attack("", "after all that", "import torch\nassert torch.ones(2).sum() == 2")
    with outside() as target:
        assert bench("all").attempt(after, target).status == "ok"


@pytest.mark.parametrize("kind", KINDS)
def test_the_language_alone_lets_nothing_past(attempt: Attempt, kind: str) -> None:
    """Nor does it let memory be damaged: a worker that a door, once open, brought down would be a sign of that."""
    allowed = (CONTAINED,) if is_for_the_language(kind) else (CONTAINED, ENDED)
    assert wrong(KINDS[kind], attempt("language", KINDS[kind]), allowed) == []


HELD: dict[str, tuple[Any, str]] = {  # what a snippet must not hold, and how it comes by it
    "an array": (np.ones(2), "y = given"),
    "a type of NumPy's in a list of a table": (np.float64, "y = {'a': [given]}['a']"),
    "what a loop yields": (iter([np.dtype("f8")]), "for each in given: y = each"),
    "a frame in an error in an error": (TypeError(ValueError(sys._getframe())), "y = given"),
    "an argument of an error": (KeyError(np.int64(3)), "y = given"),
    "Python's own type": (type, "y = given"),
    "the guard behind a function": (functools.partial(print, Guard(())), "y = given"),
}


@pytest.mark.parametrize("name", HELD)
def test_what_a_snippet_holds_is_seen_though_it_does_nothing_with_it(name: str) -> None:
    given, source = HELD[name]
    told: list[str] = []
    code = compile(ast.fix_missing_locations(Watching().visit(ast.parse(source))), "snippet.py", "exec")
    types.FunctionType(code, {"<watch>": watching(lambda stream, text: told.append(text)), "given": given})()
    assert told
    assert all("ESCAPED" in each for each in told)


@pytest.mark.skipif(not HAS_KERNEL_LOCKS, reason=NEEDS_LOCKS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_kernel_alone_lets_nothing_out(attempt: Attempt, kind: str) -> None:
    """Without the language, an attack on it is plain Python: one of each such class is tried here, and all of them by
    `make escapes`."""
    tried = KINDS[kind][:1] if is_for_the_language(kind) else KINDS[kind]
    assert wrong(tried, attempt("kernel", tried), (CONTAINED, ENDED, INSIDE)) == []


@pytest.mark.parametrize("kind", [kind for kind, several in KINDS.items() if several[0].by_parent])
def test_the_program_alone_ends_what_uses_too_much(attempt: Attempt, kind: str) -> None:
    assert wrong(KINDS[kind], attempt("parent", KINDS[kind]), (CONTAINED, ENDED, INSIDE)) == []


@pytest.mark.skipif(not HAS_KERNEL_LOCKS, reason=NEEDS_LOCKS)
@pytest.mark.parametrize("kind", FREE)
def test_what_is_tried_gets_out_where_nothing_holds_it(attempt: Attempt, kind: str) -> None:
    """Else it would say nothing of a layer that it is contained: its own first step may have been in its way."""
    results = attempt("parent", FREE[kind])
    nowhere = {
        attack.name: result
        for attack, result in zip(FREE[kind], results, strict=True)
        if result.verdict not in (OUT, INSIDE)
    }
    assert {name: result for name, result in nowhere.items() if name not in NOWHERE} == {}
    assert {each.name for each in FREE[kind]} & _ALWAYS.keys() <= nowhere.keys()
