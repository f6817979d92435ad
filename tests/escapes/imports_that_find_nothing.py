"""Doors that a fourth attack found: what Python finds among all modules when an import finds nothing, texts that are
equal to others than their letters say, methods called with objects of other classes, numbers that meet an array."""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

_LOADED = {
    "a part of NumPy that is loaded": "from numpy import lib\nprint('ESCAPED', lib.format)",
    "a private part of NumPy that is loaded": "from numpy import _core\nprint('ESCAPED', _core.multiarray)",
    "a part of a part of NumPy": "from numpy.linalg import _linalg\nprint('ESCAPED', _linalg)",
    "a part of NumPy in a try": (
        "try: from numpy import matrixlib as found\nexcept (ImportError, AttributeError): found = None\n"
        "if found: print('ESCAPED', found)"
    ),
    "a part of NumPy under another name": (
        "try: import numpy.matrixlib as found\nexcept ImportError: found = None\nif found: print('ESCAPED', found)"
    ),
    "a part of NumPy for other tools": (
        "TYPE_CHECKING = True\nif TYPE_CHECKING:\n    import numpy._core.multiarray as found\nprint('ESCAPED', found)"
    ),
    "a part of collections that is loaded": (
        "from collections import abc\nif 'frozen' in repr(abc): print('ESCAPED', abc)"
    ),
}
_TEXT = "class S(str):\n    now = '__reduce_ex__'\n    def __hash__(self): return hash(self.now)\n"
_TEXT += "    def __eq__(self, o): return str.__eq__(self.now, o)\n"
_COPY = "import copy, types, argparse, enum, typing, torch\n"
_THREE = "lambda p: (int, (3,))"
_ASKED = "if copy.copy(n) == 3: print('ESCAPED')"
_SLOTS = (
    "class T(S):\n    def __hash__(self):\n        T.n += 1\n        return hash('f' if T.n < k else '__reduce_ex__')\n"
)
_SLOTS += "    def __eq__(self, o): return str.__eq__('f', o) or str.__eq__('__reduce_ex__', o)\n"
_LETTERS = {
    "a name in a namespace": f"{_COPY}{_TEXT}n = types.SimpleNamespace(**{{S('x'): {_THREE}}})\n{_ASKED}",
    "a name in a command line's namespace": f"{_COPY}{_TEXT}n = argparse.Namespace(**{{S('x'): {_THREE}}})\n{_ASKED}",
    "a name that begins otherwise": (
        f"{_COPY}class S(str):\n    def startswith(self, *a): return False\n"
        f"n = types.SimpleNamespace(**{{S('__reduce_ex__'): {_THREE}}})\n{_ASKED}"
    ),
    "a default that begins otherwise": (
        f"{_COPY}class S(str):\n    def lstrip(self, *a): return 'x'\np = argparse.ArgumentParser()\n"
        "p.set_defaults(**{S('__deepcopy__'): lambda m: 3})\n"
        "if copy.deepcopy(p.parse_args([])) == 3: print('ESCAPED')"
    ),
    "an option of NumPy's that is not seen": (
        "import numpy as np\nclass S(str):\n    __eq__ = str.__eq__\n    def __hash__(self): return 1\n"
        "kept = [[object() for _ in range(64)] for _ in range(200)]\ndel kept\n"
        "def look(n): return np.add(np.ones(n), 1, **{S('where'): np.zeros(n, bool)}).any()\n"
        "if any(look(n) for n in (8, 16, 32, 64, 100) for _ in range(50)): print('ESCAPED')"
    ),
    "a buffer's name": (
        f"import torch\n{_TEXT}class N(S):\n    n = 0\n    def rpartition(self, dot): return '', '', self\n"
        "    def __hash__(self):\n        N.n += 1\n        return hash('b' if N.n > k else '__dict__')\n"
        "    def __eq__(self, o): return str.__eq__(o, '__dict__') or str.__eq__(o, 'b')\n"
        "m = torch.nn.Module()\nm.register_buffer('b', torch.ones(1))\nfor k in range(9):\n    N.n = 0\n"
        "    try: print('ESCAPED', m.get_buffer(N('x')))\n    except AttributeError: pass"
    ),
    "a distribution's parameter": (
        f"import torch\nfrom torch.distributions import Distribution\n{_TEXT}S.now = '__dict__'\n"
        "class C:\n    is_discrete, event_dim = False, 0\n    def check(self, v): print('ESCAPED', v)\n"
        "class D(Distribution):\n    arg_constraints = {S('loc'): C()}\nD((), (), validate_args=True)"
    ),
    "the names of slots": (
        f"{_COPY}{_TEXT}{_SLOTS}class A:\n    __slots__ = ('y', T('x'))\nclass B(A): pass\nb = B()\nb.y, b.x = 0, 1\n"
        f"b.f = {_THREE}\nfor k in range(12):\n    T.n = 0\n    n = copy.copy(b)\n    {_ASKED}"
    ),
    "a list of the names of slots": (
        "import copy\nL = ['y']\nclass A:\n    __slots__ = L\nclass B(A): pass\nL.append('__reduce_ex__')\nb = B()\n"
        "b.y = 0\ncopy.copy(b)\nprint('ESCAPED' if '__reduce_ex__' in A.__slots__ else '')"
    ),
    "a member of an Enum that is made": (
        f"{_COPY}leak = []\nclass E(str, enum.Enum):\n    A = 'x'\n    def __init__(self, *a): leak.append(self)\n"
        "    def __hash__(self): return 1\nprint('ESCAPED')"
    ),
    "a member of an Enum by a class that is mixed in": (
        "import enum\nleak = []\nclass H:\n    def __hash__(self): return 1\ntry:\n"
        "    class E(H, str, enum.Enum):\n        A = 'x'\n        def __init__(self, *a): leak.append(self)\n"
        "except TypeError: pass\nif leak: print('ESCAPED')"
    ),
    "a dataclass of texts": (
        "import dataclasses\n@dataclasses.dataclass\nclass S(str):\n    a: int = 1\nprint('ESCAPED')"
    ),
    "a lazy property called by a type": (
        f"{_COPY}from torch.distributions.utils import lazy_property\nN = typing.NewType('__reduce_ex__', int)\n"
        f"class A:\n    x = lazy_property(N)\n    def __call__(self, p): return int, (3,)\nn = A()\nn.x\n{_ASKED}"
    ),
    "a lazy property called by a text": (
        f"{_COPY}from torch.distributions.utils import lazy_property\nclass S(str):\n"
        "    def startswith(self, *a): return False\nN = typing.NewType(S('__reduce_ex__'), int)\n"
        f"class A:\n    x = lazy_property(N)\n    def __call__(self, p): return int, (3,)\nn = A()\nn.x\n{_ASKED}"
    ),
    "a module's table by a lazy property": (
        "import torch\nfrom torch.distributions.utils import lazy_property\nclass M(torch.nn.Linear):\n"
        "    @lazy_property\n    def _parameters(self): return {'weight': 5}\n    x = _parameters\n"
        "class N(torch.nn.Linear): pass\nN.x = M.x\nm = N(1, 1)\nm.x\nprint('ESCAPED', m.weight + 1)"
    ),
    "a parameter's name that is a text when it counts": (
        "import torch\nclass K:\n    def __hash__(self): return hash('a')\n    def __eq__(self, o): return True\n"
        "    def __str__(self): return '__dict__'\n"
        "print('ESCAPED', torch.nn.ParameterDict({'a': torch.ones(1)}).get(K()))"
    ),
}
_RATES = "import torch\nfrom torch.optim.lr_scheduler import LRScheduler, LambdaLR\n"
_OTHERS = {
    "a module's table by the state of a scheduler": (
        f"{_RATES}print('ESCAPED', LRScheduler.state_dict(torch.nn.Linear(1, 1))['_parameters'])"
    ),
    "a class's slots by the state of a scheduler": (
        f"{_RATES}print('ESCAPED', LRScheduler.state_dict(torch.Tensor)['_data'])"
    ),
    "a class's slots by the state of another scheduler": (
        f"{_RATES}print('ESCAPED', LambdaLR.state_dict(torch.Tensor)['_data'])"
    ),
    "a function's attributes by the state of a scheduler": (
        f"{_RATES}LRScheduler.load_state_dict(torch.relu, {{'x': 1}})\nprint('ESCAPED', torch.relu.x)"
    ),
    "a module's table replaced by the state of a scheduler": (
        f"{_RATES}m = torch.nn.Linear(1, 1)\nLRScheduler.load_state_dict(m, {{'_parameters': {{'weight': 5}}}})\n"
        "print('ESCAPED', m.weight + 1)"
    ),
    "what a node captured by a Function's object": (
        "import torch\nclass F(torch.autograd.Function): pass\nf = F()\nprint('ESCAPED', f.captured, f.params)"
    ),
    "what a node releases by a Function's object": (
        "import torch\nclass F(torch.autograd.Function): pass\nf = F()\nprint('ESCAPED', f.unpack, f.release)"
    ),
}

_MEETS = "import torch, enum, functools\ngot = []\ndef meet(self, o):\n    got.append(o)\n    return 0.\n"
_RAW = "\nfor each in got: print('ESCAPED', type(each)((1,), 'O'))"
_LOSS = "torch.nn.functional.huber_loss(torch.ones(3), torch.zeros(3), delta={})"
_MIXED = f"{_LOSS.format('N(0.5)')}{_RAW}"
_OPERANDS = {
    "NumPy's own array by the turn of a loss": f"{_MEETS}class N(float): __mul__ = meet\n{_MIXED}",
    "NumPy's own array by a method called otherwise": (
        f"{_MEETS}class N(float):\n    __mul__ = staticmethod(lambda o: got.append(o) or 0.)\n{_MIXED}"
    ),
    "NumPy's own array by a property": (
        f"{_MEETS}class N(float):\n    __mul__ = property(lambda self: lambda o: got.append(o) or 0.)\n{_MIXED}"
    ),
    "NumPy's own array by a list's method": (
        f"{_MEETS}class N(float): __mul__ = got.append\ntry: {_LOSS.format('N(0.5)')}\nexcept TypeError: pass{_RAW}"
    ),
    "NumPy's own array by partial": f"{_MEETS}class N(float): __mul__ = functools.partial(meet, 1)\n{_MIXED}",
    "NumPy's own array by a base class": (f"{_MEETS}class A: __mul__ = meet\nclass N(A, float): pass\n{_MIXED}"),
    "NumPy's own array by a member of an Enum that is made": (
        f"{_MEETS}class N(float, enum.Enum):\n    X = 0.5\n    __mul__ = meet\n    def __init__(self, *a):\n"
        f"        {_LOSS.format('self')}{_RAW}"
    ),
    "NumPy's own array by a tolerance": (
        f"{_MEETS}class N(float): __mul__ = __add__ = __radd__ = meet\n"
        f"torch.allclose(torch.ones(3), torch.ones(3), rtol=N(0.1), atol=N(0.1)){_RAW}"
    ),
    "NumPy's own array by a factor": (
        f"{_MEETS}class N(float): __mul__ = meet\ntorch.allclose(torch.ones(3), torch.ones(3), rtol=N(0.5)){_RAW}"
    ),
    "NumPy's own array by a momentum": (
        f"{_MEETS}class N(float): __mul__ = meet\ntorch.nn.BatchNorm1d(3, momentum=N(0.5))(torch.ones(2, 3)){_RAW}"
    ),
    "NumPy's own array by a start": f"{_MEETS}class N(int): __add__ = meet\ntorch.arange(N(0), N(3), N(1)){_RAW}",
    "a table of the engine's by an operand": (
        f"{_MEETS}class N(float):\n    def __mul__(self, o):\n        o[:] = 7\n        return 0.\n"
        "y = torch.ones(3)\ntorch.addcmul(y, y, y, value=N(0.5))\nif y.sum() != 3: print('ESCAPED', y)"
    ),
}

_STEP = "import torch\np = torch.ones(1, requires_grad=True)\np.grad = torch.ones(1)\nclass O(torch.optim.SGD): pass\n"
_PARAMETER = "import torch\ngot = []\nclass P(torch.nn.Parameter):\n    "
_IN_PLACE = {
    "a tensor's memory by a property": (
        f"{_PARAMETER}_data = property(lambda s: got[-1], lambda s, v: got.append(v))\n"
        "try: P(torch.ones(1))\nexcept AttributeError: pass\nprint('ESCAPED', type(got[0])((1,), 'O'))"
    ),
    "a tensor's memory by a slot": f"{_PARAMETER}__slots__ = ('_data',)\nprint('ESCAPED', P(torch.ones(1)))",
    "a tensor's method by a property": (
        f"{_PARAMETER}mul = property(lambda s: lambda *a: got.append(a))\nprint('ESCAPED')"
    ),
    "a tensor's method on the object": (
        "import torch\nx = torch.ones(1)\nx.mul = lambda *a: 5\nprint('ESCAPED', x.mul(2))"
    ),
    "a tensor's method by a lazy property": (
        "import torch\nfrom torch.distributions.utils import lazy_property\nclass A:\n    @lazy_property\n"
        "    def mul(self): return lambda *a: print('ESCAPED')\nclass P(torch.nn.Parameter): x = A.mul\n"
        "p = P(torch.ones(2))\np.x\np.mul(2.)"
    ),
    "what an optimizer computes with": (
        f"{_STEP}class U(O):\n    def _update(self, *a): print('ESCAPED', type(a[1])((1,), 'O'))\nU([p], lr=1.).step()"
    ),
    "what an optimizer computes with by a list's method": (
        f"{_STEP}got = []\nclass U(O): _update = got.append\nprint('ESCAPED', U)"
    ),
    "what an optimizer computes with by its object": (
        f"{_STEP}o = O([p], lr=1.)\no._update = lambda *a: print('ESCAPED', type(a[1])((1,), 'O'))\no.step()"
    ),
    "what an optimizer computes with by its class later": (
        f"{_STEP}O._update = lambda *a: print('ESCAPED', type(a[2])((1,), 'O'))\nO([p], lr=1.).step()"
    ),
    "what an optimizer computes with by another base class": (
        f"{_STEP}class M: pass\nclass U(M, O): pass\nM._update = lambda *a: print('ESCAPED', type(a[2])((1,), 'O'))\n"
        "U([p], lr=1.).step()"
    ),
    "what an optimizer computes with by an object of another class": (
        f"{_STEP}class F:\n    param_groups, state = O([p], lr=1.).param_groups, {{}}\n"
        "    def __init__(self): self._optimizer_step_pre_hooks = self._optimizer_step_post_hooks = {}\n"
        "    def _update(self, *a): print('ESCAPED', type(a[1])((1,), 'O'))\ntorch.optim.SGD.step(F())"
    ),
    "the state of a generator": (
        "import torch\nclass G(torch.Generator):\n"
        "    def load_bytes(self, state): print('ESCAPED', type(state)((1,), 'O'))\ng = G()\ng.set_state(g.get_state())"
    ),
    "the state of a generator by an object of another class": (
        "import torch\nclass F:\n    def load_bytes(self, state): print('ESCAPED', type(state)((1,), 'O'))\n"
        "torch.Generator.set_state(F(), torch.get_rng_state())"
    ),
    "a source of numbers of another class": (
        "import torch\nclass N:\n    def __and__(self, other): return self\n"
        "    def astype(self, kind): print('ESCAPED', kind([1.]).astype('O'))\nclass G:\n"
        "    def raw32(self, count): return N()\n    raw64 = raw32\ntorch.rand(3, generator=G())"
    ),
    "the weights of a sampler": (
        "import torch\nw = torch.utils.data.WeightedRandomSampler([1.], 1).weights\nprint('ESCAPED', w.astype('O'))"
    ),
}
_SHARED = {
    "an abstract class's register": (
        "import typing\nclass A: pass\ntyping.Sized.register(A)\nif isinstance(A(), typing.Sized): print('ESCAPED')"
    ),
    "a context's register": (
        "import contextlib\nclass A: pass\ncontextlib.ExitStack.register(A)\n"
        "if isinstance(A(), contextlib.ExitStack): print('ESCAPED')"
    ),
    "a register by getattr": "import collections\nprint('ESCAPED', getattr(collections.ChainMap, 'register')(int))",
    "a register by attrgetter": (
        "import operator, typing\nprint('ESCAPED', operator.attrgetter('Mapping.register')(typing)(int))"
    ),
    "what makes the members of an Enum": (
        "import enum, torch\nclass E(enum.Enum): A = 1\nprint('ESCAPED', E._new_member_(torch.Generator))"
    ),
    "an Enum's table of members": (
        "import enum\nclass E(enum.Enum): A = 1\nE._member_map_['B'] = 2\nprint('ESCAPED', E['B'])"
    ),
    "an Enum's table of values": (
        "import enum\nclass E(enum.Enum): A = 1\ngetattr(E, '_value2member_map_')[5] = 2\nprint('ESCAPED', E(5))"
    ),
}
_MEMORY = "import torch, numpy as np\ngot = []\nclass A:\n    shape, ndim, size, base = (2,), 1, 2, None\n"
_MEMORY += "    dtype = np.ones(2, 'f4').dtype\n"
_MEMORY += "    flags = np.ones(2).flags\n    astype = got.append\n    def __hash__(self): return 1\n"
_MEMORY += "    def op(self, *o): return self\n    __getitem__ = __lt__ = __gt__ = __eq__ = __ne__ = __and__ = op\n"
_MEMORY += "class F:\n"
_MEMORY += "    dtype, shape, ndim, grad_fn = torch.float32, torch.Size([2]), 1, None\n"
_MEMORY += "    requires_grad, _requires_grad, _node, _base = False, False, None, None\n"
_MEMORY += "    _on_meta, _coo = False, None\n"
_MEMORY += (
    "    def numel(self): return 2\n    def dim(self): return 1\n    def size(self, *a): return torch.Size([2])\n"
)
_SHOWN = "try: torch.Tensor.__repr__(f)\nexcept AttributeError: pass\nif got: print('ESCAPED', got)"
_TAKEN = {
    "an object by its class": f"{_MEMORY}    _data = A()\nf = F()\n{_SHOWN}",
    "an object by an attribute": f"{_MEMORY}f = F()\nf._data = A()\n{_SHOWN}",
    "an object by setattr": f"{_MEMORY}f = F()\nsetattr(f, '_data', A())\n{_SHOWN}",
    "an object by vars": f"{_MEMORY}f = F()\nvars(f)['_data'] = A()\n{_SHOWN}",
    "an object by a slot": f"{_MEMORY}    __slots__ = ('_data',)\nf = F()\nf._data = A()\n{_SHOWN}",
    "a namespace": (
        f"{_MEMORY}import types\nnames = 'dtype shape ndim grad_fn requires_grad _requires_grad _node _base'.split()\n"
        "names += ['_on_meta', '_coo']\n"
        f"f = types.SimpleNamespace(_data=A(), **{{n: getattr(F, n) for n in names}})\n{_SHOWN}"
    ),
    "an object by a cached property": (
        f"{_MEMORY}import functools\np = functools.cached_property(lambda self: A())\n"
        f"try:\n    class Z: _data = p\nexcept TypeError: pass\nF.y = p\nf = F()\nf.y\n{_SHOWN}"
    ),
    "an object by a cached property, as a parameter": (
        "import functools, torch\nclass A:\n    def __getattr__(self, name):\n        print('ESCAPED', name)\n"
        "        raise AttributeError(name)\np = functools.cached_property(lambda self: A())\n"
        "try:\n    class Z: _data = p\nexcept TypeError: pass\nclass F:\n    _inference = _on_meta = False\n"
        "    def detach(self): return self\nF.y = p\nf = F()\ntry: f.y\nexcept AttributeError: pass\n"
        "try: torch.nn.Parameter(f)\nexcept AttributeError: pass"
    ),
    "a module": (
        f"{_MEMORY}class B(A, torch.nn.Module): pass\nclass M(F, torch.nn.Module): pass\nf = M()\n"
        f"f.add_module('_data', B())\n{_SHOWN}"
    ),
}
_ARGUMENT = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int)\nseen = []\n"
_ARGUMENT += (
    "class A:\n    option_strings, dest, nargs, type, metavar, required = ['--y'], 'y', None, None, None, False\n"
)
_ARGUMENT += "    help = default = const = choices = None\n    def __init__(self, **k): pass\n"
_ARGUMENT += "    def __call__(self, parser, *rest): seen.append(parser)\n"
_READ = "act.container.add_argument('--y', action=A)\np.parse_args(['--y', '1'])\n"
_READ += "q = type(seen[0])(print, fromfile_prefix_chars='@')\nprint('ESCAPED', q.parse_known_args(['@SECRET']))"
_ERRORS = {
    "a file by an argument in an error that exit has behind it": (
        f"{_ARGUMENT}try: p.parse_args(['--n', 'a'])\nexcept SystemExit as e: act = e.__context__.args[0]\n{_READ}"
    ),
    "a file by an argument that an error names": (
        f"{_ARGUMENT}try: p.add_argument('--n')\n"
        f"except argparse.ArgumentError as e: act = e.args[0]\nprint('ESCAPED', act.nargs)\n{_READ}"
    ),
    "an argument in an error of a group": (
        f"{_ARGUMENT}g = p.add_argument_group('g')\ntry: g.add_argument('--n')\n"
        "except argparse.ArgumentError as e: act = e.args[0]\nprint('ESCAPED', act.nargs)"
    ),
    "an argument in the end of a script": (
        f"{_ARGUMENT}try: p.error('x')\nexcept SystemExit as e: print('ESCAPED', e.__context__.args[0])"
    ),
    "an argument behind an error of a choice that is shown": (
        "import argparse\nclass C:\n    def __eq__(self, other): return False\n    __hash__ = None\n"
        "    def __str__(self): return {}['mine'] if wrong else 'c'\nwrong, p = False, argparse.ArgumentParser()\n"
        "p.add_argument('--n', choices=[C()])\nwrong = True\ntry: p.parse_args(['--n', 'a'])\n"
        "except KeyError as e: print('ESCAPED', e.__context__.args[0].container)"
    ),
}
_CAUGHT = "import dataclasses, torch\nclass T(BASE):\n    FIELD: int\ntry: dataclasses.dataclass(T)\n"
_CAUGHT += "except TypeError: pass\nmatch MADE:\n    case T(found): print('ESCAPED', found)"


def _caught(base: str, field: str, made: str) -> str:
    return _CAUGHT.replace("BASE", base).replace("FIELD", field).replace("MADE", made)


_REFUSED = {
    "a tensor's memory by the pattern of a class that was refused": _caught("torch.Tensor", "_data", "T([1.])"),
    "a module's table by the pattern of a class that was refused": _caught("torch.nn.Module", "_modules", "T()"),
    "an error's object by the pattern of a class that was refused": _caught("AttributeError", "obj", "T('x')"),
    "a text that is compared by a class that was refused": (
        "import dataclasses\nclass S(str):\n    a: int = 1\ntry: dataclasses.dataclass(S)\nexcept TypeError: pass\n"
        "if S('a') != 'a' or hash(S('a')) != hash('a'): print('ESCAPED')"
    ),
}

IMPORTS_THAT_FIND_NOTHING: list[Attack] = [
    *listed("Found: modules by an import that finds nothing", _LOADED),
    *listed("Found: texts that are equal to others", _LETTERS),
    *listed("Found: methods with objects of other classes", _OTHERS),
    *listed("Found: operands of NumPy's own", _OPERANDS),
    *listed("Found: in place of PyTorch's own methods", _IN_PLACE),
    *listed("Found: what all share", _SHARED),
    *listed("Found: objects taken for tensors", _TAKEN),
    *listed("Found: what an error has behind it", _ERRORS),
    *listed("Found: classes that were refused", _REFUSED),
]
