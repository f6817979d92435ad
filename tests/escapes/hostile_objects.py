"""Doors that a twelfth attack found, by calling what a snippet may use with hostile objects, method by method; and a
thirteenth, by what runs when objects die and by the `__eq__` of classes that the snippet has not made."""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

_KEEP = (
    "kept = []\ndef fill():\n    for n in (33, 48, 56, 64, 72, 80, 96, 128):\n"
    "        kept.append([bytes([66]) * (n - 33) for _ in range(300)])\n"
)
_KEYS = (
    f"{_KEEP}import collections, torch\nclass H:\n    def __hash__(self): return 1\n    def __eq__(self, other):\n"
    "        if going: lose()\n        return same\n"
    "def lose():\n    d.clear()\n    fill()\ndef grow():\n    for n in range(300): d[n] = n\n    fill()\n"
    "def grow_as_a_plain_one():\n    for n in range(300): dict.__setitem__(d, n, n)\n    fill()\n"
    "def lose_as_a_plain_one():\n    dict.clear(d)\n    fill()\n"
    "ways = (lose, grow, grow_as_a_plain_one, lose_as_a_plain_one)\n"
    "for n in range(80):\n    going, same, lose = False, not n %% 3, ways[n %% 4]\n"
    "    d = made((H(), i) for i in range(5))\n    first, last = next(iter(d)), next(reversed(d))\n    going = True\n"
    "    try: %s\n    except (KeyError, RuntimeError): pass\n"
)
_ACTS = {
    "set": "d[H()] = 5",
    "deleted": "del d[last]",
    "taken out": "d.pop(last)",
    "the first": "d.popitem(last=False)",
    "the last": "d.popitem()",
    "moved to the end": "d.move_to_end(last)",
    "moved to the front": "d.move_to_end(last, last=False)",
    "set where there is none": "d.setdefault(H(), 1)",
    "updated": "d.update([(H(), 1)] * 20)",
    "joined": "d |= {H(): 1, 5: H()}",
    "compared": "d == made((H(), i) for i in range(5))",
    "gone through": "[(d.get(key), d.pop(key, None)) for key in d]",
    "the pairs": "[d.move_to_end(key) for key, value in d.items()]",
}
_STATE = "made = lambda pairs: type(torch.nn.Linear(1, 1).state_dict())(pairs)\n"

_TABLES = {
    **{f"{name}": f"import collections\nmade = collections.OrderedDict\n{_KEYS % act}" for name, act in _ACTS.items()},
    **{f"{name}, of weights": f"import torch\n{_STATE}{_KEYS % act}" for name, act in list(_ACTS.items())[:6]},
    "of a type in brackets": f"import typing\nmade = typing.OrderedDict[int, int]\n{_KEYS % _ACTS['set']}",
}
_ITEMS = (
    "kept, count = [], []\ndef fill():\n    kept.append([(n, n) for n in range(1000)])\n"
    "    for n in range(15, 120, 8): kept.append([bytes([66]) * n for _ in range(1000)])\n"
    "class H:\n    def __eq__(self, other):\n        count.append(1)\n        if len(count) == 2: lose()\n"
    "        return False\n    def __lt__(self, other):\n        lose()\n        return NotImplemented\n"
    "    def __gt__(self, other):\n        fill()\n        if type(other) is not H: print('ESCAPED', other)\n"
    "        return True\n    __ge__, __le__ = __gt__, __lt__\n"
    "def lose():\n    v.clear()\n    w.clear()\n    fill()\n"
    "for item in (H, lambda: (H(), H()), lambda: (H(), 1), lambda: (H(), 1, 2)):\n"
    "    for n in range(5):\n        count.clear()\n        v, w = [item()], [item()]\n        %s\n"
)
_ORDERS = {
    "less": _ITEMS % "v < w",
    "not greater": _ITEMS % "v <= w",
    "greater": _ITEMS % "v > w",
    "not less": _ITEMS % "v >= w",
    "sorted": _ITEMS % "sorted([v, w])",
    "the greatest": _ITEMS % "max(v, w)",
    "of a class of one's own": "class L(list): pass\n" + _ITEMS % "v, w = L(v), L(w)\n        v < w",
    "in a heap": f"import heapq\n{_ITEMS % 'heapq.heapify([v, w, v])'}",
}
_BRACKETS = (
    f"{_KEEP}class H:\n    def __repr__(self):\n        some.clear()\n        fill()\n        return 'H'\n"
    "for n in range(20):\n    some = [H(), H(), H(), H()]\n    told = repr(%s)\n"
    "    if 'H' not in told or 'list[' not in told: print('ESCAPED', told)"
)
_TEXTS = {
    "in brackets": _BRACKETS % "list[some]",
    "in brackets with others": _BRACKETS % "list[int, some, some]",
    "in brackets that are unpacked": _BRACKETS % "[*list[some]]",
    "in brackets of a choice": _BRACKETS % "list[some] | int",
}

# A table of 128 places gives its memory back, and one of 64 gets it, while the key at place 60 is compared.
_AT_WORK = "    def __%s__(self%s):\n        if on:\n            on.clear()\n            change()\n        return %s\n"
_IN_A_SET = (
    "on, kept = [], []\nclass K:\n    def __hash__(self): return 60\n%s"
    "def change():\n    s.clear()\n    s.update(twenty)\n"
    "def run(n):\n    global s, twenty\n    a = K()\n    twenty = {a, 61, 62, 63, *range(16)}\n"
    "    pad = bytearray(n * 8)\n    s = set(range(61, 70)) | set(range(200, 220)) | {a}\n"
    "    for i in range(300, 312): s.add(i)\n    for i in range(300, 312): s.discard(i)\n"
    "    filler = [set(twenty) for _ in range(300)]\n    b = K()\n    on.append(1)\n    %s\n    on.clear()\n"
    "for n in range(200):\n    run(n)\n    kept.append(s)\n"
    "kept.clear()\nkept = [set(range(n)) for n in range(1000)]\n"
)
# The same with a dict of 4,096 places and one of 2,048, in the search for a key whose second place is behind them.
_IN_A_DICT = (
    "H = next(h for h in range(60, 10000) if (h * 5 + (h >> 5) + 1) %% 4096 in range(2200, 4096, 4) and h < 4096)\n"
    "class K:\n    def __hash__(self): return H\n%s"
    "def change():\n    d.clear()\n    d.update(few)\n"
    "a, b, on = K(), K(), []\nfew = {str(i): a for i in range(1300)}\nmany = {i + 1000000: i for i in range(2600)}\n"
    "many[a] = 1\nfor _ in range(40):\n    on.clear()\n    hole = [bytes(n * 16) for n in range(2000)]\n"
    "    more = [many.copy() for _ in range(20)]\n    d = many.copy()\n"
    "    after = [H.to_bytes(8, 'little') * 10000 for _ in range(20)]\n    on.append(1)\n    %s\n"
)
_EQUAL = _AT_WORK % ("eq", ", other", "False")
_ANSWERS = f"    def __eq__(self, other): return Answer()\nclass Answer:\n{_AT_WORK}"
_BY_A_CALL = (
    "    __eq__ = functools.partial(lambda other: equal(None, other))\ndef equal(self, other):\n"
    "    if on:\n        on.clear()\n        change()\n    return False\n"
)
_LYING = {
    "put into a set": _IN_A_SET % (_EQUAL, "s.add(b)"),
    "joined to a set": _IN_A_SET % (_EQUAL, "s |= {b}"),
    "a set of a class of one's own": "class S(set):\n    def __or__(self, o): return S(super().__or__(o))\n"
    + _IN_A_SET.replace("s = set(range(61, 70))", "s = S(range(61, 70))") % (_EQUAL, "s.update([b])"),
    "an answer that is asked whether it is true": _IN_A_SET % (_ANSWERS % ("bool", "", "False"), "s.add(b)"),
    "an answer that is asked for its length": _IN_A_SET % (_ANSWERS % ("len", "", "0"), "s.add(b)"),
    "a comparison that is no function": "import functools\n" + _IN_A_SET % (_BY_A_CALL, "s.add(b)"),
    "asked of a dict": _IN_A_DICT % (_EQUAL, "d.get(b)"),
    "looked for in a dict": _IN_A_DICT % (_EQUAL, "b in d"),
    "put into a dict": _IN_A_DICT % (_EQUAL, "d[b] = 1"),
    "taken out of a dict": _IN_A_DICT % (_EQUAL, "d.pop(b, 0)"),
}

# As in the set above; what runs in the search belongs to no class of the snippet that has an `__eq__` of its own, or
# runs when what its `__eq__` has answered dies or is asked whether it is true.
SEARCHED = (
    "import collections, contextlib, dataclasses, functools, io, re, torch, tqdm\nimport numpy as np\n"
    "on, kept = [], []\n"
    "class Keyed:\n    def __hash__(self): return 60\n"
    "class K(Keyed):\n    __hash__ = Keyed.__hash__\n    def __eq__(self, other): return Answer() if on else False\n"
    "class R:\n    def __init__(self, x): self.x = x\n    def __len__(self): return 0\n"
    "def hit():\n    if on:\n        on.clear()\n        s.clear()\n        s.update(twenty)\n%s\n"
    "def run(n):\n    global s, twenty\n    a, b = %s\n    twenty = {a, 61, 62, 63, *range(16)}\n"
    "    pad = bytearray(n * 8)\n    s = set(range(61, 70)) | set(range(200, 220)) | {a}\n"
    "    for i in range(300, 312): s.add(i)\n    for i in range(300, 312): s.discard(i)\n"
    "    filler = [set(twenty) for _ in range(300)]\n    on.append(1)\n    try: s.add(b)\n    except TypeError: pass\n"
    "    on.clear()\nfor n in range(200):\n    run(n)\n    kept.append(s)\n"
    "kept.clear()\nkept = [set(range(n)) for n in range(1000)]\n"
)
_STARTED = "def Answer():\n    g = gen()\n    next(g)\n    return R(g)\n"
_LONG = "class L(list):\n    def __len__(self):\n        hit()\n        return 0\n"
_DIES = {
    "with a generator": "def gen():\n    try: yield 1\n    finally: hit()\n" + _STARTED,
    "with a generator that another one goes through": (
        "class I:\n    def __iter__(self): return self\n    def __next__(self): return 1\n"
        "    def close(self): hit()\ndef gen(): yield from I()\n" + _STARTED
    ),
    "with a generator within a generator": (
        "def inner(): yield 1\ndef gen():\n    try: yield from inner()\n    finally: hit()\n" + _STARTED
    ),
    "with a generator in a with": (
        "class W:\n    def __enter__(self): pass\n    def __exit__(self, *e): hit()\n"
        "def gen():\n    with W(): yield 1\n" + _STARTED
    ),
    "with a generator that asks what it catches": (
        "def kind():\n    hit()\n    return KeyError\ndef gen():\n    try: yield 1\n    except kind(): pass\n"
        + _STARTED
    ),
    "as a stream": ("class S(io.StringIO):\n    def close(self): hit()\ndef Answer(): return R(S())\n"),
    "as a stream that is asked whether it is closed": (
        "class S(io.StringIO):\n    @property\n    def closed(self):\n        hit()\n        return True\n"
        "def Answer(): return R(S())\n"
    ),
}
_ASKED = {
    "tables": "class M(dict):\n    def __bool__(self):\n        hit()\n        return False\n"
    "def Answer(): return collections.ChainMap(M())\n",
    "a table that is only looked at": _LONG.replace("list", "dict").replace("return 0", "return 0\n")
    + "P = type(re.compile('(?P<a>x)').groupindex)\ndef Answer(): return P(L())\n",
    "a loader": "class D(torch.utils.data.Dataset):\n    def __len__(self):\n        hit()\n        return 0\n"
    "d = torch.utils.data.DataLoader(D())\ndef Answer(): return d\n",
    "a part of a dataset": f"{_LONG}d = torch.utils.data.Subset([1], L())\ndef Answer(): return d\n",
    "a bar": f"{_LONG}d = tqdm.tqdm(L())\ndef Answer(): return d\n",
    "what derives from a bar's loader": "class D(torch.utils.data.Dataset):\n    def __len__(self):\n        hit()\n"
    "        return 0\nclass Q(torch.utils.data.DataLoader): pass\nd = Q(D())\ndef Answer(): return d\n",
    "a method with a hash": (
        "class C:\n    def __hash__(self):\n        hit()\n        return 1\n    def __call__(self): return False\n"
        "def Answer():\n    class A: __bool__ = C()\n    return A()\n"
    ),
}
_OF_OTHERS = {
    "a dataclass": (
        "@dataclasses.dataclass(frozen=True)\nclass D:\n    x: int\nclass A(D):\n    def __init__(self): pass\n"
        "    __hash__ = Keyed.__hash__\n    @property\n    def x(self):\n        hit()\n        return id(self)\n",
        "A(), A()",
    ),
    "a Counter": (
        "class A(collections.Counter):\n    __hash__ = Keyed.__hash__\n    def __getitem__(self, key):\n        hit()\n"
        "        return id(self)\n",
        "A(x=1), A(x=1)",
    ),
    "a deque": (
        "class A(collections.deque):\n    __hash__ = Keyed.__hash__\n    def __iter__(self):\n        hit()\n"
        "        return iter([id(self)])\n",
        "A([1]), A([1])",
    ),
    "a generator that was ended before": (
        "def g():\n    try: yield 1\n    except GeneratorExit: pass\n    yield 2\n"
        "def prepared():\n    global w\n    w = g()\n    next(w)\n    w.throw(GeneratorExit)\n    return K()\n"
        "def Answer():\n    next(w, 0)\n    hit()\n    return R(1)\n",
        "prepared(), K()",
    ),
    "a number of NumPy's": (
        "class B(list): __hash__ = Keyed.__hash__\ndef f(x):\n    hit()\n    return x\n",
        "np.float64(60), B([map(f, [1])])",
    ),
}

HOSTILE_OBJECTS: list[Attack] = [
    *listed("Found: keys that empty their OrderedDict", _TABLES),
    *listed("Found: items that are ordered and dropped", _ORDERS),
    *listed("Found: lists in types in brackets", _TEXTS),
    *listed("Found: tables that come to lie where others lay", _LYING),
    *listed(
        "Found: answers that die in a search", {name: SEARCHED % (made, "K(), K()") for name, made in _DIES.items()}
    ),
    *listed(
        "Found: answers that ask others whether they are true",
        {name: SEARCHED % (made, "K(), K()") for name, made in _ASKED.items()},
    ),
    *listed("Found: comparisons of others in a search", {name: SEARCHED % made for name, made in _OF_OTHERS.items()}),
]
