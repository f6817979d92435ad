"""Doors that were open in this policy until it was attacked with the source at hand; each was a failing test before it
was shut. The two leaks that the study found through the kernel's locks come first."""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

_STUDY = {
    "a walk by str.format (leak of the study)": ("def f(): pass\nprint('ESCAPED', '{0.__globals__}'.format(f))"),
    "memory by __array_interface__ (leak of the study)": (
        "import numpy as np\nclass A:\n"
        "    __array_interface__ = {'shape': (8,), 'typestr': '|u1', 'data': (id('a'), True), 'version': 3}\n"
        "print('ESCAPED', np.array(A()))"
    ),
}
_TYPES = {
    "type[int] makes classes": (
        "A = type[int]('A', (), {'__array_interface__': {'shape': (8,), 'typestr': '|u1', 'data': (0, True)}})\n"
        "print('ESCAPED', A)"
    ),
    "type[int] gives Python's own type": "T = type[int](int)\nprint('ESCAPED', T('A', (), {}))",
    "a metaclass by deriving from type[int]": "class M(type[int]): pass\nprint('ESCAPED', M('B', (), {}))",
    "a base class by a generic alias": (
        "import numpy as np\nG = type(list[int])\nclass A(G(type(np.ones(1)), ())): pass\nprint('ESCAPED', A)"
    ),
    "a base class by Annotated": (
        "import typing, numpy as np\nclass A(typing.Annotated[type(np.ones(1)), 1]): pass\nprint('ESCAPED', A)"
    ),
    "Enum's own maker of classes": (
        "import enum\nclass B(enum.Enum): pass\nprint('ESCAPED', B._create_('C', {'__array_interface__': {}}))"
    ),
    "Enum's maker by getattr": (
        "import enum\nclass B(enum.Enum): pass\nprint('ESCAPED', getattr(B, '_create_')('C', {'__reduce__': 1}))"
    ),
    "names of any module by Enum": (
        "import enum\nclass B(enum.Enum): pass\nn = []\ntry: B._convert_('C', 'os', n.append)\nfinally:\n"
        "    if n: print('ESCAPED', n)"
    ),
    "type of super()": (
        "class A:\n    def f(self): return type(super())\nimport numpy as np\na = np.ones(3)\n"
        "print('ESCAPED', A().f()(type(a), a).data)"
    ),
}
_FORWARDING = {
    "format by a generic alias": "G = type(list[int])\nprint('ESCAPED', G('{0.__class__}', int).format(1))",
    "format by a bound method": (
        "class A:\n    def f(self): pass\nclass S(str):\n    def __call__(self): pass\n"
        "print('ESCAPED', type(A().f)(S('{0.__class__}'), 1).format(1))"
    ),
    "buffers by Annotated": (
        "import torch, typing\nx = torch.tensor(1., requires_grad=True)\n"
        "print('ESCAPED', typing.Annotated[(x * x).grad_fn, 1].saved)"
    ),
    "buffers by the node's class": (
        "import torch\nx = torch.tensor(1., requires_grad=True)\nn = (x * x).grad_fn\n"
        "print('ESCAPED', list(type(n).saved_items(n)))"
    ),
    "buffers by super()": (
        "import torch\nx = torch.tensor(1., requires_grad=True)\nn = (x * x).grad_fn\n"
        "print('ESCAPED', super(type(n), n).saved)"
    ),
    "an error's object by super()": (
        "class E(AttributeError): pass\nclass A:\n    @property\n    def x(self): raise E\n"
        "try: A().x\nexcept E as e: print('ESCAPED', super(E, e).obj)"
    ),
    "an array's memory by super()": ("import numpy as np\na = np.ones(3)\nprint('ESCAPED', super(type(a), a).data)"),
    "objects in an array by super()": (
        "import numpy as np\na = np.ones(3)\nprint('ESCAPED', super(type(a), a).astype('O'))"
    ),
    "super by another name": "import numpy as np\na = np.ones(3)\ns = super\nprint('ESCAPED', s(type(a), a).data)",
    "super that the snippet binds": (
        "import numpy as np\na = np.ones(3)\ndef f(super): pass\nprint('ESCAPED', super(type(a), a).data)"
    ),
    "super bound by a pattern": (
        "import numpy as np\na = np.ones(3)\ndef f(x):\n    match x:\n        case {**super}: pass\n"
        "print('ESCAPED', super(type(a), a).data)"
    ),
    "getattr of super()": "import numpy as np\na = np.ones(3)\nprint('ESCAPED', getattr(super(type(a), a), 'resize'))",
    "a module's real table by comparing": (
        "import torch\nm = torch.nn.Linear(2, 2)\nclass E:\n    def __eq__(self, o): o['weight'] = 5\n"
        "m._parameters == E()\nif m.weight == 5 if type(m.weight) is int else False: print('ESCAPED')\n1 / 0"
    ),
}
_PATTERNS = {
    "a dataclass's pattern": (
        "import dataclasses, torch\n@dataclasses.dataclass(init=False, eq=False)\nclass T(torch.Tensor):\n"
        "    _data: int\n"
        "print('ESCAPED')"
    ),
    "a dataclass's pattern by inheritance": (
        "import dataclasses, torch\n@dataclasses.dataclass(eq=False)\nclass D:\n    _data: int\n"
        "class T(D, torch.Tensor): pass\nprint('ESCAPED')"
    ),
    "a module's tables as fields": (
        "import dataclasses, torch\n@dataclasses.dataclass(eq=False)\nclass D:\n    _modules: dict\n"
        "class T(D, torch.nn.Module): pass\nprint('ESCAPED')"
    ),
}
_ARRAYS = {
    "objects by a position": "import numpy as np\nprint('ESCAPED', np.zeros(3, 'O'))",
    "structures with objects": "import numpy as np\nprint('ESCAPED', np.zeros(3, 'O,f8'))",
    "objects by a signature": "import numpy as np\nprint('ESCAPED', np.add(np.ones(2), 1, signature='OO->O'))",
    "objects by a method": "import numpy as np\nprint('ESCAPED', np.ones(3).cumsum(dtype=object))",
    "objects by nonzero": "import numpy as np\nprint('ESCAPED', np.ones(3).nonzero()[0].astype('O'))",
    "objects by a number": "import numpy as np\nprint('ESCAPED', np.float64(1).reshape(1).astype('O'))",
    "objects by repeating a number": "import numpy as np\nprint('ESCAPED', np.float64(1).repeat(3).astype('O'))",
    "objects by a number's iterator": "import numpy as np\nprint('ESCAPED', np.float64(1).flat.copy().astype('O'))",
    "objects by getattr of a number": (
        "import numpy as np\nprint('ESCAPED', getattr(np.float64(1), 'ravel')().astype('O'))"
    ),
    "a sort that changes what it sorts": (
        "import numpy as np\na = np.zeros(99, 'O')\nclass E:\n    def __lt__(self, o):\n        a[:] = 0\n"
        "        return True\n"
        "a[:] = [E() for _ in range(99)]\na.sort()\nprint('ESCAPED')"
    ),
}
_FILES = {
    "NumPy itself out of a forged file": (
        'import torch, io\nt = b\'{"tree": ["dtype", "np"], "arrays": []}\'\n'
        "raw = b'GRADVIZ-TENSORS-1\\n' + len(t).to_bytes(8, 'little') + t\n"
        "n = torch.load(io.BytesIO(raw), weights_only=False)\nprint('ESCAPED', n.lib)"
    ),
    "objects out of a forged file": (
        'import torch, io\nt = b\'{"tree": ["numpy", 0, false], "arrays": [["|O", [1], 8]]}\'\n'
        "raw = b'GRADVIZ-TENSORS-1\\n' + len(t).to_bytes(8, 'little') + t + bytes(8)\n"
        "print('ESCAPED', torch.load(io.BytesIO(raw), weights_only=False))"
    ),
    "attributes by the names of weights": (
        "import torch\nclass L(torch.nn.LSTM): pass\nm = L(2, 2)\nm._flat_weights_names = ['__getattribute__']\n"
        "print('ESCAPED', m._flat_weights)"
    ),
}

FOUND: list[Attack] = [
    *listed("Found: leaks of the study", _STUDY),
    *listed("Found: types that make types", _TYPES),
    *listed("Found: objects that forward", _FORWARDING),
    *listed("Found: patterns and fields", _PATTERNS),
    *listed("Found: arrays of objects", _ARRAYS),
    *listed("Found: files and names as data", _FILES),
]
