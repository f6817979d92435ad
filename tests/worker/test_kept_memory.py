"""While an `__eq__` of a snippet is at work, memory that is given back is not given out again; before and afterwards it
is. In processes of their own, as the functions are those of the whole process. So it is for whatever else of a snippet
runs in a comparison."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BEFORE = """
from gradviz.worker.objects.kept_memory import comparing, find_memory, remember
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
bool(Answer()), len(Long()), bool(Elsewhere())
assert told == [False] * 3, told
assert Own(Answer()) == 1 and (Own(Long()) == 1) and Own(Elsewhere()) == 1
told.clear()
assert bool(Answer()) and len(Long()) == 3 and bool(Elsewhere())
assert told == [True] * 3, told
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


GENERATORS = """
from gradviz.worker.objects.python_types import change_types
assert change_types()
"""
ENDED = {
    "finally": "def g():\n    try: yield 1\n    finally: print(lie_apart())",
    "finally around others": ("def h(): yield 1\ndef g():\n    try: yield from h()\n    finally: print(lie_apart())"),
    "caught": "def g():\n    try: yield 1\n    except GeneratorExit: print(lie_apart())",
    "asked what is caught": (
        "def kind():\n    print(lie_apart())\n    return KeyError\ndef g():\n    try: yield 1\n    except kind(): pass"
    ),
    "with": (
        "class W:\n    def __enter__(self): pass\n    def __exit__(self, *e): print(lie_apart())\n"
        "def g():\n    with W(): yield 1"
    ),
    "in an expression": "def g():\n    try: print([(yield 1), 2])\n    finally: print(lie_apart())",
    "in a default": "def g():\n    try:\n        def f(x=(yield 1)): pass\n    finally: print(lie_apart())",
    "in a decorator": (
        "def g():\n    try:\n        @(yield 1)\n        def f(): pass\n    finally: print(lie_apart())"
    ),
    "it yields again": (
        "def g():\n    try: yield 1\n    except GeneratorExit:\n        print(lie_apart())\n        yield 2\n"
    ),
}


@pytest.mark.parametrize("how", ENDED)
def test_a_generator_runs_on_while_all_memory_stays(how: str) -> None:
    """From where it dies to its end; whoever closes one that lives is in no search, or keeps all memory already."""
    die = "\na = g()\nnext(a)\ndel a\nprint(lie_apart())\n"
    assert _said(GENERATORS + ENDED[how] + die) == ["True", "False"]


def test_a_generator_that_is_ended_where_no_further_call_has_room() -> None:
    source = (
        "import sys\nfrom gradviz.worker.objects.kept_memory import _memory\nsys.setrecursionlimit(300)\n"
        "told = []\ndef g():\n    try: yield 1\n    finally: told.append(_memory.is_kept)\n"
        "def ended():\n    global left\n    left -= 1\n    if left > 0: ended()\n    else: alive.clear()\n"
        "for n in range(100, 400):\n    alive, left = [g()], n\n    next(alive[0])\n    try: ended()\n"
        "    except RecursionError: pass\n"
        "alive.clear()\nprint(len(told) > 100, all(told), _memory.is_kept)\n"
    )
    assert _said(GENERATORS + source) == ["True True False"]


def test_a_generator_that_comes_to_its_end_gives_memory_back() -> None:
    source = (
        "def g():\n    try:\n        print((yield 1))\n        yield from [2, 3]\n    finally: print(lie_apart())\n"
        "a = g()\nprint(next(a), a.send(5), list(a))\ndel a\nprint(lie_apart())\n"
    )
    assert _said(GENERATORS + source) == ["5", "False", "1 2 [3]", "False"]


CLOSED = """
class It:
    def __iter__(self): return self
    def __next__(self): return 1
    def close(self): print(lie_apart())
def walk(items): yield from items
a = walk(It())
next(a)
del a
print(lie_apart())
"""


def test_an_iterator_is_closed_while_all_memory_stays() -> None:
    assert _said(GENERATORS + CLOSED) == ["True", "False"]


CACHED = """
import functools
class Key:
    def __init__(self, name): self.name = name
    def __hash__(self): return 1
    @held
    def __eq__(self, other):
        if asked: told.append(f(asked.pop()))
        return self.name == other.name
@functools.lru_cache(maxsize=2)
def f(key): return key.name, f.cache_info().currsize
asked, told = [], []
a = Key("a")
f(a), f(Key("b"))
print(f(a), f(Key("b")), f.cache_info().hits)
asked.append(a)
f(Key("c"))
print(told, f.cache_info().hits)
"""
EMPTIED = """
def clear(self, other):
    try: f.cache_clear()
    except RuntimeError as error: print(error)
held(clear)(1, 2)
print(f.cache_info().currsize)
f.cache_clear()
print(f.cache_info().currsize)
"""


def test_a_cache_is_not_used_in_the_middle_of_a_search() -> None:
    assert _said(GENERATORS + CACHED + EMPTIED) == [
        "('a', 0) ('b', 1) 2",
        "[('a', 2)] 2",
        "a cache can't be cleared while its keys are compared",
        "2",
        "0",
    ]


# A method of a snippet's object that runs in `a == b`, or in the question whether that is true, while memory is given
# back, says so. Tables, views and what a function puts in order can be no keys, so no search meets them but in a class
# that has a hash of its own.
SWEPT = """
import sys, types
from gradviz.worker.objects import kept_memory
from gradviz.worker.objects.hardening import harden
from gradviz.worker.language.policy import compile_snippet
from gradviz.worker.modules.snippet_builtins import snippet_builtins
from gradviz.worker.modules.stand_ins import TorchFacade, World, load_torch, torch_modules
torch = load_torch()
harden(torch)
world = World(TorchFacade(torch_modules(torch)), lambda stream, text: None)
guard = world.guard
own = snippet_builtins(guard, world.classes, world.import_module, print, str)
own["kept"] = lambda: kept_memory._memory.is_kept
guard.globals.update({**guard.hooks(), "__builtins__": own, "__name__": "__main__", "__file__": "x.py"})
exec(compile_snippet(sys.stdin.read(), "x.py", world.modules), guard.globals)
"""
BASES = """
object list tuple dict set frozenset str int float complex bytes bytearray collections.deque
collections.Counter collections.OrderedDict pathlib.Path torch.nn.Module torch.Tensor torch.nn.Parameter io.StringIO
types.SimpleNamespace datetime.date
""".split()
METHODS = """len index int bool float complex iter next getitem contains call neg add radd mul rmul lt gt reversed
torch_function""".split()
PUBLIC = "all any item keys items get shape dtype size ndim tolist lower read".split()
STATE = "shape dtype ndim".split()  # which no class of tensors may have otherwise
ANSWERS = {"bool": "False", "float": "1.0", "complex": "1j", "iter": "iter([1])", "reversed": "iter([1])"}
PLAIN = """
np.float64(1), np.float32(1), np.int64(1), np.bool_(True), np.str_("x"), np.dtype("f4"), np.float32,
np.floating, np.finfo(np.float32), torch.ones(()), torch.nn.Parameter(torch.ones(1)), torch.float32,
torch.device("cpu"), torch.Size([1]), torch.Generator(), torch.nn.Linear(1, 1), (torch.ones(1,
requires_grad=True) * 2).grad_fn, torch, Version("1"), pathlib.Path("x"), plt.gca(), E.A, E,
datetime.date(2020, 1, 1), datetime.timezone.utc, re.compile("x"), list[int], typing.List[int],
typing.Optional[int], type, object, range(3), iter([1]), print, seen, logging.getLogger(),
io.StringIO("x"), torch.distributions.Normal(0, 1), functools.partial(seen), io.BytesIO(b"x"), 1.5,
1j, "x", b"x", (1,), None
"""


def _class(number: int, base: str) -> str:
    lines = [f"    def __{each}__(self, *given): return seen({ANSWERS.get(each, '1')})" for each in METHODS]
    own = {"torch.nn.Module": PUBLIC, "torch.Tensor": STATE, "torch.nn.Parameter": STATE}.get(base, ())
    lines += [f"    def {each}(self, *given): return seen(1)" for each in PUBLIC if each not in own]
    lines += [] if base == "str" else ["    def __hash__(self): return seen(1)"]
    return "\n".join([f"class H{number}({base}):", *lines])


def _sweep() -> str:
    classes = "\n".join(_class(number, base) for number, base in enumerate(BASES))
    return f"""
import collections, datetime, enum, functools, io, logging, pathlib, re, torch, types, typing
import matplotlib.pyplot as plt, numpy as np
from packaging.version import Version
told, pair = set(), []
def seen(value):
    if pair and not kept(): told.add(" == ".join(type(each).__name__ for each in pair))
    return value
class E(enum.Enum): A = 1
{classes}
class Key(tuple):
    def __hash__(self): return 1
mine = []
for made in ({", ".join(f"H{number}" for number in range(len(BASES)))}):
    for given in ((), (1,), ([1],), ("x",), (2020, 1, 1)):
        try: mine.append(made(*given))
        except Exception: continue
        break
def others(): return [*mine, [map(seen, [1])], (filter(seen, [1]),), ((zip(map(seen, [1])),),)]
for each in [*mine, {PLAIN}]:
    for pair in [*([each, other] for other in others()), *([other, each] for other in others())]:
        try: bool(pair[0] == pair[1])
        except Exception: pass
        pair = []
lists = typing.Literal[mine[0]], list[mine[0]] | int, typing.Union[typing.List[int], mine[0]]
again = typing.Literal[mine[0]], list[mine[0]] | int, typing.Union[typing.List[int], mine[0]]
order = functools.cmp_to_key(lambda x, y: seen(1))
def unhashed():
    found = [order(1), {{mine[0]: 1}}.keys(), {{mine[0]: 1}}.items(), collections.Counter([mine[0]]), slice(mine[0])]
    return [*found, collections.ChainMap({{mine[0]: 1}}), *mine, {{2}}, collections.deque(mine)]
kept_keys = [(Key([one]), Key([other])) for one in unhashed() for other in unhashed()]
for pair in [*kept_keys, *zip(lists, again)]:
    try: bool(pair[0] == pair[1])
    except Exception: pass
    pair = []
print(len(mine), sorted(told))
"""


def test_nothing_of_a_snippet_runs_in_a_comparison_while_memory_is_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", SWEPT], input=_sweep(), capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{len(BASES)} []\n"
