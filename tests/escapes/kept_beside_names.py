"""Doors that a third attack found: what our own files keep beside PyTorch's names, numbers of a class that
NumPy believes, names kept by a property, shared objects that are initialized again."""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

_BESIDE = {
    "NumPy's own arrays by the reader of files": (
        "import torch.serialization as s, numpy as np\nraw = s.loaded(s.dumped(np.ones(3)))\n"
        "print('ESCAPED', raw.astype('O'), type(raw)((2,), 'O'))"
    ),
    "a file by the writer of files": "import torch.serialization as s\ns.save(1, 'FOLDER/new')",
    "a file by the reader of files": (
        "import torch.serialization as s\ntry: s.load('SECRET')\n"
        "except RuntimeError as e: print('ESCAPED', e)  # it was opened, and is no file of tensors"
    ),
    "a function of the engine replaced": (
        "import torch, torch.distributions.kl as kl\nkl.T['relu'] = lambda *a, **k: 'ESCAPED'\n"
        "print(torch.nn.ReLU()(torch.ones(1)))"
    ),
    "the recorder by the engine's state": (
        "from torch.optim.optimizer import engine_state\nprint('ESCAPED', engine_state.observer.hooks())"
    ),
    "the recorder by the state under another name": (
        "import torch.nn.modules.rnn as r\nprint('ESCAPED', r.engine.observer)"
    ),
    "a tensor over anything": "import torch.optim.sgd as s\nprint('ESCAPED', s.wrap)",
    "a tensor without memory": "import torch, torch.nn.parameter as p\nprint('ESCAPED', p.bare(torch.Tensor))",
    "Python's own deepcopy": "from torch.optim.optimizer import deepcopy\nprint('ESCAPED', deepcopy)",
    "the tolerances of the tests": "import torch.testing as t\nt.TOLERANCE.clear()\nprint('ESCAPED')",
}
_CALLED = "import torch, copy\nclass M(torch.nn.Module):\n    def forward(self): return copy.deepcopy(self)\n"
_CALLED += "def call(**names): return torch.func.functional_call(M(), names, ())\n"
_SWAPPED = {
    "a layer patched by a functional call": (
        f"{_CALLED}L = torch.nn.Linear\nstate = None, {{'forward': lambda self, x: 'ESCAPED'}}\n"
        "call(**{'__reduce_ex__': lambda p: (lambda: L, (), state)})\nprint(L(1, 1)(torch.ones(1)))"
    ),
    "a method that no class may define by a functional call": (
        f"{_CALLED}class C: pass\nstate = None, {{'__getattribute__': lambda self, name: 'ESCAPED'}}\n"
        "call(**{'__reduce_ex__': lambda p: (lambda: C, (), state)})\nprint(C().x)"
    ),
    "what a copy has seen by a functional call": (
        f"{_CALLED}print(call(**{{'__deepcopy__': lambda memo: ('ESCAPED', memo)}}))"
    ),
    "a name that changes while a functional call reads it": (
        f"{_CALLED}class S(str):\n    def rpartition(self, dot): return '', '', '__deepcopy__'\n"
        "print(torch.func.functional_call(M(), {S('weight'): lambda memo: 'ESCAPED'}, ()))"
    ),
    "a parameter that is called by a functional call": (
        f"{_CALLED}class P(torch.nn.Parameter):\n    def __call__(self, memo): return 'ESCAPED'\n"
        "print(call(**{'__deepcopy__': P(torch.ones(1))}))"
    ),
}
_CALM = "import torch\nclass I(int):\n    def __lt__(self, o): return False\n    __gt__ = __le__ = __ge__ = __lt__\n"
_CALM += "    def __sub__(self, o): return 0\n    def __rsub__(self, o): return 1\n    __hash__ = int.__hash__\n"
_NUMBERS = {
    "memory behind windows": f"{_CALM}y = torch.arange(6.).unfold(0, I(1000), 1)\nprint('ESCAPED', y.sum())",
    "memory behind windows of a matrix": (
        f"{_CALM}y = torch.nn.functional.unfold(torch.ones(1, 1, 3, 3), (I(1000), 1))\nprint('ESCAPED', y.sum())"
    ),
}
_NEAR = "import torch, numpy as np\nx = np.arange(100000.)\n"
_TOLD = (
    "import torch\ndef tell(x):\n    if x.data_ptr() not in range(1 << 40, (1 << 40) + 4096): print('ESC' + 'APED')\n"
)
_ASKED = "def __torch_function__(self, f, types, args=(), kwargs=None):\n"
_CLASS = f"{_TOLD}class T(torch.Tensor):\n    @classmethod\n    {_ASKED}"
_MODE = f"{_TOLD}class M(torch.overrides.TorchFunctionMode):\n    {_ASKED}"
_ADDRESSES = {
    "the address of a tensor's memory": (
        f"{_NEAR}found = torch.from_numpy(x).data_ptr()\nif found >> 41: print('ESCAPED', hex(found))"
    ),
    "the address of a tensor of a class that hands on": (
        f"{_CLASS}        return super().__torch_function__(f, types, args, kwargs or {{}})\n"
        "tell(torch.ones(2).as_subclass(T))"
    ),
    "the address of a tensor of a class that answers": (
        f"{_CLASS}        return 1 << 40\ntell(torch.ones(2).as_subclass(T))"
    ),
    "the address of a tensor by a mode that hands on": (
        f"{_MODE}        return f(*args, **(kwargs or {{}}))\nx = torch.ones(2)\nwith M(): tell(x)"
    ),
    "the address of a tensor by a mode that answers": (
        f"{_MODE}        return 1 << 40\nx = torch.ones(2)\nwith M(): tell(x)"
    ),
    "the address of a tensor without elements": (
        "import torch\nx = torch.ones(2)\n"
        "for empty in (torch.ones(0), x[2:], x[:0].untyped_storage(), torch.ones(2, 0).t()):\n"
        "    if empty.data_ptr() >> 42: print('ESCAPED', empty.data_ptr())"
    ),
    "the address of a small tensor": (
        "import torch\nif torch.ones(2).data_ptr() not in range(1 << 40, (1 << 40) + 4096): print('ESCAPED')"
    ),
}
_FREED = "import numpy as np\nkept = [[object() for _ in range(64)] for _ in range(200)]\ndel kept\n"
_FREED += (
    "def look(make):\n    if any(make(n).any() for n in (8, 16, 32, 64, 100) for _ in range(50)): print('ESCAPED')\n"
)
_LEFT = {
    "what lay in the memory of an empty array": f"{_FREED}look(lambda n: np.empty(n, 'u8'))",
    "what lay in the memory of an array like another": f"{_FREED}look(lambda n: np.empty_like(np.ones(n)))",
    "what lay where a function computes nothing": (
        f"{_FREED}look(lambda n: np.add(np.ones(n), 1, where=np.zeros(n, bool)))"
    ),
}

_CACHED = "import functools, copy, torch\nL = torch.nn.Linear\nclass CP(functools.cached_property): pass\n"
_PLUS = "import torch\nclass F(torch.autograd.Function): pass\nf = F()\n"
_PLUS += "class X:\n    def __radd__(self, o): print('ESCAPED', o)\n"
_NAMES = {
    "a copy's function by a cached property": (
        f"{_CACHED}cp = CP(lambda s: lambda *a: (int, (3,)))\nclass A: x = cp\ncp.attrname = '__reduce_ex__'\n"
        "a = A()\na.x\nif copy.deepcopy(a) == 3: print('ESCAPED')"
    ),
    "a layer patched by a cached property": (
        f"{_CACHED}cp = CP(lambda s: lambda p: (lambda: L, (), (None, {{'forward': 5}})))\nclass A: x = cp\n"
        "cp.attrname = cp._name = '__reduce_ex__'\na = A()\na.x\ncopy.deepcopy(a)\n"
        "if L.forward == 5: print('ESCAPED')"
    ),
    "a module's table by a cached property": (
        f"{_CACHED}cp = CP(lambda s: 1)\nclass M(L): x = cp\ncp.attrname = cp._name = '_parameters'\nm = M(1, 1)\n"
        "m.x['weight'] = 5\nprint('ESCAPED', m.weight)"
    ),
    "a module's table by a cached property of another class": (
        "import functools, torch\ncp = functools.cached_property(lambda s: 1)\nclass A: _parameters = cp\n"
        "class M(torch.nn.Linear): pass\nM.x = cp\nm = M(1, 1)\nm.x['weight'] = 5\nprint('ESCAPED', m.weight)"
    ),
    "a module's table replaced by a cached property": (
        "import functools, torch\ncp = functools.cached_property(lambda s: {'weight': 5})\n"
        "class A: _parameters = cp\nclass M(torch.nn.Linear): pass\nM.x = cp\nm = M(1, 1)\nm.x\n"
        "print('ESCAPED', m.weight + 1)"
    ),
    "the formula in a Function's class by +=": f"{_PLUS}F.row += X()",
    "all that a Function holds by +=": f"{_PLUS}F.saved_items += X()",
    "what a Function has saved by +=": f"{_PLUS}f.save_for_backward(torch.ones(3))\nf.saved += X()",
    "the formula in a Function by setattr": f"{_PLUS}setattr(F, 'row', 5)\nprint('ESCAPED')",
}
_AGAIN = {
    "a form of typing": (
        "import typing\ndef f(self, given): return 'ESCAPED'\ntyping.Optional.__init__(f)\nprint(typing.Optional[int])"
    ),
    "a form of typing by its class": (
        "import typing\ndef f(self, given): return 'ESCAPED'\ntype(typing.Optional).__init__(typing.Optional, f)\n"
        "print(typing.Optional[int])"
    ),
    "a form of typing by getattr": (
        "import typing\ndef f(self, given): return 'ESCAPED'\ngetattr(typing.Optional, '__init__')(f)\n"
        "print(typing.Optional[int])"
    ),
    "a form of typing by methodcaller": (
        "import typing, operator\ndef f(self, given): return 'ESCAPED'\n"
        "operator.methodcaller('__init__', f)(typing.Optional)\nprint(typing.Optional[int])"
    ),
    "an alias of typing": "import typing\ntyping.List.__init__(dict, 2)\nprint('ESCAPED', typing.List[int, int])",
    "a type that typing keeps": "import typing\nA = typing.List[int]\nA.__init__(dict, (str,))\nprint('ESCAPED', A)",
    "a type variable of typing": "import typing\ntyping.AnyStr.__init__('X')\nprint('ESCAPED', typing.AnyStr)",
    "a constraint": ("import torch\nc = torch.distributions.constraints.positive\nc.__init__(5)\nprint('ESCAPED', c)"),
    "a constraint by a class of one's own": (
        "import torch\nc = torch.distributions.constraints.positive\nclass G(type(c)): pass\nG.__init__(c, 5)\n"
        "print('ESCAPED', c)"
    ),
    "a constraint by a generic alias": (
        "import torch\nc = torch.distributions.constraints.positive\ntype(list[int])(type(c), int).__init__(c, 5)\n"
        "print('ESCAPED', c)"
    ),
    "a constraint by another class's __init__": (
        "import torch\nc = torch.distributions.constraints.positive\nclass A: __init__ = type(c).__init__\n"
        "A.__init__(c, 5)\nprint('ESCAPED', c)"
    ),
}

KEPT_BESIDE_NAMES: list[Attack] = [
    *listed("Found: beside PyTorch's names", _BESIDE),
    *listed("Found: names as data of functional_call", _SWAPPED),
    *listed("Found: windows into memory", _NUMBERS),
    *listed("Found: addresses of memory", _ADDRESSES),
    *listed("Found: what lay in memory before", _LEFT),
    *listed("Found: names kept by a property, and +=", _NAMES),
    *listed("Found: shared objects initialized again", _AGAIN),
]
