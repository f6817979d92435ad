"""An OrderedDict in a worker does and says what Python's own does, for thousands of random operations."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.escapes.hostile_objects import HOSTILE_OBJECTS

_HOSTILE = {
    each.name: each.source.replace("import collections, torch", "import collections")
    for each in HOSTILE_OBJECTS
    if each.kind == "Found: keys that empty their OrderedDict" and not each.name.endswith("of weights")
}
ROOT = Path(__file__).parents[2]
CHANGED = "from gradviz.worker.objects.ordered_tables import order_tables\nassert order_tables()\n"
PROGRAM = """
import copy, pickle, random
from collections import OrderedDict

class Telling(OrderedDict):
    def __setitem__(self, key, value):
        print("set", key, value)
        super().__setitem__(key, value)
    def __delitem__(self, key):
        print("delete", key)
        super().__delitem__(key)
    def __getitem__(self, key):
        print("get", key)
        return super().__getitem__(key)
    def __missing__(self, key):
        return "missing"

class Going(OrderedDict):
    def __iter__(self):
        print("iter")
        return super().__iter__()
    def items(self):
        print("items")
        return super().items()

chance = random.Random(0)
KEYS = ["a", "b", "c", 1, 2.0, (3, 4), None, frozenset([5])]
key, value = (lambda: chance.choice(KEYS)), (lambda: chance.randrange(9))
ACTS = [
    lambda d: d.__setitem__(key(), value()),
    lambda d: d.__setitem__(key(), value()),
    lambda d: d.__delitem__(key()),
    lambda d: d.pop(key()),
    lambda d: d.pop(key(), "none"),
    lambda d: d.pop(key=key(), default=value()),
    lambda d: d.popitem(),
    lambda d: d.popitem(last=chance.random() < 0.5),
    lambda d: d.move_to_end(key()),
    lambda d: d.move_to_end(key(), last=False),
    lambda d: d.setdefault(key()),
    lambda d: d.setdefault(key(), default=value()),
    lambda d: d.update({key(): value() for _ in range(3)}),
    lambda d: d.update([(key(), value())], x=value()),
    lambda d: d.update(other),
    lambda d: d.copy(),
    lambda d: copy.copy(d),
    lambda d: copy.deepcopy(d),
    lambda d: pickle.loads(pickle.dumps(d)),
    lambda d: (d == other, other == d, d != other, d == dict(d), dict(d) == d, d == 5, d != 5, d == OrderedDict(d)),
    lambda d: (d | other, {1: 2} | d, d | {key(): value()}),
    lambda d: d.__ior__(other),
    lambda d: d.clear() if chance.random() < 0.1 else None,
    lambda d: (d.keys(), d.values(), d.items(), list(d), list(reversed(d)), len(d), key() in d, d.get(key())),
    lambda d: (list(reversed(d.keys())), list(reversed(d.values())), list(reversed(d.items())), d.keys() & {key()}),
    lambda d: ({**d}, dict(d), list(d.items()), [*d], sorted(map(str, d))),
    lambda d: (type(d).fromkeys([key(), key()], value()), type(d).__name__, bool(d), d.__sizeof__() > 0),
    lambda d: OrderedDict.pop({}, 1),
    lambda d: OrderedDict.move_to_end({}, 1),
    lambda d: d < other,
    lambda d: hash(d),
    lambda d: d.popitem(1, 2),
    lambda d: d.pop(),
    lambda d: d.__setitem__("self", d) or repr(d),
    lambda d: d.pop("self", 0) and None,
]
for cls in (OrderedDict, Telling, Going):
    d, other = cls(), OrderedDict(a=1, b=2)
    for step in range(4000):
        number = chance.randrange(len(ACTS))
        try:
            told = ACTS[number](d)
        except Exception as error:
            told = type(error).__name__
        print(step, number, told, d)
        d.pop("self", None)
        if number == 14:
            other[key()] = value()
            other.move_to_end("a", last=value() > 4)
"""


def _told(program: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def both() -> tuple[list[str], list[str]]:
    return _told(PROGRAM), _told(CHANGED + PROGRAM)


def test_it_does_what_pythons_does(both: tuple[list[str], list[str]]) -> None:
    before, after = both
    assert [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]] == []
    assert len(before) > 12_000


@pytest.mark.parametrize("name", _HOSTILE)
def test_a_key_that_empties_it_frees_nothing_that_is_read(name: str) -> None:
    """Also where memory is given back meanwhile, as it is here."""
    assert _told(f"{CHANGED}{_HOSTILE[name]}\nprint('end')") == ["end"]
