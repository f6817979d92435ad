"""Doors that a ninth attack found: memory that C code reads or writes after a method of an argument has freed it, or
beside what it belongs to; addresses of which Python's own code makes a number; tables that a view lends out. And five
that later attacks found: blocks within each other, more than Python's compiler has room for; an error without the
value that C code takes from it; None, which C code gives up though it was only lent; keys of a dict that C code takes
for texts; places of a dict, gone through backwards, that it no longer has."""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

_EMPTYING = (
    "kept = []\ndef empty(n):\n    b.clear()\n    kept.append([bytes([66]) * (n - 33) for _ in range(400)])\n"
    "class X:\n    def __init__(self, told): self.told = told\n"
    "    def __index__(self):\n        empty(100)\n        return self.told\n"
    "class S(str):\n    def __len__(self):\n        empty(100)\n        return 1\n"
    "b = bytearray(b'A' * 100)\n"
)
_FOUND = "if found != -1: print('ESCAPED', found)"
_EACH = "for i in range(1, 90):\n    b = bytearray(b'A' * 100)\n"

_EMPTIED = {
    "that is searched": f"{_EMPTYING}found = b.find(X(66))\n{_FOUND}",
    "that is searched from the end": f"{_EMPTYING}found = b.rfind(X(66))\n{_FOUND}",
    "that is searched from a place": f"{_EMPTYING}found = b.find(b'B', X(0))\n{_FOUND}",
    "that is asked for a place": f"{_EMPTYING}print('ESCAPED', b.index(X(66)))",
    "that is asked for the last place": f"{_EMPTYING}print('ESCAPED', b.rindex(X(66)))",
    "that is asked for what is in it": f"{_EMPTYING}if X(66) in b: print('ESCAPED')",
    "that is counted": f"{_EMPTYING}if b.count(b'B', 0, X(100)): print('ESCAPED')",
    "that begins": f"{_EMPTYING}{_EACH}    if b.startswith(b'B', X(i)): print('ESCAPED', i)",
    "that ends": f"{_EMPTYING}{_EACH}    if b.endswith(b'B', 0, X(i)): print('ESCAPED', i)",
    "that is written in digits": f"{_EMPTYING}found = b.hex(S(':'))\nif found.strip('41:'): print('ESCAPED', found)",
    "by its class": f"{_EMPTYING}found = bytearray.find(b, X(66))\n{_FOUND}",
    "of one's own class": (
        f"{_EMPTYING}class B(bytearray): pass\nb = B(b)\nfound = b.find(X(66))\n{_FOUND}\n"
        "b = B(b'A' * 100)\nif X(66) in b: print('ESCAPED')"
    ),
    "that is shared, by a wrong length": (
        "class Z:\n    def __len__(self): return 0\n    def __iter__(self): return iter([49, 50])\n"
        "b = bytearray()\nb.extend(Z())\nif b != b'12': print('ESCAPED', b)"
    ),
}
_SHORTENED = (
    "kept = []\nclass V:\n    def __iter__(self):\n        items.clear()\n        items.append(5)\n"
    "        kept.extend([7] * 50 for _ in range(300))\n        return iter([1] * 50)\nitems = [0] * 50\n"
)
_AFTER = "    print('written')\nexcept ValueError: pass\nif any(1 in each for each in kept): print('ESCAPED')"
_LISTS = {
    "by steps": f"{_SHORTENED}try:\n    items[::-1] = V()\n{_AFTER}",
    "by the operator of a module": (
        f"{_SHORTENED}import operator\ntry:\n    operator.setitem(items, slice(None, None, -1), V())\n{_AFTER}"
    ),
    "by a method": f"{_SHORTENED}try:\n    items.__setitem__(slice(None, None, -1), V())\n{_AFTER}",
}
_BYTE = "if 'byte 0x' in text or 'character ' in text: print('ESCAPED', text)"
_BESIDE = {
    "before the bytes of an error": f"text = str(UnicodeDecodeError('u', b'abc', -8, -7, 'r'))\n{_BYTE}",
    "an address, before the bytes of an error": (
        "letters = bytes([65]) * 40\nfound = 0\nfor i in range(8):\n"
        "    text = str(UnicodeDecodeError('u', letters, i - 24, i - 23, 'r'))\n"
        "    found |= int(text.split('byte 0x')[1][:2], 16) << (8 * i)\nif found > 1 << 40: print('ESCAPED', found)"
    ),
    "before the bytes of an error of one's own": (
        "class E(UnicodeDecodeError): pass\ne = E('u', b'abc', 0, 1, 'r')\ne.start, e.end = -24, -23\n"
        f"text = str(e)\n{_BYTE}"
    ),
    "a list as the bytes of an error": (
        f"class E(UnicodeDecodeError): pass\ne = E('u', b'abc', 0, 1, 'r')\ne.object = [1]\ntext = str(e)\n{_BYTE}"
    ),
    "of an error that its reason changes": (
        "class E(UnicodeDecodeError): pass\ne = E('u', b'abc', 0, 1, 'r')\nclass R:\n    def __str__(self):\n"
        f"        e.start, e.end = -24, -23\n        return 'r'\ne.reason = R()\ntext = str(e)\n{_BYTE}"
    ),
    "before the names of the days": (
        "import datetime\nfor day in range(1, 8):\n    text = datetime.date(bytes([0, 0, 1, day])).ctime()\n"
        "    print('ESCAPED' if text[:3] not in 'Mon Tue Wed Thu Fri Sat Sun' else '', text)"
    ),
    "before the names of the days of a time": (
        "import datetime\nfor day in range(1, 8):\n"
        "    text = datetime.datetime(bytes([0, 0, 1, day, 0, 0, 0, 0, 0, 0])).ctime()\n"
        "    print('ESCAPED' if text[:3] not in 'Mon Tue Wed Thu Fri Sat Sun' else '', text)"
    ),
}
_SAME = "if found != random.Random(hash(x)).random(): print('ESCAPED', found)"
_NAN = "import random\nx = float('nan')\n"
_QUIET = "class R(random.Random):\n    def seed(self, *given): pass\n"
_SEEDS = {
    "of a number that is none": f"{_NAN}random.seed(x)\nfound = random.random()\n{_SAME}",
    "of a source for a number that is none": f"{_NAN}found = random.Random(x).random()\n{_SAME}",
    "of a number of NumPy's": (
        f"{_NAN}import numpy as np\nx = np.float64(x)\nfound = random.Random(x).random()\n{_SAME}"
    ),
    "by super": (
        f"{_NAN}class R(random.Random):\n    def go(self): super().seed(x)\n"
        f"r = R()\nr.go()\nfound = r.random()\n{_SAME}"
    ),
    "of a function, by a super with arguments": (
        "import random\nclass R(random.Random): pass\nr = R()\ndef x(): pass\n"
        f"super(random.Random, r).seed(x)\nfound = r.random()\n{_SAME}"
    ),
    "of a function, when a source is made": (f"import random\n{_QUIET}def x(): pass\nfound = R(x).random()\n{_SAME}"),
}
_ID = "found = int(text.split('id=')[1].split('>')[0])\nif found > (1 << 40) + 99_999: print('ESCAPED', found)"
_RINGS = {
    "a list": f"import pprint\nx = []\nx.append(x)\ntext = pprint.pformat(x)\n{_ID}",
    "a table": f"import pprint\nx = {{}}\nx[1] = x\ntext = pprint.pformat(x)\n{_ID}",
}
_SPY = (
    "got = []\nclass Spy:\n    def __eq__(self, other): got.append(other)\n"
    "    def __ror__(self, other):\n        got.append(other)\n        return other\n"
)
_GROUPS = "import re\np = re.compile('(?P<a>x)(y)')\n"
_OTHER = "for each in got: each['a'] = 2\nif p.match('xy')['a'] != 'x': print('ESCAPED')"
_MEMBERS = "import re\nE = type(re.I)\nE"
_MORE = "for each in got: each['mine'] = 1\nif 'mine' in E.__members__: print('ESCAPED')"
_FIELD = "import dataclasses\nlook = lambda: dataclasses.field().metadata\n"
_LEFT = "for each in got: each['left'] = 1\nif look(): print('ESCAPED', look())"
_VIEWS = {
    "of the groups of a pattern, compared": f"{_SPY}{_GROUPS}p.groupindex == Spy()\n{_OTHER}",
    "of the groups of a pattern, joined": f"{_SPY}{_GROUPS}p.groupindex | Spy()\n{_OTHER}",
    "of the members of an Enum, compared": f"{_SPY}{_MEMBERS}.__members__ == Spy()\n{_MORE}",
    "of the members of an Enum, joined": f"{_SPY}{_MEMBERS}.__members__ | Spy()\n{_MORE}",
    "of what is told of a field, compared": f"{_SPY}{_FIELD}look() == Spy()\n{_LEFT}",
    "of what is told of a field, joined": f"{_SPY}{_FIELD}look() | Spy()\n{_LEFT}",
    "of what is told of a field, in the pattern of a class": (
        f"{_SPY}{_FIELD}match dataclasses.field():\n    case object(metadata=found): found == Spy()\n{_LEFT}"
    ),
    "of what is told of a field, in the pattern of a name": (
        f"{_SPY}{_FIELD}field = dataclasses.field()\nclass Asked:\n    def __eq__(self, other): return other == Spy()\n"
        f"match Asked():\n    case field.metadata: pass\n{_LEFT}"
    ),
    "of what is told of a field, by a wrapper's property": (
        f"{_SPY}{_FIELD}import gymnasium\nclass W(gymnasium.Wrapper): told = gymnasium.Wrapper.metadata\n"
        f"W(dataclasses.field()).told == Spy()\n{_LEFT}"
    ),
}

_IN_EACH_OTHER = {
    "comprehensions": "def f(x):\n    y = " + "[" * 60 + "1" + " for x in [1]]" * 60 + "\n    return x\nf(5)",
    "comprehensions of a text that is run": (
        "y = '1'\nfor _ in range(60): y = f'[{y} for x in [1]]'\nexec(f'def f(x): return {y}')\nf(5)"
    ),
    "contexts of a generator": (
        "class C:\n    def __enter__(self): pass\n    def __exit__(self, *error): pass\n"
        f"def f():\n    with {', '.join(['C()'] * 20)}: yield 5\nlist(f())"
    ),
}

_YIELDED = (
    "class I:\n    def __iter__(self): return self\n    def __next__(self): raise T\n"
    "def f(): return (yield from I())\nnext(f(), None)"
)
_TAKEN_AWAY = (
    "class T(StopIteration): v = StopIteration.value\nclass I:\n    def __iter__(self): return self\n"
    "    def __next__(self):\n        e = T(3)\n        %s\n        raise e\n"
    "def f(): return (yield from I())\nnext(f(), None)"
)
_BEGUN_AGAIN = (
    "kept = []\ndef fill():\n    for n in (48, 56, 64, 72, 80, 96, 128): kept.append([bytes([66]) * (n - 33) for _ in "
    "range(300)])\nclass E(%s): pass\nclass I:\n    def __index__(self):\n        %s\n        return 0\n"
    "for n in range(30):\n    e = E(*new(), 0, 1, 'r')\n    mine = new()\n    e.__init__(*mine, I(), 1, 'r')\n"
    "    e.__init__(*new(), 0, 1, 'r')\n    fill()\n    if mine != new(): print('ESCAPED', mine)"
)
_BYTES = "def new(): return 'enc' + str(n) * 20, bytes([65]) * (40 + n)\nn = 0\n"
_LETTERS = "def new(): return 'enc' + str(n) * 20, 'w' * (40 + n)\nn = 0\n"
_ERRORS_BEGUN_AGAIN = {
    "of decoding": _BYTES + _BEGUN_AGAIN % ("UnicodeDecodeError", "e.__init__(*new(), 0, 1, 'r')"),
    "of decoding, by its parts": (
        _BYTES + _BEGUN_AGAIN % ("UnicodeDecodeError", "e.encoding, e.object = 'z', bytes(1)")
    ),
    "of encoding": _LETTERS + _BEGUN_AGAIN % ("UnicodeEncodeError", "e.__init__(*new(), 0, 1, 'r')"),
    "of translating": (
        "def new(): return ('w' * (40 + n),)\nn = 0\n"
        + _BEGUN_AGAIN % ("UnicodeTranslateError", "e.__init__(*new(), 0, 1, 'r')")
    ),
}
_WITHOUT_VALUE = {
    "an __init__ of its own": f"class T(StopIteration):\n    def __init__(self): pass\n{_YIELDED}",
    "the __init__ of another error": f"class T(KeyError, StopIteration): pass\n{_YIELDED}",
    "a member of an Enum": (
        "import enum\nclass E(StopIteration, enum.Enum):\n    def __init__(self, *a): pass\n"
        f"    A = 1\nT = E.A\n{_YIELDED}"
    ),
    "one that is taken away": _TAKEN_AWAY % "del e.value",
    "one that is taken away by its name": _TAKEN_AWAY % "delattr(e, 'value')",
    "one that is taken away by another name": _TAKEN_AWAY % "del e.v",
}
_COPIES_OF_SUPER = {
    "of a number": (
        "import copy\nclass A(int):\n    __slots__ = ()\n    def f(self): return copy.copy(super())\n"
        "class B: p = A(5).f()\nprint('ESCAPED', B.p)\nB().p"
    ),
    "of a tuple, within a list": (
        "import copy\nclass A(tuple):\n    __slots__ = ()\n    def f(self): return copy.deepcopy([super()])\n"
        "class B: p = A((1, 2)).f()[0]\nprint('ESCAPED', B.p)\nB().p"
    ),
}
_LENT = {
    "a getter": "p = property(len)\nfor _ in range(400_000): p.getter(None)",
    "a setter, by its class": "p = property(len)\nfor _ in range(400_000): property.setter(p, None)",
    "a deleter of PyTorch's, by a loop in C": (
        "import itertools, torch\nn = sum(map(bool, map(torch.Tensor.grad.deleter, itertools.repeat(None, 400_000))))"
    ),
}
_READ_AS_TEXT = (  # where a text has the address of its letters, these bytes have another one
    "import collections, sys\nclass D(dict):\n    def fill(self, *more): super().__init__(*more)\n"
    "class E(collections.defaultdict):\n    def fill(self, *more): super().__init__(None, *more)\n"
    "class K(bytes):\n    __hash__ = bytes.__hash__\n    def __eq__(self, other):\n        global d\n"
    "        if d:\n            %s\n        return False\n"
    "at = 40 if sys.version_info < (3, 12) else 24\n"
    "key = b'\\4' + bytes(at - 1) + (0x4141414141).to_bytes(8, 'little') + bytes(56 - at)\n"
    "d = %s\nd[K(key)] = 1\n%s\nfound = key.decode('latin-1') in d"
)
_TAKEN_FOR_TEXTS = {
    "emptied": _READ_AS_TEXT % ("d.clear()", "{}", "d[key] = 2"),
    "emptied, with a default": _READ_AS_TEXT % ("d.clear()", "{}", "d.setdefault(key, 2)"),
    "taken over by update": _READ_AS_TEXT % ("d.popitem(); d.update(dict(a=1))", "{}", "d[key] = 2"),
    "taken over by update, by names": _READ_AS_TEXT % ("d.popitem(); d.update(a=1)", "{}", "d[key] = 2"),
    "taken over by |=": _READ_AS_TEXT % ("d.popitem(); d |= dict(a=1)", "{}", "d[key] = 2"),
    "filled again": _READ_AS_TEXT % ("d.popitem(); d.fill(dict(a=1))", "D()", "d[key] = 2"),
    "filled again, with defaults": _READ_AS_TEXT % ("d.popitem(); d.fill(dict(a=1))", "E()", "d[key] = 2"),
}
_SHRUNK = (
    "d = %s\nfor i in range(200_000): d[i] = i\nfor i in range(199_995): del d[i]\n"
    "found = reversed(%s)\nd.clear()\nfor i in range(5): d[i] = i\n"
    "for each in found: type(each) in (int, tuple) or print('ESCAPED', type(each))"
)
_BACKWARDS = {
    "keys": _SHRUNK % ("{}", "d"),
    "a view of keys": _SHRUNK % ("{}", "d.keys()"),
    "values": _SHRUNK % ("{}", "d.values()"),
    "pairs": _SHRUNK % ("{}", "d.items()"),
    "keys of a class of dicts": "import collections\n" + _SHRUNK % ("collections.Counter()", "d"),
}

FREED_MEMORY: list[Attack] = [
    *listed("Found: memory of a bytearray that an argument empties", _EMPTIED),
    *listed("Found: memory of a list that its values shorten", _LISTS),
    *listed("Found: memory beside", _BESIDE),
    *listed("Found: addresses in seeds", _SEEDS),
    *listed("Found: addresses of what holds itself", _RINGS),
    *listed("Found: tables behind a view", _VIEWS),
    *listed("Found: blocks for which the compiler has no room", _IN_EACH_OTHER),
    *listed("Found: ends of an iterator without a value", _WITHOUT_VALUE),
    *listed("Found: copies of super() that know no class", _COPIES_OF_SUPER),
    *listed("Found: errors of codecs that are begun again", _ERRORS_BEGUN_AGAIN),
    *listed("Found: None that is lent to a property and given up", _LENT),
    *listed("Found: keys of a dict that are taken for texts", _TAKEN_FOR_TEXTS),
    *listed("Found: a dict that shrinks while it is gone through backwards", _BACKWARDS),
]
