"""Doors that an eighth attack found: addresses in the texts that C code makes, wherever a snippet gets them, and in the
hashes of what holds functions; a text that says whether an address has been guessed."""

from __future__ import annotations

from tests.escapes.addresses_in_methods import TELL
from tests.escapes.attack import Attack, listed

_CAUGHT = f"{TELL}def caught(act, *given):\n    try: act(*given)\n    except Exception as e: tell(e.args[0])\n"
_OUT = "if abs(found) > (1 << 40): print('ESCAPED', found)"
_MADE_OF = "if found != hash((hash(f),)): print('ESCAPED', found)"
_F = "def f(): pass\n"

_TEXTS = {
    "by map": f"{TELL}tell(list(map(str, [f]))[0])",
    "by a name for str": f"{TELL}s = str\ntell(s(f))",
    "by a class of texts": f"{TELL}class S(str): pass\ntell(S(f))",
    "by a format in a variable": f"{TELL}form = '%s'\ntell(form % f)",
    "by a format that is changed in place": f"{TELL}form = '%s'\nform %= f\ntell(form)",
    "by the operator of a module": f"{TELL}import operator\ntell(operator.mod('%r', f))",
    "by the method of an operator": f"{TELL}tell('%s'.__mod__(f))",
    "by a format of bytes": f"{TELL}tell((b'%a' % f).decode())",
    "by a format of an array of bytes": f"{TELL}tell((bytearray(b'%r') % [f]).decode())",
    "by a partial function": f"{TELL}import functools\ntell(functools.partial(str, f)())",
    "by the text of a partial function": f"{TELL}import functools\ntell(next(map(str, [functools.partial(f)])))",
    "by json": f"{TELL}import json\ntell(json.dumps(f, default=str))",
    "by a chain of functions": f"{TELL}import itertools\ntell(next(itertools.starmap(str, [(f,)])))",
    "of a generator": f"{TELL}tell(next(map(str, [(x for x in [])])))",
    "of a method of a list": f"{TELL}tell(next(map(str, [[].append])))",
    "of a method of Python's": f"{TELL}tell(next(map(str, [[].__len__])))",
    "of an iterator": f"{TELL}tell(next(map(str, [iter([])])))",
    "of an object": f"{TELL}tell(next(map(str, [object()])))",
    "of a random source": f"{TELL}import random\ntell(next(map(str, [random.Random()])))",
    "of a node": f"{TELL}import torch\ntell(next(map(str, [(torch.ones(1, requires_grad=True) * 2).grad_fn])))",
    "of a context": (
        f"{TELL}import torch\nclass F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        tell(next(map(str, [ctx])))\n        return x * 1\nF.apply(torch.ones(1, requires_grad=True))"
    ),
    "of an error in a list": f"{TELL}tell(next(map(str, [KeyError(f)])))",
    "of a type in brackets": f"{TELL}tell(next(map(str, [list[f()]])) + next(map(str, [dict[iter([]), 1]])))",
    "in the order of texts": (
        "class T:\n    def __str__(self): return '<function f at 0x2'\ndef f(): pass\n"
        "if sorted([f, T()], key=str)[0] is not f: print('ESCAPED')"
    ),
}
_ERRORS = {
    "of a list": f"{_CAUGHT}caught([f].index, lambda: 1)",
    "of a class's list": f"{_CAUGHT}import collections\ncaught(collections.deque().index, f)",
    "by a context": (
        f"{TELL}class C:\n    def __enter__(self): pass\n    def __exit__(self, kind, e, trace):\n"
        "        tell(e.args[0])\n        return True\nwith C(): [].index(lambda: 1)"
    ),
    "by a generator": (
        f"{TELL}def g():\n    try: yield\n    except Exception as e: tell(next(map(str, [e])))\nx = g()\nnext(x)\n"
        "x.throw(KeyError(f))"
    ),
    "by the end of a generator": (
        f"{TELL}def g(): return f; yield\ntry: next(g())\nexcept StopIteration as e: tell(next(map(str, [e])))"
    ),
    "of a member that is not there": (
        f"{TELL}import enum\nclass E(enum.Enum): A = 1\ntry: E(f)\nexcept ValueError as e: tell(e.args[0])"
    ),
}
_HASHES = {
    "of a tuple of functions": f"{_F}found = hash((f,))\n{_MADE_OF}",
    "of a tuple by its method": f"{_F}found = (f,).__hash__()\n{_MADE_OF}",
    "of a tuple by its class": f"{_F}found = tuple.__hash__((f,))\n{_MADE_OF}",
    "of a tuple of one's own class": (
        f"{_F}class P(tuple):\n    def ask(self): return super().__hash__()\nfound = P([f]).ask()\n{_MADE_OF}"
    ),
    "of a named tuple": (f"{_F}import collections\nfound = hash(collections.namedtuple('P', 'x')(f))\n{_MADE_OF}"),
    "of a set of functions": (
        f"{_F}if hash(frozenset([f])) != hash(frozenset([hash(f)])): print('ESCAPED', hash(frozenset([f])))"
    ),
    "of a dataclass": (
        f"{_F}from dataclasses import dataclass\n@dataclass(frozen=True)\nclass D: x: object\n"
        "for found in (hash(D(f)), D(f).__hash__()):\n"  # made of the number that the function has in this run
        "    if found != hash((hash(f),)): print('ESCAPED', found)"
    ),
    "of a type in brackets": f"{_F}found = hash(list[int])\n{_OUT}",
    "of a choice of types": f"found = hash(int | str)\n{_OUT}",
    "of a choice of typing": f"import typing\nfound = hash(typing.Union[int, str])\n{_OUT}",
}
_GUESSES = {
    "in a text with its number": (
        "found = f'<it is at 0x{0x7f0000000000:x}>'\nif '7f0000000000' not in found: print('ESCAPED', found)"
    ),
}
_EMPTIED = (
    "kept = []\nclass X:\n    def __repr__(self):\n        b.clear()\n"
    "        kept.append([object() for _ in range(size // 8)])\n        return 'x'\n"
    "for size in (100, 200, 400, 1000):\n    b = bytearray(b'%a' + b'A' * size)\n"
)
_FREE = {
    "by a format that is emptied": f"{_EMPTIED}    if bytes(b % (X(),)) != b'x' + b'A' * size: print('ESCAPED')",
    "by a format that is emptied, from the right": (
        f"{_EMPTIED}    class V(bytearray):\n        __repr__ = X.__repr__\n"
        "    if bytes(V().__rmod__(b)) != b'x' + b'A' * size: print('ESCAPED')"
    ),
}

ADDRESSES_IN_TEXTS_OF_C: list[Attack] = [
    *listed("Found: addresses in texts that C code makes", _TEXTS),
    *listed("Found: addresses in errors", _ERRORS),
    *listed("Found: addresses in hashes of what holds others", _HASHES),
    *listed("Found: memory that is free", _FREE),
    *listed("Found: whether an address is guessed", _GUESSES),
]
