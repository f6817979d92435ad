"""While an `__eq__` of a snippet is at work, memory that is given back is not given out again; before and afterwards it
is. In processes of their own, as the functions are those of the whole process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BEFORE = """
from gradviz.worker.kept_memory import comparing, find_memory, remember
assert find_memory() and find_memory()

def places(times):
    "Where blocks come to lie that are given back at once, of several sizes."
    return {id(bytes(size)) for size in (100, 400, 3000, 30000) for _ in range(times)}

def lie_apart():
    "Whether all do."
    return len(places(50)) == 200

def held(method):
    return comparing(method, lambda other: other)

class Own:
    def __init__(self, ask): self.ask = ask
    @held
    def __eq__(self, other): return self.ask() if callable(self.ask) else self.ask

def fail():
    raise ValueError(lie_apart())

def seen(asked):
    told = []
    held(lambda self, other: told.append(asked()))(1, 2)
    return told
"""
SAID = {
    "before": ("lie_apart()", "False"),
    "at work": ("seen(lie_apart)", "[True]"),
    "one within another": ("seen(lambda: [seen(lie_apart), lie_apart()])", "[[[True], True]]"),
    "afterwards": ("[seen(lie_apart), lie_apart()]", "[[True], False]"),
    "what it gets": ("comparing(lambda self, other: [self, other], str)(1, 2)", "[1, '2']"),
    "an operator": ("Own(lie_apart) == 1", "True"),
    "in a list": ("1 in [Own(lie_apart)]", "True"),
}
ODD = """
class Answer:
    def __bool__(self): return told.append(lie_apart()) or True
    def __len__(self): return told.append(lie_apart()) or 3
class Long:
    def __len__(self): return told.append(lie_apart()) or 3
class Elsewhere(Long): pass
told = []
remember(Answer)
remember(Long)
bool(Answer()), len(Answer()), len(Long()), bool(Elsewhere())
assert told == [False] * 4, told
assert Own(Answer()) == 1 and (Own(Long()) == 1) and Own(Elsewhere()) == 1
told.clear()
assert bool(Answer()) and len(Answer()) == 3 and len(Long()) == 3 and bool(Elsewhere())
assert told == [True] * 4, told
assert not lie_apart()
try:
    Own(fail) == 1
except ValueError as error:
    assert str(error) == "True"
assert not lie_apart()
print(Own.__eq__.__name__, Answer.__bool__.__name__)
"""


def _said(script: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", BEFORE + script], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def said() -> list[str]:
    return _said("".join(f"print({code})\n" for code, _ in SAID.values()))


@pytest.mark.parametrize("when", SAID)
def test_where_memory_comes_to_lie(said: list[str], when: str) -> None:
    assert said[list(SAID).index(when)] == SAID[when][1]


def test_what_an_answer_does_when_it_is_asked_whether_it_is_true() -> None:
    assert _said(ODD) == ["__eq__ __bool__"]
