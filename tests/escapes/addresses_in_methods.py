"""Doors that a seventh attack found: addresses in texts and hashes that are asked of methods, or printed into a stream
of one's own, and what an Enum could hold, because its members are made before a class is looked at."""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

TELL = "def f(): pass\ndef tell(text):\n    place = text.partition(' at 0x')[2].partition('>')[0]\n"
TELL += "    if int(place, 16) > (1 << 40) + 99_999: print('ESC' + 'APED', place)\n"
_STREAM = f"{TELL}class W:\n    def write(self, text): ' at 0x' in text and tell(text)\n"
_NAN = "c = float('nan')\n"
_OUT = "if abs(found) > (1 << 40) + 99_999: print('ESCAPED', found)"

_HASHES = {
    "of a complex number that is none": f"c = complex('nan')\nfound = hash(c)\n{_OUT}",
    "of a number by its method": f"{_NAN}found = c.__hash__()\n{_OUT}",
    "of a number by its class": f"{_NAN}found = float.__hash__(c)\n{_OUT}",
    "of a number of one's own class": f"class F(float): pass\nc = F('nan')\nfound = hash(c)\n{_OUT}",
    "of a number of NumPy's": f"import numpy as np\nc = np.float64('nan')\nfound = hash(c)\n{_OUT}",
    "of a short number of NumPy's": f"import numpy as np\nc = np.float32('nan')\nfound = hash(c)\n{_OUT}",
    "of a complex number of NumPy's": (
        f"import numpy as np\nc = np.complex64(complex('nan'))\nfound = hash(c)\n{_OUT}"
    ),
    "of a tensor by its method": f"import torch\nt = torch.ones(1)\nfound = t.__hash__()\n{_OUT}",
    "of a tensor by its class": f"import torch\nt = torch.ones(1)\nfound = torch.Tensor.__hash__(t)\n{_OUT}",
    "of a parameter by its method": (
        f"import torch\nt = torch.nn.Parameter(torch.ones(1))\nfound = t.__hash__()\n{_OUT}"
    ),
}
_TEXTS = {
    "by __format__": f"{TELL}tell(f.__format__(''))",
    "by the __format__ of object": f"{TELL}tell(object.__format__(f, ''))",
    "printed into a stream": f"{_STREAM}print(f, file=W())",
    "printed into a text": f"{TELL}import io\ns = io.StringIO()\nprint(f, file=s)\ntell(s.getvalue())",
    "by pformat": f"{TELL}import pprint\ntell(pprint.pformat(f))",
    "by pprint into a stream": f"{_STREAM}import pprint\npprint.pprint(f, W())",
    "in a traceback": f"{TELL}import traceback\ntry: raise KeyError(f)\nexcept KeyError: tell(traceback.format_exc())",
    "in the last line of a traceback": (
        f"{TELL}import traceback\ntell(traceback.format_exception_only(KeyError(f))[0])"
    ),
    "in a log": f"{_STREAM}import logging\nlogging.basicConfig(stream=W(), level=10)\nlogging.info('%r', f)",
    "of a recorded warning": (
        f"{TELL}import warnings\nwith warnings.catch_warnings(record=True) as w:\n    warnings.warn(UserWarning(f))\n"
        "tell(w[0].__str__())"
    ),
    "by a namespace's __repr__": f"{TELL}import argparse\ntell(argparse.Namespace(f=f).__repr__())",
    "by a dataclass's __repr__": (
        f"{TELL}from dataclasses import dataclass\n@dataclass\nclass D: x: object\ntell(D(f).__repr__())"
    ),
    "by a Counter's __repr__": f"{TELL}import collections\ntell(collections.Counter([f]).__repr__())",
    "by a chain's __repr__": f"{TELL}import collections\ntell(collections.ChainMap({{f: 1}}).__repr__())",
    "by a named tuple's __repr__": (
        f"{TELL}import collections\nP = collections.namedtuple('P', 'x')\ntell(P(f).__repr__())"
    ),
    "by an Enum's __repr__": f"{TELL}import enum\nclass E(enum.Enum): A = (f,)\ntell(E.A.__repr__())",
    "by a node's __repr__": (f"{TELL}import torch\ntell((torch.ones(1, requires_grad=True) * 2).grad_fn.__repr__())"),
}
_ENUMS = {
    "a tensor's memory by a property": (
        "import enum, torch\ngot = []\nclass M:\n    shape, ndim, size, dtype = (3,), 1, 3, 'f4'\n"
        "    __getitem__ = got.append\nclass E(enum.Enum):\n    A = 1\n    _data = property(lambda self: M())\n"
        "try: torch.Tensor.__getitem__(E.A, torch.tensor([0]))\nexcept AttributeError: pass\n"
        "print('ESCAPED', got[0][0])"
    ),
    "what an optimizer computes with": (
        "import enum, torch\nfrom dataclasses import dataclass\np = torch.ones(1, requires_grad=True)\n"
        "p.grad = torch.ones(1)\n@dataclass\nclass K:\n    a: object\n    b: object\n    c: object\n"
        "    def __post_init__(self): print('ESCAPED', self.b)\nclass X: _update = K\n"
        "class E(X, torch.optim.SGD, enum.Enum):\n    A = 1\n"
        "    def __init__(self, n): torch.optim.SGD.__init__(self, [p], lr=0.1)\nE.A.step()"
    ),
    "a slot that hides a class": (
        "import enum\nclass L(list):\n    def __iter__(self): return iter(['__class__'])\n"
        "class E(enum.Enum):\n    __slots__ = L(['a'])\n    A = 1\n"
        "try: E.A.__class__\nexcept AttributeError: print('ESCAPED')\nprint('ESCAPED', E)"
    ),
}

ADDRESSES_IN_METHODS: list[Attack] = [
    *listed("Found: addresses in hashes", _HASHES),
    *listed("Found: addresses in texts that methods and streams get", _TEXTS),
    *listed("Found: what an Enum holds", _ENUMS),
]
