"""Doors that a second attack with the source at hand found: names that PyTorch's functions take as data, tables and
slots that came along with a copy, objects that answer differently when they are asked twice."""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

_SPACE = "import types, copy, torch, numpy as np\nA = {'shape': (8,), 'typestr': '|u1', 'data': (id('a'), True)}\n"
_SPACE += (
    "def space(**d): return types.SimpleNamespace(**d)\nn = space(**{'__array_interface__': {**A, 'version': 3}})\n"
)
_NAMES_IN_OBJECTS = {
    "memory by a namespace and a type of number": f"{_SPACE}print('ESCAPED', np.float64(n))",
    "memory by a namespace and a sum": f"{_SPACE}print('ESCAPED', np.zeros(8) + n)",
    "memory by a namespace put into an array": f"{_SPACE}a = np.zeros(8)\na[:] = n\nprint('ESCAPED', a)",
    "memory by a namespace in a list": f"{_SPACE}print('ESCAPED', np.float64([n]))",
    "a structure by a namespace": f"{_SPACE}print('ESCAPED', np.float64(space(**{{'__array_struct__': 5}})))",
    "an array by a namespace": f"{_SPACE}print('ESCAPED', np.float64(space(**{{'__array__': lambda *a: 5}})))",
    "a namespace that says how it is copied": (
        f"{_SPACE}print('ESCAPED', copy.deepcopy(space(**{{'__deepcopy__': lambda m: 1}})))"
    ),
    "a namespace's copy patches a layer": (
        f"{_SPACE}L = torch.nn.Linear\ndef r(p): return (lambda: L, (), (None, {{'forward': 5}}))\n"
        "copy.deepcopy(space(**{'__reduce_ex__': r}))\nprint('ESCAPED', L.forward)"
    ),
    "a namespace's base by super()": (
        f"{_SPACE}n = space()\nsuper(type(n), n).__init__(**{{'__reduce_ex__': lambda p: (int, (3,))}})\n"
        "print('ESCAPED', copy.deepcopy(n))"
    ),
    "a class of one's own from a namespace": (
        f"{_SPACE}class S(types.SimpleNamespace):\n    def __init__(self, **d): super().__init__(**d)\n"
        "print('ESCAPED', copy.deepcopy(S(**{'__deepcopy__': lambda m: 1})))"
    ),
    "a namespace of a command line": (
        "import argparse, copy\nn = argparse.Namespace(**{'__reduce_ex__': lambda p: (int, (3,))})\n"
        "print('ESCAPED', copy.deepcopy(n))"
    ),
    "defaults of a command line": (
        "import argparse, copy\np = argparse.ArgumentParser()\np.set_defaults(**{'__deepcopy__': lambda m: 3})\n"
        "print('ESCAPED', copy.deepcopy(p.parse_args([])))"
    ),
    "vars() with a name of Python's": (
        "import copy\nclass A: pass\na = A()\nvars(a).update({'__deepcopy__': lambda m: 3})\n"
        "print('ESCAPED', copy.deepcopy(a))"
    ),
}
_PRUNE = "import torch\nfrom torch.nn.utils import prune\nclass S:\n    def __bool__(self): return True\n"
_PRUNE += "    def get(self, key, value):\n        look(value)\n        return torch.ones(1)\n"
_PRUNE += "def scan(thing, name): prune.global_unstructured([(thing, name)], prune.L1Unstructured, S(), amount=1)\n"
_METHOD = "import torch\nfrom torch.nn.utils import prune\nclass P(prune.BasePruningMethod):\n"
_METHOD += "    def apply_mask(self, module): return lambda self, x: 'ESCAPED'\np = P()\n"
_PARAMETRIZE = "import torch\nfrom torch.nn.utils import parametrize\nm = torch.nn.Linear(2, 2)\n"
_PARAMETRIZE += (
    "class P(torch.nn.Module):\n    is_tensor, original = True, torch.ones(2)\n    def forward(self, x): 1 / 0\n"
)
_NAMES_AS_DATA = {
    "Python's builtins by pruning": (
        f"{_PRUNE}def look(value): print('ESCAPED', value['open']('SECRET').read())\n"
        "scan(torch.manual_seed, '__builtins__')"
    ),
    "a tensor's memory by pruning": (f"{_PRUNE}def look(value): print('ESCAPED', value)\nscan(torch.ones(2), '_data')"),
    "a module's table by pruning": (
        f"{_PRUNE}def look(value): print('ESCAPED', value)\nscan(torch.nn.Linear(1, 1), '_parameters')"
    ),
    "a bound method's object by pruning": (
        f"{_PRUNE}def look(value): print('ESCAPED', value)\nscan(torch.ones(2).numpy, '__func__')"
    ),
    "a layer patched by pruning": (
        f"{_METHOD}p._tensor_name = 'forward'\np(torch.nn.Linear, None)\nprint(torch.nn.Linear(1, 1)(torch.ones(1)))"
    ),
    "a name that changes while it is pruned": (
        "import torch\nfrom torch.nn.utils import prune\nnames = ['weight', '__class__', '__dict__']\n"
        "class P(prune.BasePruningMethod):\n    _tensor_name = property(lambda s: names.pop(0), lambda s, v: None)\n"
        "    def compute_mask(self, t, default_mask): return default_mask\n"
        "m = torch.nn.Linear(1, 1)\nP.apply(m, 'weight')(m, None)\nprint('ESCAPED', type(m))"
    ),
    "a method removed by pruning": (
        f"{_METHOD}p._tensor_name = 'reset_parameters'\ntry: p.remove(torch.nn.Linear)\nexcept Exception: pass\n"
        "try: torch.nn.Linear(1, 1)\nexcept Exception as e: print('ESCAPED', e)"
    ),
    "pruning an object that is no module": (
        f"{_METHOD}p._tensor_name = 'a'\np(torch.optim.SGD, None)\nprint('ESCAPED', torch.optim.SGD.a)"
    ),
    "a layer patched by a forged parametrization": (
        f"{_PARAMETRIZE}m.parametrizations = torch.nn.ModuleDict({{'z': P()}})\n"
        "parametrize.register_parametrization(m, 'bias', P())\n"
        "try: torch.nn.Linear(2, 2).bias\nexcept ZeroDivisionError: print('ESCAPED')"
    ),
    "a method removed by a forged parametrization": (
        f"{_PARAMETRIZE}m.parametrizations = torch.nn.ModuleDict({{'reset_parameters': P()}})\n"
        "try: parametrize.remove_parametrizations(m, 'reset_parameters', False)\nexcept Exception: pass\n"
        "try: torch.nn.Linear(1, 1)\nexcept AttributeError as e: print('ESCAPED', e)"
    ),
    "a parametrized tensor that is no module": (
        f"{_PARAMETRIZE}class Q(P):\n    def right_inverse(self, x): print('ESCAPED', x)\n"
        "parametrize.register_parametrization(torch.ones(2), '_data', Q())"
    ),
    "an object's table by a distribution": (
        "import torch\nfrom torch.distributions import Distribution\nclass C:\n    is_discrete, event_dim = False, 0\n"
        "    def check(self, v): print('ESCAPED', v)\nclass D(Distribution):\n    arg_constraints = {'__dict__': C()}\n"
        "D((), (), validate_args=True)"
    ),
    "Python's methods by a distribution": (
        "import torch\nfrom torch.distributions import Distribution\nclass C:\n    is_discrete, event_dim = False, 0\n"
        "    def check(self, v): print('ESCAPED', v)\nclass D(Distribution):\n"
        "    arg_constraints = {'__setattr__': C()}\nD((), (), validate_args=True)"
    ),
    "a function filled by a distribution": (
        "import torch\ntorch.distributions.Normal(0., 1.).expand((2,), _instance=torch.relu)\n"
        "print('ESCAPED', torch.relu.loc)"
    ),
}
_RATE = "import torch, copy\no = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)\n"
_RATE += "from torch.optim.lr_scheduler import LambdaLR, StepLR, CyclicLR\ns = LambdaLR(o, lambda e: 1.)\n"
_SCHEDULERS = {
    "a class's slots by a scheduler": (
        f"{_RATE}s.lr_lambdas = [torch.Tensor]\nprint('ESCAPED', s.state_dict()['lr_lambdas'][0]['_data'])"
    ),
    "a module's table by a scheduler": (
        f"{_RATE}s.lr_lambdas = [torch.nn.Linear(1, 1)]\nprint('ESCAPED', s.state_dict()['lr_lambdas'][0]['_modules'])"
    ),
    "a stream's innards by a scheduler": (
        f"{_RATE}import argparse\ns.lr_lambdas = [argparse.ArgumentParser()]\n"
        "print('ESCAPED', s.state_dict()['lr_lambdas'][0]['_real'])"
    ),
    "a module's table replaced by a scheduler": (
        f"{_RATE}m = torch.nn.Linear(1, 1)\ns.lr_lambdas = [m]\n"
        "s.load_state_dict({'lr_lambdas': [{'_parameters': {'weight': 5}}]})\n"
        "if type(m.weight) is int: print('ESCAPED')"
    ),
    "a state that answers differently the second time": (
        f"{_RATE}class D(dict):\n    n = 0\n    def items(self):\n        D.n += 1\n"
        "        return [('x', 1)] if D.n == 1 else [('__deepcopy__', lambda m: 'ESCAPED')]\n"
        "s = StepLR(o, 1)\ns.load_state_dict(D())\nprint(copy.deepcopy(s))"
    ),
    "attributes of a scale function as data": (
        f"{_RATE}class F:\n    def __call__(self, x): return 1.\nf = F()\n"
        "s = CyclicLR(o, 0.1, 1., cycle_momentum=False, scale_fn=f)\nd = s.state_dict()\n"
        "d['_scale_fn_custom'] = {'__deepcopy__': lambda m: 'ESCAPED'}\ns.load_state_dict(d)\nprint(copy.deepcopy(f))"
    ),
    "attributes of a rate function as data": (
        f"{_RATE}class F:\n    def __call__(self, x): return 1.\nf = F()\ns = LambdaLR(o, f)\nd = s.state_dict()\n"
        "d['lr_lambdas'] = [{'__deepcopy__': lambda m: 'ESCAPED'}]\ns.load_state_dict(d)\nprint(copy.deepcopy(f))"
    ),
    "names of weights that change": (
        "import torch\nclass N(list):\n    n = 0\n    def __iter__(self):\n        N.n += 1\n"
        "        return iter(['weight_ih_l0'] if N.n == 1 else ['__reduce_ex__'])\nclass L(torch.nn.LSTM): pass\n"
        "m = L(2, 2)\nm._flat_weights_names = N()\nm._flat_weights\nw = m._flat_weights\n"
        "if not isinstance(w[0], torch.Tensor): print('ESCAPED', w)"
    ),
}
_LIKE = "import copy, torch\nclass D(torch.distributions.Normal): pass\n"
_COPIED = {
    "a distribution that says how it is copied": (
        f"{_LIKE}got = []\nr = D(0.0, 1.0)._like((), None, **{{'__deepcopy__': got.append}})\n"
        "copy.deepcopy([torch.utils.data.DataLoader([1]), r])\nprint('ESCAPED', got)"
    ),
    "a distribution's copy patches a layer": (
        f"{_LIKE}L = torch.nn.Linear\ndef r(p): return (lambda: L, (), (None, {{'forward': 5}}))\n"
        "copy.copy(D(0.0, 1.0)._like((), None, **{'__reduce_ex__': r}))\nif L.forward == 5: print('ESCAPED')"
    ),
    "a module's table by lru_cache": (
        "import functools, torch\nm = torch.nn.Linear(2, 2)\nw = functools.lru_cache(m)\n"
        "w._parameters['weight'] = 5\nprint('ESCAPED', m.weight)"
    ),
    "a module's table by wraps": (
        "import functools, torch\nm = torch.nn.Linear(2, 2)\n@functools.wraps(m)\ndef f(): pass\n"
        "f._parameters['weight'] = 5\nprint('ESCAPED', m.weight)"
    ),
    "a module's table by contextmanager": (
        "import contextlib, torch\nm = torch.nn.Linear(2, 2)\nf = contextlib.contextmanager(m)\n"
        "f._parameters['weight'] = 5\nprint('ESCAPED', m.weight)"
    ),
    "a class's private functions by wraps": (
        "import functools, torch\n@functools.wraps(torch.Tensor)\ndef f(): pass\nprint('ESCAPED', f._data)"
    ),
    "a table by functools.cache": (
        "import functools, torch\nm = torch.nn.ReLU()\nf = functools.cache(m)\n"
        "f._forward_hooks[0] = 1\nprint('ESCAPED')"
    ),
}
_INNARDS = {
    "what a Function of one's own has saved": (
        "import torch\nclass F(torch.autograd.Function): pass\nf = F()\nf.save_for_backward(torch.ones(3))\n"
        "s = f.saved\nprint('ESCAPED', s[0].data)"
    ),
    "the node in a Function of one's own": (
        "import torch\nclass F(torch.autograd.Function): pass\nf = F()\nc = f._context\nprint('ESCAPED', c)"
    ),
    "the node's class in a Function's class": (
        "import torch\nclass F(torch.autograd.Function): pass\nprint('ESCAPED', F._backward_cls)"
    ),
    "the formula's functions in a Function's class": (
        "import torch\nclass F(torch.autograd.Function): pass\nprint('ESCAPED', F.row.forward)"
    ),
    "all that a Function's object holds": (
        "import torch\nclass F(torch.autograd.Function): pass\nf = F()\nf.save_for_backward(torch.ones(3))\n"
        "print('ESCAPED', list(f.saved_items()))"
    ),
    "a view of a buffer by a subclass": (
        "import io\nclass B(io.BytesIO): pass\nprint('ESCAPED', B(b'abc')._inner.getbuffer())"
    ),
    "the root of the loggers": "import logging\nprint('ESCAPED', logging.getLogger('x')._root)",
    "where a logger's text goes": "import logging\nprint('ESCAPED', logging.getLogger('x')._fallback._send)",
    "a path's text by a subclass": "import pathlib\nclass P(pathlib.Path): pass\nprint('ESCAPED', P('a')._text)",
    "another text in a path": (
        "import pathlib\nclass P(pathlib.Path): pass\np = P('a')\np._text = 5\nprint('ESCAPED', p)"
    ),
    "objects by an array that a type of number made": (
        "import numpy as np\nprint('ESCAPED', np.float64([1, 2]).astype('O'))"
    ),
    "running sums of objects in such an array": (
        "import numpy as np\nprint('ESCAPED', np.float64([1, 2]).cumsum(dtype='O'))"
    ),
    "a table of Enum by its name": "import enum\nclass E(enum.Enum): A = 1\nprint('ESCAPED', E.__members__)",
}
_STATES = {
    "memory behind NumPy's random state": (
        "import numpy as np\nnp.random.set_state(('MT19937', np.zeros(624, 'uint32'), 5000, 0, 0.))\n"
        "print('ESCAPED', np.random.randint(0, 99))"
    ),
    "memory far behind NumPy's random state": (
        "import numpy as np\nnp.random.set_state(('MT19937', np.zeros(624, 'uint32'), 2000000000, 0, 0.))\n"
        "print('ESCAPED', np.random.random())"
    ),
    "memory before NumPy's random state": (
        "import numpy as np\nnp.random.set_state(('MT19937', np.zeros(624, 'uint32'), -5000, 0, 0.))\n"
        "print('ESCAPED', np.random.random())"
    ),
    "the state of a generator of one's own": (
        "import numpy as np\nr = np.random.RandomState(1)\ns = r.get_state()\n"
        "r.set_state((s[0], s[1], 900, 0, 0.))\nprint('ESCAPED', r.random())"
    ),
    "a random state that is too short": (
        "import numpy as np\nnp.random.set_state(('MT19937', np.zeros(3, 'uint32'), 3, 0, 0.))\nprint('ESCAPED')"
    ),
    "Python's random state behind its end": (
        "import random\ns = random.getstate()\nrandom.setstate((3, s[1][:-1] + (10**9,), None))\nprint('ESCAPED')"
    ),
    "letters past those of a number": (
        "import numpy as np\na = np.array([1.5e300])\nfor each in (\n"
        "    lambda: np.array2string(a, precision=20000, floatmode='fixed'),\n"
        "    lambda: np.format_float_scientific(1.5, 20000, False),\n"
        "    lambda: np.format_float_scientific(1.5, precision=np.array(20000), unique=False),\n"
        "    lambda: (np.set_printoptions(precision=20000, floatmode='fixed'), str(a))[1],\n"
        "    lambda: np.array_repr(a, None, np.int64(20000)),\n"
        "):\n    try:\n        if len(each()) > 16384: print('ESCAPED')\n    except ValueError: pass"
    ),
    "torch's random state of ones": (
        "import torch\ntorch.set_rng_state(torch.full_like(torch.get_rng_state(), 255))\nprint('ESCAPED')"
    ),
}
_LIE = "import torch\nclass I(int):\n    def __eq__(self, o): return True\n    def __ne__(self, o): return False\n"
_LIE += "    def __lt__(self, o): return True\n    def __gt__(self, o): return True\n"
_LIE += "    def __ge__(self, o): return True\n    def __rsub__(self, o): return self\n    __hash__ = int.__hash__\n"
_CHANGING = "import torch\nclass E(float):\n    def __float__(self):\n        some.clear()\n        print('ESCAPED')\n"
_CHANGING += "        return 1.0\nsome = [E(1), E(2)]\n"
_NUMBERS = {
    "a number that answers with a list, which NumPy reads while it changes": (
        "import torch\nimport torch.nn.functional as F\nclass E(float):\n    def __float__(self):\n"
        "        some.clear()\n        print('ESCAPED')\n        return 1.0\nsome = [E(1), E(2)]\n"
        "class N(float):\n    __truediv__ = __rtruediv__ = __mul__ = __rmul__ = __neg__ = lambda s, *o: some\n"
        "x = torch.ones(2, 2)\n"
        "for f in (lambda: F.celu(x, N(0.5)), lambda: F.softshrink(x, N(0.5)), lambda: F.huber_loss(x, x + 1, "
        "delta=N(0.5))):\n    try: f()\n    except Exception as e: pass"
    ),
    "options of an optimizer that are lists, which NumPy reads while they change": (
        _CHANGING + "class N(float):\n    def __neg__(self): return some\n"
        "for key, value in (('lr', N(0.1)), ('momentum', some), ('weight_decay', some)):\n"
        "    p = torch.ones(2, requires_grad=True)\n    o = torch.optim.SGD([p], lr=0.1, momentum=0.9)\n"
        "    p.sum().backward()\n    o.step()\n    o.param_groups[0][key] = value\n"
        "    try: o.step()\n    except Exception as e: pass"
    ),
    "lists in place of numbers, which NumPy reads while they change": (
        _CHANGING + "import torch.nn.functional as F\np = torch.ones(2, 2, requires_grad=True)\n"
        "p.grad = torch.ones(2, 2)\nx = torch.ones(2, dtype=torch.float64, requires_grad=True)\n"
        "class A:\n    def __len__(self): return 1\n    def __getitem__(self, i): return [some][i]\n"
        "class M:\n    __mul__ = lambda s, o: some\n"
        "for v in (some, A()):\n    for f in (lambda: torch.nn.init.orthogonal_(torch.ones(2, 2), v),"
        "lambda: torch.nn.utils.clip_grad_norm_([p], v), lambda: torch.testing.assert_close(p, p, rtol=0.0, atol=v),"
        "lambda: torch.amp.GradScaler('cpu', init_scale=v).scale(p),"
        "lambda: torch.autograd.gradcheck(lambda t: t * t, (x,), atol=v), lambda: F.layer_norm(p, (2,), eps=v),"
        "lambda: F.embedding(torch.tensor([1]), p.detach(), max_norm=[[[v]]]),"
        "lambda: F.batch_norm(p, x, x, training=True, momentum=M())):\n"
        "        some[:] = [E(1), E(2)]\n        try: f()\n        except Exception as e: pass"
    ),
    "a factor of a sparse product that answers with a bytearray": (
        "import torch\nb, m = bytearray(b'abc'), torch.ones(2, 2)\nclass N(float):\n    def __mul__(s, o): return b\n"
        "t = torch.sparse.addmm(m, m.to_sparse(), m, beta=0, alpha=N(2))\nt.fill_(7)\n"
        "if b[0] == 7: print('ESCAPED', t)"
    ),
    "steps that change while they are read": (
        "import torch\nclass T(tuple):\n    n = 0\n    def __iter__(self):\n        T.n += 1\n"
        "        return iter((1,) if T.n < 3 else (10**6,))\n"
        "y = torch.arange(6.).as_strided((2,), T((1,)))\nif y.stride(0) > 9: print('ESCAPED', y)"
    ),
    "steps of a copy that change while they are read": (
        "import torch\nclass T(tuple):\n    n = 0\n    def __iter__(self):\n        T.n += 1\n"
        "        return iter((1,) if T.n < 5 else (10**5,))\n"
        "y = torch.as_strided_scatter(torch.zeros(6), torch.ones(2), (2,), T((1,)))\n"
        "if T.n > 4: print('ESCAPED', y)"
    ),
    "memory behind a diagonal": (
        f"{_LIE}y = torch.ones(3, 3).diagonal(I(1000))\nif len(y) > 9: print('ESCAPED', y.sum())"
    ),
    "memory behind an expanded tensor": (
        f"{_LIE}y = torch.ones(2, 3).t().expand(3, I(1000))\nif y.numel() > 9: print('ESCAPED', y.sum())"
    ),
    "a dtype's class as a base": (
        "import torch\nclass D(type(torch.float32)):\n    def __init__(self): self.np = 'O'\nprint('ESCAPED', D())"
    ),
    "a dtype of objects": (
        "import torch\nd = type(torch.float32)('float32', 'O', 2, 'Float')\nprint('ESCAPED', torch.zeros(3, dtype=d))"
    ),
    "a batch kept for later": (
        "import torch\ns = []\ntorch.vmap(lambda x: (s.append(x), x)[1])(torch.ones(3))\n"
        "print('ESCAPED', s[0].numpy().phys)"
    ),
}

NAMES_AS_DATA: list[Attack] = [
    *listed("Found: names kept in an object", _NAMES_IN_OBJECTS),
    *listed("Found: names as data of PyTorch's functions", _NAMES_AS_DATA),
    *listed("Found: the state of a scheduler", _SCHEDULERS),
    *listed("Found: what a copy takes along", _COPIED),
    *listed("Found: innards of a class of one's own", _INNARDS),
    *listed("Found: random states and long numbers", _STATES),
    *listed("Found: numbers that lie about memory", _NUMBERS),
]
