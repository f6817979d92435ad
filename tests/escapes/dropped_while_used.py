"""Doors that a tenth attack found: what C code works with and does not hold, so that it is gone when a method or an
iterator of a snippet has dropped it; a class that `type[...]` marks. And one that a twentieth found: Python's collector
ends generators of a snippet, before 3.12 in the middle of C code. And a twenty-first: a generator that is thrown into
while it is, whose C code then takes a value too many from its stack; a method of a class that is called without its
object, for which Python takes what lay on the stack. A twenty-second: a comprehension whose variable lies where Python
expects a cell."""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

_KEEP = (
    "kept = []\ndef fill(n):\n    kept.append([bytes([66]) * (n - 33) for _ in range(300)])\n"
    "    kept.append([(1, 2) for _ in range(100)])\n"
)
_REFILL = (
    f"{_KEEP}b = bytearray(b'A' * 100)\nclass X:\n    def __index__(self):\n        b.clear()\n        fill(100)\n"
    "        b.extend(range(100))\n        return 0\n"
)
_PLACES = {
    "to write at": f"{_REFILL}b[X():100:2] = b'z' * 50\nif b.count(b'z') != 50: print('ESCAPED', b)",
    "to delete at": f"{_REFILL}del b[X():100:2]\nif b != bytes(range(1, 100, 2)): print('ESCAPED', b)",
}
_DRAIN = (
    f"{_KEEP}import itertools\nclass A:\n    def __init__(self): self.n = 0\n    def __iter__(self): return self\n"
    "    def __next__(self):\n        self.n += 1\n        if self.n > 1: raise StopIteration\n"
    "        drain()\n        for n in (56, 64, 72): fill(n)\n        return 7\ndef drain(): list(c)\n"
)
_LOOK = "found = next(c, None)\nif isinstance(found, tuple) and found[0] not in (0, 7): print('ESCAPED', found)"
_TWO = "map(lambda *both: both, A(), iter([8, 9]))"


def _drained(made: str) -> str:
    return f"{_DRAIN}def made(): yield {made}\nc = itertools.chain.from_iterable(made())\n{_LOOK}"


_ITERATORS = {
    "of a chain, that numbers": _drained("enumerate(A())"),
    "of a chain, that calls": _drained(_TWO),
    "of a chain, that chooses": _drained("filter(lambda x: True, A())"),
    "of a chain, that joins": _drained("zip(A(), iter([8, 9]))"),
    "of a chain, that adds up": _drained("itertools.accumulate(A())"),
    "of a slice": f"{_DRAIN}c = itertools.islice({_TWO}, 3)\n{_LOOK}",
    "of a longer zip": f"{_DRAIN}c = itertools.zip_longest({_TWO}, [1])\n{_LOOK}",
    "of a longer zip of another module": (
        f"{_DRAIN}from six.moves import zip_longest\nc = zip_longest({_TWO}, [1])\n{_LOOK}"
    ),
    "of pairs": f"{_DRAIN}c = itertools.pairwise({_TWO})\n{_LOOK}",
    "of a cycle": (f"{_DRAIN}def drain():\n    next(c, None)\n    next(c, None)\nc = itertools.cycle({_TWO})\n{_LOOK}"),
}
_ITEMS = {
    "of a Counter": (
        f"{_KEEP}import collections\nc = collections.Counter()\nclass X:\n    def __add__(self, other):\n"
        "        c.clear()\n        fill(56)\n        return NotImplemented\nc['a'] = X()\ntry: c.update('a')\n"
        "except TypeError as e:\n    if \"'X'\" not in str(e): print('ESCAPED', e)"
    ),
    "of a deque": (
        f"{_KEEP}import collections\nclass K:\n    def __eq__(self, other):\n        d.clear()\n        fill(48)\n"
        "        return NotImplemented\nfor act in ('index', 'count', 'remove', '__contains__'):\n"
        "    d = collections.deque(K() for _ in range(100))\n    try: getattr(d, act)([7])\n"
        "    except (RuntimeError, IndexError, ValueError): pass"
    ),
    "of an OrderedDict that is copied": (
        f"{_KEEP}import collections\nclass O(collections.OrderedDict):\n    def __getitem__(self, key):\n"
        "        self.clear()\n        fill(56)\nfor n in range(1, 300):\n"
        "    try: O((i, i) for i in range(n)).copy()\n    except RuntimeError: pass"
    ),
}
_LETTERS = (
    "import warnings\nkept = []\nwith warnings.catch_warnings(record=True) as w:\n    warnings.simplefilter('always')\n"
    "    for n in range(1100, 2000, 7):\n        kept.append([b'A' * (n + 5) for _ in range(20)])\n"
    "        del kept[-1][::2]\n"
    "        kind(b'\\\\xz' + b'y' * n + b'\\\\q').decode('unicode_escape', 'ignore')\n"
    "for each in w:\n    if '\\\\q' not in str(each.message): print('ESCAPED', each.message)"
)
_WARNED = {
    "of bytes": f"kind = bytes\n{_LETTERS}",
    "of a bytearray": f"kind = bytearray\n{_LETTERS}",
}
_MARKS = {
    "Python's": "import random\ntype[int](random.Random())\nprint('ESCAPED')",
    "PyTorch's": "import torch\ntype[int](torch.nn.Linear(1, 1))\nprint('ESCAPED')",
    "of an error": (
        "import json\ntry: json.loads('{')\nexcept ValueError as e:\n    type[int](e)\n    print('ESCAPED')"
    ),
    "of a stand-in": "import math\ntype[int](math)\nprint('ESCAPED')",
}

# Each round makes more objects than Python makes between two collections; what the collector finds has to be a cycle.
_COLLECTED = (
    "import functools, io, itertools, operator\n%s\nfor n in range(20):\n    kept = [object() for _ in range(30)]\n"
    "    later(kept.clear)\n    list(zip(range(40_000), map(%s, itertools.repeat(kept))))\n"
)
_GENERATOR = (
    "def end(act):\n    try: yield 1\n    finally: act()\n"
    "def later(act):\n    g = end(act)\n    next(g)\n    cycle = [g]\n    cycle.append(cycle)\n"
)
_BUFFER = "class S(io.StringIO): pass\ndef later(act):\n    S.close = lambda self: act()\n    s = S()\n    s.own = s\n"
_COPIES = {
    "a copy": (_GENERATOR, "list.copy"),
    "a slice": (_GENERATOR, "operator.itemgetter(slice(0, 20))"),
    "a sum": (_GENERATOR, "functools.partial(operator.add, [])"),
    "a copy, by a text buffer": (_BUFFER, "list.copy"),
}

_THROWN = (
    "class I:\n    def __iter__(self): return self\n    def __next__(self): return 1\n"
    "    def throw(self, *error):\n        n.append(1)\n        if len(n) < 4:\n            try: return enter()\n"
    "            except ValueError: pass\n        raise TypeError\n"
    "    def close(self):\n        try: enter()\n        except ValueError: pass\nn, found = [], []\n"
    "def f():\n    x = y = [7]\n    try: z = yield from I()\n    except BaseException: pass\n"
    "    found.append((x, y))\ndef through(other): yield from other\ng = f()\n%s\n"
    "try: act()\nexcept (StopIteration, TypeError): pass\nif found not in ([], [([7], [7])]): print('ESCAPED')"
)
_THROUGH = (
    "others = [%s for _ in range(6)]\nfor each in others: next(each)\ndef enter(): others.pop().throw(KeyError)\n"
)
_ENTERED = {
    "by itself": "next(g)\ndef enter(): g.throw(KeyError)\nact = enter",
    "at its close": "next(g)\ndef enter(): g.throw(KeyError)\nact = g.close",
    "by another that goes through it": f"{_THROUGH % 'through(g)'}act = enter",
    "by one through another": f"{_THROUGH % 'through(through(g))'}act = enter",
    "at the close of another": f"{_THROUGH % 'through(g)'}act = others.pop().close",
    "by a context manager": (
        "import contextlib\nmade = contextlib.contextmanager(through)\nothers = [made(g) for _ in range(6)]\n"
        "for each in others: each.__enter__()\n"
        "def enter(): others.pop().__exit__(KeyError, KeyError(), None)\nact = enter"
    ),
}

_LACKING = (
    "def g(*x): return None\ndef f(x):\n    g(x, x, x, x)\n    try: return %s\n"
    "    except TypeError as e: return str(e)\nkept, mine = [], [1, 2, 3]\nfor i in range(300):\n"
    "    if '-1' in str(f(mine)): print('ESCAPED')\n    kept.append([5] * 3)\n"
    "if mine != [1, 2, 3]: print('ESCAPED', mine)"
)
_APPENDING = (
    "class N: pass\nn = N()\nn.append = list.append\ndef f(to): to.append(1)\nfor i in range(300): f([])\n%s\n"
    "try: f(to)\nexcept (TypeError, AttributeError): print('refused')"
)
_UNBOUND = {
    "by the name of a class": _LACKING % "list.sort()",
    "by another name": f"s = list.sort\n{_LACKING % 's()'}",
    "by a method of its own class": f"class L(list): pass\n{_LACKING % 'L.pop()'}",
    "by an object that has it": _APPENDING % "to = n",
    "by a class that has it": _APPENDING % "class M: append = staticmethod(list.append)\nto = M",
    "by what an option adds to": (
        "import argparse, types\nfor to in [[]] * 300 + [types.SimpleNamespace(append=list.append)]:\n"
        "    p = argparse.ArgumentParser()\n    p.add_argument('-a', action='append', default=to)\n"
        "    try: p.parse_args(['-a', '1'])\n    except (TypeError, SystemExit) as e: print(type(e).__name__)"
    ),
    "by a clock": f"import timeit\n{_LACKING % 'timeit.timeit(list.sort, x, number=5)'}",
}

_OF_CELL = "def f():\n    x = 1\n    def g(): return x\n    return %s\nprint(str(f())[:50])"
_OF_SELF = (
    "class A:\n    def f(self):\n        g = lambda: self\n        return %s\n"
    "try: A().f()\nexcept TypeError as e: print(e)"
)
_IN_PLACE = {
    "names of a function": _OF_CELL % "[locals() for x in (1.5, 'a' * 99)]",
    "names of a function in a set": _OF_CELL % "{str(locals()) for x in (1.5, 'a' * 99)}",
    "names of a function in a table": _OF_CELL % "{x: locals() for x in (1.5, 'a' * 99)}",
    "names of a module": "a = [lambda: x for x in (1, 2)]\nb = [str(locals()) for x in (1.5, 'a' * 99)]",
    "a text": _OF_CELL % "[eval('x') for x in (1.5, 'a' * 99)]",
    "super": _OF_SELF % "[super() for self in (1.5, 'a' * 99)]",
    "super in a set": _OF_SELF % "{super() for self in (1.5, 'a' * 99)}",
    "super in a table": _OF_SELF % "{1: super() for self in (1.5, 'a' * 99)}",
}

DROPPED_WHILE_USED: list[Attack] = [
    *listed("Found: places that empty a bytearray", _PLACES),
    *listed("Found: iterators that are dropped at work", _ITERATORS),
    *listed("Found: items that are dropped at work", _ITEMS),
    *listed("Found: letters of a text that is freed", _WARNED),
    *listed("Found: marks on a class that all share", _MARKS),
    *listed("Found: what the collector ends at work", {name: _COLLECTED % made for name, made in _COPIES.items()}),
    *listed("Found: generators that are thrown into at work", {name: _THROWN % act for name, act in _ENTERED.items()}),
    *listed("Found: methods that lack their object", _UNBOUND),
    *listed("Found: values in the place of a cell", _IN_PLACE),
]
