"""Doors that a thirteenth attack found: what else of a snippet runs in the middle of a search than the methods of its
keys. A list can be a key where its class says so, and then all that it holds is compared; a type in brackets asks for
hashes; what PyTorch's and Python's own generators do at their end may be the snippet's. Two pieces of C code that are
entered again while they are at work. Long chains of objects, whose end C code goes down level by level. And what is
asked of an error when the run is over: its code, and whether it is true."""

from __future__ import annotations

from tests.escapes.attack import Attack, listed
from tests.escapes.hostile_objects import SEARCHED

_TUPLE = "class B(%s): __hash__ = Keyed.__hash__\n"
_ORDER = "def order(x, y):\n    hit()\n    return 1\nV = functools.cmp_to_key(order)\n"
_HASHED = "class X:\n    def __hash__(self):\n        hit()\n        return 7\n"
_KEYS = {
    "a tuple of what a function puts in order": (_TUPLE % "tuple" + _ORDER, "B((V(1),)), B((V(2),))"),
    "a list of what a function puts in order": (_TUPLE % "list" + _ORDER, "B((V(1),)), B((V(2),))"),
    "a NamedTuple of what a function puts in order": (
        f"import typing\n{_ORDER}class N(typing.NamedTuple):\n    x: int\n    __hash__ = Keyed.__hash__\n",
        "N(V(1)), N(V(2))",
    ),
    "the keys of tables": (_TUPLE % "tuple" + _HASHED, "B(({X(): 1}.keys(),)), B(({X(): 1}.keys(),))"),
    "the pairs of tables": (_TUPLE % "tuple" + _HASHED, "B(({X(): 1}.items(),)), B(({X(): 1}.items(),))"),
    "Counters": (
        _TUPLE % "tuple" + _HASHED,
        "B((collections.Counter([X()]),)), B((collections.Counter([X()]),))",
    ),
    "a set and the keys of a table": (
        _TUPLE % "tuple" + "class S(set):\n    def __len__(self):\n        hit()\n        return 1\n",
        "B((S([1]),)), B(({2: 1}.keys(),))",
    ),
}

# The second hash of the key is asked for in the search; at one of these hashes it comes to lie at place 60.
_IN_BRACKETS = (
    "import typing\non, kept, calls = [], [], []\nclass X:\n    def __hash__(self):\n        calls.append(1)\n"
    "        if on and len(calls) == nth: hit()\n        return value\n"
    "    def __eq__(self, other): return self is other\n"
    "def hit():\n    on.clear()\n    s.clear()\n    s.update(twenty)\n"
    "def run(n):\n    global s, twenty\n    a, b = %s, %s\n    twenty = {a, 61, 62, 63, *range(16)}\n"
    "    pad = bytearray(n * 8)\n    s = set(range(61, 70)) | set(range(200, 220)) | {a}\n"
    "    for i in range(300, 312): s.add(i)\n    for i in range(300, 312): s.discard(i)\n"
    "    filler = [set(twenty) for _ in range(300)]\n    calls.clear()\n    on.append(1)\n    s.add(b)\n"
    "    on.clear()\nfor nth in (2, 3, 4):\n    for value in range(1, 300):\n        run(value %% 7)\n"
    "        kept.append(s)\nkept.clear()\nkept = [set(range(n)) for n in range(1000)]\n"
)
_TYPES = {"Literal": "typing.Literal[X()]", "a choice": "list[X()] | int", "Union": "typing.Union[list[int], X()]"}

_STARTED = "def Answer():\n    g = made()\n    next(g)\n    next(g)\n    return R(g)\n"
_CLOSED = (
    "class I:\n    def __iter__(self): return self\n    def __next__(self): return 1\n    def close(self): hit()\n"
)
_MODE = (
    "ready, armed = [], []\nclass M(torch.no_grad):\n%s"
    "def gen(): yield 1\nmade = M()(gen)\ndef start():\n    armed.clear()\n    g = made()\n    next(g)\n"
    "    ready.append(g)\n    armed.append(1)\n    return K()\ndef Answer(): return R(ready.pop())\n"
)
_ENDS = {
    "iterators that are merged": (
        f"import heapq\n{_CLOSED}def made(): return heapq.merge(I())\n{_STARTED}",
        "K(), K()",
    ),
    "keys of what is no table": (
        f"{_CLOSED}class T:\n    def __iter__(self): return I()\nV = type(collections.ChainMap().keys())\n"
        f"def made(): return iter(V(T()))\n{_STARTED}",
        "K(), K()",
    ),
    "a mode that begins": (
        _MODE % "    def __enter__(self):\n        if armed: hit()\n        return super().__enter__()\n",
        "start(), K()",
    ),
    "a mode that ends": (
        _MODE % "    def __exit__(self, *e):\n        if armed: hit()\n        return super().__exit__(*e)\n",
        "start(), K()",
    ),
    "a mode that is made": (
        _MODE % "    def __init__(self):\n        super().__init__()\n        if armed: hit()\n",
        "start(), K()",
    ),
}

_P = "class P(torch.nn.Parameter): __hash__ = Keyed.__hash__\n"
_M = (
    "class M(torch.overrides.TorchFunctionMode):\n    def __torch_function__(self, f, types, args=(), kwargs=None):\n"
    "        if f.__name__ == '__bool__': hit()\n        return f(*args, **(kwargs or {}))\nM().__enter__()\n"
)
_ABOUT_FUNCTIONS = {
    "a mode, whether a tensor is true": (
        _M + "def Answer(): return torch.zeros(())\n",
        "K(), K()",
    ),
    "a class, which answers with what says itself whether it is true": (
        _P + "class O(Keyed):\n    def __torch_function__(self, *given): return T()\n"
        "class T:\n    def __bool__(self):\n        hit()\n        return False\n",
        "P(torch.ones(1)), O()",
    ),
    "a class, whether a parameter is equal to its object": (
        _P + "class O(Keyed):\n    def __torch_function__(self, *given):\n        hit()\n        return False\n",
        "P(torch.ones(1)), O()",
    ),
}

# The oldest entry goes; in the search for its key that key is asked for once more.
_CACHE = (
    "import functools\nclass K:\n    def __init__(self, n): self.n = n\n    def __hash__(self): return 1\n"
    "    def __eq__(self, other):\n        if on and {self.n, other.n} == {0, 1}:\n            on.pop()\n"
    "            act()\n        return self is other\non = []\nresult = [1, 2, 3]\n"
    "@functools.lru_cache(maxsize=2)\ndef f(k): return result\ndef act():\n    f(one)\n    f(K(7)), f(K(8))\n"
    "for n in range(3000):\n    f.cache_clear()\n    zero, one = K(0), K(1)\n    f(zero), f(one), f(zero)\n"
    "    on.append(1)\n    f(K(3))\n    on.clear()\n"
    "others = [[5, 5, 5] for n in range(1000)]\nif result != [1, 2, 3]: print('ESCAPED', result)\n"
)

_STEPS = (
    "for n in range(20):\n    class S:\n        depth = 0\n        def __getitem__(self, i):\n"
    "            if self.depth < 30:\n                self.depth += 1\n                %s\n"
    "            raise IndexError\n    s = S()\n    it = iter(s)\n    list(it)\n"
    "    other = [[1] * 10 for _ in range(100)]\n    s.depth\n"
)

_CHAIN = "import collections, functools, itertools, operator\n%s\nfor _ in range(%d): x = %s\ndel x\n"
_NUMBERS = "x = iter([1])"
_LEVELS = {
    "deque": ("x = None", 150_000, "collections.deque([x])"),
    "defaultdict": ("x = None", 150_000, "collections.defaultdict(None, {1: x})"),
    "enumerate": (_NUMBERS, 1_200_000, "enumerate(x)"),
    "takewhile": (_NUMBERS, 1_200_000, "itertools.takewhile(abs, x)"),
    "dropwhile": (_NUMBERS, 1_200_000, "itertools.dropwhile(abs, x)"),
    "repeat": ("x = None", 1_200_000, "itertools.repeat(x)"),
    "islice": (_NUMBERS, 200_000, "itertools.islice(x, 1)"),
    "starmap": (_NUMBERS, 1_200_000, "itertools.starmap(abs, x)"),
    "accumulate": (_NUMBERS, 200_000, "itertools.accumulate(x)"),
    "pairwise": (_NUMBERS, 200_000, "itertools.pairwise(x)"),
    "compress": (_NUMBERS, 1_200_000, "itertools.compress(x, [1])"),
    "slice": ("x = None", 400_000, "slice(x)"),
    "property": ("x = None", 1_200_000, "property(x)"),
    "cmp_to_key": ("x, key = None, functools.cmp_to_key(lambda a, b: 0)", 400_000, "key(x)"),
    "itemgetter": ("x = None", 400_000, "operator.itemgetter(x)"),
    "generator": ("x = None\ndef g(x): yield x", 200_000, "g(x)"),
    "generator expression": ("x = []", 200_000, "(y for y in x)"),
}

# A class that the snippet gets hold of before all is done to it: by a member's `__init__`, by what is read of a class.
_FIRST, _, _LATER = SEARCHED.partition("for n in range(200):\n")
_GO = (
    "def go(*given):\n    C[:] = given\n    for n in range(200):\n        run(n)\n        kept.append(s)\n"
    "    kept.clear()\n"
)
_ACT = "C = []\nclass Act:\n    def __call__(self, other):\n        hit()\n        return False\n"
_READ = "C = []\ndef read(self):\n    hit()\n    return object()\nput = lambda self, value: None\n"
_ABSTRACT = "import abc\nclass P(abc.ABC):\n    @abc.abstractmethod\n    def m(self): pass\n%s"
_SEEN = {
    "by a member of an Enum": (
        f"import enum\n{_ACT}",
        "C",
        "try:\n    class E(enum.Enum):\n        A, B = 1, 2\n        __eq__, __hash__ = Act(), Keyed.__hash__\n"
        "        def __init__(self, value):\n            C.append(self)\n            1 / (value - 2)\n"
        "except ZeroDivisionError: go(*C)\n",
    ),
    "by what it has in place of an abstract method": (
        _ABSTRACT % _ACT,
        "C[0](), C[0]()",
        "class A(P):\n    __eq__, __hash__ = Act(), Keyed.__hash__\n    m = classmethod(property(go))\n",
    ),
    "by its hash": (
        f"{_ACT}def look(cls):\n    if not C: go(cls)\n    return lambda *a: 60\n",
        "C[0](), C[0]()",
        "class A:\n    __eq__, __hash__ = Act(), classmethod(property(look))\n",
    ),
    "whose copy with slots is used": (
        _READ,
        "A(1), A(2)",
        "class A(Keyed):\n    x: object\n    __hash__ = Keyed.__hash__\ndataclasses.dataclass(slots=True)(A)\n"
        "A.x = property(read, put)\ngo()\n",
    ),
    "of parameters": (
        _READ,
        "B(torch.ones(1)), B(torch.ones(1))",
        "class A(torch.nn.Parameter):\n    x: object = None\n    __hash__ = Keyed.__hash__\ndataclasses.dataclass(A)\n"
        "class B(A):\n    x = property(read, put)\n    __hash__ = Keyed.__hash__\ngo()\n",
    ),
    "of parameters that an object compares": (
        _ACT,
        "B(torch.ones(1)), B(torch.ones(1))",
        "class B(torch.nn.Parameter): __eq__, __hash__ = Act(), Keyed.__hash__\ngo()\n",
    ),
    "that @dataclass leaves with an error": (
        _READ,
        "A(1), A(2)",
        "class A(Keyed):\n    x: object\n    __hash__ = Keyed.__hash__\n    def __lt__(self, other): pass\n"
        "try: dataclasses.dataclass(order=True)(A)\nexcept TypeError: pass\nA.x = property(read, put)\ngo()\n",
    ),
    "of which @dataclass reads abstract methods": (
        _ABSTRACT % f"    @abc.abstractmethod\n    def n(self): pass\n{_READ}",
        "B(1), B(2)",
        "ready = []\nclass A(P):\n    x: object = None\n    __hash__ = Keyed.__hash__\n"
        "    m = classmethod(property(lambda cls: ready and go()))\n"
        "class B(A):\n    def m(self): pass\n    n, x, __hash__ = m, property(read, put), Keyed.__hash__\n"
        "ready.append(1)\ndataclasses.dataclass(A)\n",
    ),
    "of which @dataclass asks whether it has a docstring": (
        f"{_READ}class T:\n    def __bool__(self):\n        go()\n        return True\ntold = ['told', 'told', T()]\n",
        "B(1), B(2)",
        "class A(Keyed):\n    __doc__ = classmethod(property(lambda cls: told.pop(0)))\n    x: object = None\n"
        "    __hash__ = Keyed.__hash__\nclass B(A):\n    x = property(read, put)\n    __hash__ = Keyed.__hash__\n"
        "dataclasses.dataclass(A)\n",
    ),
    "of whose fields @dataclass asks what is compared": (
        f"{_READ}class T:\n    def __bool__(self):\n        if ready: go()\n        return True\nready = []\n"
        "def late(cls):\n    cls.y = dataclasses.field(default=2, compare=T())\n    ready.append(1)\n    return 3\n",
        "B(1), B(2)",
        "class A(Keyed):\n    x: object = classmethod(property(late))\n    y: int = 3\n    __hash__ = Keyed.__hash__\n"
        "class B(A):\n    x = property(read, put)\n    __hash__ = Keyed.__hash__\n"
        "dataclasses.dataclass(order=True)(A)\n",
    ),
}
_UNFINISHED = {
    name: _FIRST % (made + _GO, keys) + then + _LATER.partition("kept.clear()\n")[2]
    for name, (made, keys, then) in _SEEN.items()
}
_UNFINISHED["an optimizer by what it does when it is loaded"] = (
    "import functools, torch\ngot = []\ntry:\n    class A(torch.optim.SGD):\n"
    "        _update = functools.partial(min, key=got.append)\n        @classmethod\n        @property\n"
    "        def __setstate__(cls):\n            x = torch.ones(2, requires_grad=True)\n"
    "            o = cls([x], lr=0.1)\n            x.sum().backward()\n            try: o.step()\n"
    "            except TypeError: pass\nexcept TypeError: pass\nfor each in got: print(each)"
)

_EXIT = "class S(SystemExit):\n    @property\n    def code(self): %s\nraise S\n"
_CODES = {
    "another exit": _EXIT % "raise S(1)",
    "an error": _EXIT % "raise ValueError",
    "what is no Exception": _EXIT % "raise GeneratorExit",
    "no end of calls": _EXIT % "return self.code",
}
_FALSE = "class E(Exception):\n    def %s(self): raise SystemExit\ntry: raise E\nexcept E as e: raise ValueError from e"
_CAUSES = {"a truth": _FALSE % "__bool__", "a length": _FALSE % "__len__"}

INSIDE_SEARCHES: list[Attack] = [
    *listed("Found: keys that hold what can be none", {name: SEARCHED % made for name, made in _KEYS.items()}),
    *listed("Found: types in brackets as keys", {name: _IN_BRACKETS % (made, made) for name, made in _TYPES.items()}),
    *listed("Found: ends of others' generators in a search", {name: SEARCHED % made for name, made in _ENDS.items()}),
    *listed(
        "Found: what is asked about functions in a search",
        {name: SEARCHED % made for name, made in _ABOUT_FUNCTIONS.items()},
    ),
    *listed("Found: classes that are seen before they are finished", _UNFINISHED),
    *listed("Found: a cache within its own search", {"that is filled": _CACHE}),
    *listed(
        "Found: iterators over brackets that step on at work",
        {"in a loop": _STEPS % "for _ in it: pass", "by next": _STEPS % "next(it, 0)"},
    ),
    *listed("Found: ends of long chains", {name: _CHAIN % made for name, made in _LEVELS.items()}),
    *listed("Found: codes of an exit that raise", _CODES),
    *listed("Found: causes whose truth raises", _CAUSES),
]
