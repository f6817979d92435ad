"""Doors that an eleventh attack found: what C code works with and does not hold, in iterators that step on while they
compare, texts of several parts, factories and encoders; the address of None; marks that a type in brackets leaves."""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

_KEEP = (
    "kept = []\ndef fill():\n    for n in (33, 48, 56, 64, 72, 80, 96, 128):\n"
    "        kept.append([bytes([66]) * (n - 33) for _ in range(300)])\n"
    "    kept.append([(1, 2) for _ in range(100)])\n    kept.append([float(i) for i in range(300)])\n"
)
_BYTES = (
    f"{_KEEP}b = bytearray(b'A' * 100)\nclass X:\n    def __init__(self, told): self.told = told\n"
    "    def __index__(self):\n        b.clear()\n        fill()\n"
    "        kept.append([bytes(101 - n) for n in range(40) for _ in range(20)])\n        b.extend(range(100))\n"
    "        return self.told\n"
)
_AT = "if b[5] != 200: print('ESCAPED', b[5])"
_PLACES = {
    "a place": f"{_BYTES}b[X(5)] = 200\n{_AT}",
    "a value": f"{_BYTES}b[5] = X(200)\n{_AT}",
    "a value, by the operator of a module": f"{_BYTES}import operator\noperator.setitem(b, 5, X(200))\n{_AT}",
}
_PAIR = (
    f"{_KEEP}import itertools, operator, functools, collections\nbegun = []\nclass B:\n    def look(self, other):\n"
    "        fill()\n        if type(other) is not A: print('ESCAPED', other)\n        return self\n"
    "    __eq__ = __radd__ = look\n    __hash__ = None\n"
    "class A:\n    def go(self, other):\n        if not begun:\n            begun.append(1)\n            step()\n"
    "            return NotImplemented\n        return True\n    __eq__ = __add__ = go\n    __hash__ = None\n"
    "    def __float__(self): return 1.0\n"
    "class Source:\n    n = 0\n    def __iter__(self): return self\n    def __next__(self):\n        self.n += 1\n"
    "        return A() if self.n == 1 else B()\n"
)
_STEPS = "def step():\n    next(c, None)\n    next(c, None)\n"
_SUMS = "next(c)\nnext(c, None)"
_TWICE = (
    "def step(): kept.append(next(c))\nclass N(A):\n    def __add__(self, other): return A.go(self, other) and 5\n"
    "c = itertools.count(N(), 2)\nx = next(c)\nkept.clear()\nfill()\nprint(x)\nif type(x) is not N: print('ESCAPED', x)"
)
# Tuples have nobody else who holds them, and no method of a key's own class runs, in which all memory would stay.
_GROUPED = (
    f"{_KEEP}import itertools, functools\nbegun, group = [], iter([])\nclass B:\n    def __eq__(self, other):\n"
    "        if type(other) is not B: print('ESCAPED', other)\n        return True\n"
    "def order(x, y):\n    if not begun:\n        begun.append(1)\n        next(group, None)\n        next(c, None)\n"
    "    return 0\nV = functools.cmp_to_key(order)\n"
    "def made(n):\n    kept.extend(((n, n), (n, n)))\n    return V(n), B()\n"
)
_STEPPING = {
    "sums": f"{_PAIR}{_STEPS}c = itertools.accumulate(Source())\n{_SUMS}",
    "sums by a function": f"{_PAIR}{_STEPS}c = itertools.accumulate(Source(), operator.add)\n{_SUMS}",
    "a count": f"{_PAIR}{_TWICE}",
    "groups": f"{_GROUPED}c = itertools.groupby(range(6), made)\nnext(c)\nnext(c, None)",
    "one group": (
        f"{_GROUPED}c = itertools.groupby(range(6), made)\nkey, group = next(c)\ndel key\nnext(group)\n"
        "try: next(group, None)\nexcept ValueError: pass"
    ),
    "calls until a value comes": f"{_PAIR}def step(): list(c)\nc = iter(B, A())\nnext(c, None)",
    "calls of a function that is dropped": (
        f"{_PAIR}def step(): next(c, None)\nclass N(A):\n    def __add__(self, other):\n"
        "        found = A.go(self, other)\n        return found if found is NotImplemented else 7\n"
        "c = iter(functools.partial(operator.add, N(), B()), 7)\ntry: next(c, None)\nexcept AttributeError: pass"
    ),
    "the items of a Counter": (
        f"{_PAIR}class C(collections.Counter):\n"
        f"    def items(self): return map(lambda *both: both[0], D(), iter([8, 9]))\n"
        "class D(Source):\n    def __next__(self):\n        self.n += 1\n        if self.n > 1: raise StopIteration\n"
        "        list(c)\n        fill()\n        return 7, 1\nc = C().elements()\nprint(next(c, None))"
    ),
    "batches": (
        f"{_PAIR}class D(Source):\n    def __next__(self):\n        self.n += 1\n"
        f"        if self.n > 1: raise StopIteration\n"
        "        list(c)\n        fill()\n        return 7\n"
        "if hasattr(itertools, 'batched'):\n    c = itertools.batched(map(lambda *both: both, D(), iter([8, 9])), 2)\n"
        "    found = next(c, None)\n    if found and not isinstance(found[0], tuple): print('ESCAPED', found)"
    ),
}
_FACTORY = f"{_PAIR}class D(collections.defaultdict): pass\nd = D()\ndef step(): d.default_factory = None\n"
_MADE = {
    "by adding": f"{_FACTORY}d.default_factory = functools.partial(operator.add, A(), B())\nd[1]",
    "by a function that remembers": (
        f"{_FACTORY}def made():\n    step()\n    fill()\n"
        f"    kept.append([bytes(n) for n in range(90, 260, 8) for _ in range(90)])\n"
        "for n in range(50):\n    d.default_factory = functools.lru_cache(8)(lambda: made())\n    d[n]"
    ),
}
_LOSING = (
    f"{_KEEP}class X:\n    def __repr__(self):\n        lose()\n        fill()\n        return 'x'\n"
    f"    __str__ = __repr__\n"
    "class Y:\n    def __repr__(self): return 'Y'\ndef lose(): several.clear()\n"
)
_TOLD = "told = repr(several)\nif told.count('Y') != times: print('ESCAPED', told)"


def _list_of(made: str, times: int) -> str:
    return f"{_LOSING}import time, sys, collections, datetime\nseveral = [{made}]\ntimes = {times}\n{_TOLD}"


_PARTS = {
    "a slice": _list_of("slice(X(), Y(), Y())", 2),
    "a slice that a method is bound to": _list_of("type(X().__repr__)(print, slice(X(), Y(), Y()))", 2),
    "a type in brackets": _list_of("dict[X(), Y()]", 1),
    "a choice of types": (
        f"{_list_of('int | list[X()] | dict[str, int] | set[str]', 0)}\nif 'set' not in told: print('ESCAPED')"
    ),
    "a time": _list_of("time.struct_time([X()] + [Y() for _ in range(8)])", 8),
    "what is told of numbers": _list_of("type(sys.float_info)([X()] + [Y() for _ in range(10)])", 10),
    "a table with a factory": (
        f"{_list_of('collections.defaultdict(lambda: 5, {1: X()})', 0)}\n"
        f"if 'lambda' not in told: print('ESCAPED', told)"
    ),
    "a slice in a namespace": (
        f"{_LOSING}import types\ndef lose(): n.a = None\nn = types.SimpleNamespace(a=slice(X(), Y(), Y()))\n"
        "if repr(n).count('Y') != 2: print('ESCAPED')"
    ),
    "a slice in an error": (
        f"{_LOSING}class E(KeyError): pass\ndef lose(): e.args = ()\n"
        "for tell in (str, repr):\n    e = E(slice(X(), Y(), Y()))\n    if tell(e).count('Y') != 2: print('ESCAPED')"
    ),
    "a file in an error": (
        f"{_LOSING}class E(OSError): pass\ndef lose(): e.filename = e.filename2 = e.strerror = None\n"
        "e = E(1, 'a')\ne.errno, e.strerror, e.filename, e.filename2 = X(), Y(), Y(), Y()\n"
        "if str(e).count('Y') != 3: print('ESCAPED')"
    ),
}
_JSON = {
    "that its list has dropped": (
        f"{_KEEP}import json\nclass D(dict):\n    def items(self):\n        some.clear()\n"
        f"        fill()\n        return 5\n"
        "for n in range(20):\n    some = [D(a=1)]\n    try: json.dumps(some)\n    except TypeError as e:\n"
        "        if 'items' in str(e) and \"type D\" not in str(e): print('ESCAPED', e)"
    ),
    "of a file, which bytes of one's own hand over": (
        f"{_KEEP}import io, torch\nclass D(dict):\n    def items(self):\n        some.clear()\n        fill()\n"
        "        print('ESCAPED')\n        return 5\nclass B(bytes):\n    def hex(self): return some\n"
        "some = [D(a=1)]\ntorch.save(B(b'x'), io.BytesIO())"
    ),
    "of a file, which a parameter hands over": (
        f"{_KEEP}import io, torch\nclass D(dict):\n    def items(self):\n        some.clear()\n        fill()\n"
        "        print('ESCAPED')\n        return 5\nclass P(torch.nn.Parameter):\n"
        "    @property\n    def requires_grad(self): return some\n"
        "some = [D(a=1)]\ntorch.save(P(torch.ones(1)), io.BytesIO())"
    ),
}
_OWN_NUMBERS = "if found > (1 << 36) + 99_999: print('ESCAPED', found)"
_NONE = {
    "itself": f"found = hash(None)\n{_OWN_NUMBERS}",
    "three dots": f"found = hash(...)\n{_OWN_NUMBERS}",
    "in a tuple": (
        "def f(): return hash((None,))\nif f() != hash((hash(None),)) or hash(None) > 1 << 37: print('ESCAPED', f())"
    ),
}
_MARKS = {
    "by the class of a type in brackets": (
        "import torch\ntype(list[int])(lambda: torch.nn.Linear, int)()\nprint('ESCAPED')"
    ),
}

ITERATORS_AND_ENCODERS: list[Attack] = [
    *listed("Found: a place or a value that empties a bytearray", _PLACES),
    *listed("Found: iterators that step on at work", _STEPPING),
    *listed("Found: factories that are dropped at work", _MADE),
    *listed("Found: parts of a text that are dropped", _PARTS),
    *listed("Found: a table in JSON", _JSON),
    *listed("Found: the address of None", _NONE),
    *listed("Found: marks by the class of types in brackets", _MARKS),
]
