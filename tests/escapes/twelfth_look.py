"""Doors that a twelfth attack found, by calling what a snippet may use with hostile objects, method by method."""

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
    "updated": "d.update({H(): 1, H(): 2})",
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

TWELFTH: list[Attack] = [
    *listed("Found: keys that empty their OrderedDict", _TABLES),
    *listed("Found: items that are ordered and dropped", _ORDERS),
    *listed("Found: lists in types in brackets", _TEXTS),
]
