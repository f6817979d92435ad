"""What a seventeenth attack tried, on what was opened last: `__getattr__` in classes of one's own, tables of pandas,
drawn data sets whose pictures are replaced, hooks of registration and what nodes show. What got NumPy's own objects is
under *Found*: columns of two dimensions and of types, and errors that hold a text of NumPy's."""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

_T = "import pandas as pd, numpy as np\ndef mine(thing): return thing\n"
_TAKEN = (
    "for act in acts:\n    try: mine(act())\n"
    "    except (TypeError, ValueError, AttributeError, KeyError, IndexError) as error:\n"
    "        if 'belongs to GradViz' in str(error): print('ESCAPED', error)\n"
    "        for part in (*error.args, getattr(error, 'object', 0), error.__context__, error.__cause__):\n"
    "            try: mine(part)\n            except TypeError: print('ESCAPED', part)\n"
)
_NUMPYS = {
    "columns of two dimensions": (
        "s, f = pd.Series([1, 2]), pd.Series([1., float('nan')])\nd = pd.DataFrame({'a': [1, 2]}, index=['x', 'x'])\n"
        "acts = [lambda: (s + np.ones((3, 1))).iloc[0], lambda: (s * np.ones((2, 2, 2))).loc[0], lambda: list((s + "
        "np.ones((2, 1))).iloc[:1]),\n"
        "        lambda: f.fillna(np.ones((3, 1))).iloc[0], lambda: s.loc[[[0, 1], [1, 0]]].iloc[0],\n"
        "        lambda: d.a.loc[['x']].iloc[0], lambda: d.a.loc[['x', 'x']].iloc[1], lambda: d.loc[[['x'], ['x']]]."
        "iloc[0].iloc[0],\n"
        "        lambda: pd.DataFrame({'a': [1]}).loc[np.ones((1, 1), bool)].iloc[0].iloc[0]]\n"
    ),
    "columns of types": (
        "s, f, t = pd.Series([1, 2]), pd.Series([1., float('nan')]), pd.Series(['a', '%s'])\n"
        "d = pd.DataFrame({'a': [1, 2]})\nacts = []\n"
        "for thing in (np.dtype('f4'), np.float32, [np.dtype('f4'), 1], [np.int64, None], ...):\n"
        "    for act in (lambda thing: f.fillna(thing).tolist(), lambda thing: f.fillna(thing).iloc[1],\n"
        "                lambda thing: pd.DataFrame({'a': f}).fillna(thing).a.tolist(), lambda thing: (t % thing)."
        "tolist(),\n"
        "                lambda thing: s.loc[[thing]], lambda thing: d.loc[0, [thing]], lambda thing: "
        "d.drop([thing]),\n"
        "                lambda thing: s.map({1: thing}).tolist(), lambda thing: (s + thing).tolist(), lambda thing: "
        "(s == thing).tolist(),\n"
        "                lambda thing: d.rename(columns={'a': thing}).columns[0], lambda thing: pd.DataFrame([{'a': "
        "thing}]).a.tolist()):\n"
        "        acts.append(lambda act=act, thing=thing: act(thing))\n"
    ),
    "errors of encoding": (
        "u, b = np.array(['\\xe9']), np.zeros(1, 'S5')\ns, d = pd.Series(['\\xe9']), pd.DataFrame({'a': ['\\xe9']})\n"
        "acts = [lambda: u.astype('S'), lambda: np.array(u, dtype='S'), lambda: np.array([u[0]], dtype='S'), lambda: "
        "u[0].astype('S'),\n"
        "        lambda: b.fill(u[0]), lambda: np.copyto(b, u, casting='unsafe'), lambda: np.full(2, u[0], 'S3'), "
        "lambda: np.put(b, [0], u),\n"
        "        lambda: b.__setitem__(0, u[0]), lambda: b.flat.__setitem__(slice(None), u), lambda: s.astype('S'), "
        "lambda: s.to_numpy('S'),\n"
        "        lambda: d.astype('S'), lambda: d.to_numpy('S'), lambda: np.bytes_(u[0]), lambda: np.putmask(b, "
        "[True], u),\n"
        "        lambda: np.place(b, [True], u)]\n"
    ),
}
_ANSWERS = (
    "got = []\nclass A:\n    def __getattr__(self, name): got.append(name); return lambda *a, **k: got.append(a)\n"
)
_OF_CLASSES = {
    "private names that a class is asked for": (
        "import numpy as np, copy, enum, json, operator, pickle\n" + _ANSWERS + "a = A()\nclass B(A): pass\n"
        "for act in (np.array, np.asarray, np.sum, np.shape, torch.tensor, torch.as_tensor, torch.stack, copy.copy, "
        "copy.deepcopy, pickle.dumps,\n"
        "            json.dumps, len, iter, dict, repr, hash, bool, float, operator.index, "
        "torch.utils.data.DataLoader, "
        "nn.Sequential,\n"
        "            torch.func.vmap, lambda a: np.ones(2) + a, lambda a: torch.ones(2) + a, lambda a: torch.save(a, "
        "'x'), lambda a: print(*a),\n"
        "            lambda a: getattr(a, '_data'), lambda a: A.__getattr__(a, '_x'), lambda a: int.__getattr__(a, "
        "'__array_interface__'),\n"
        "            lambda a: B.__getattr__(B(), '_node'), lambda a: super(B, B()).__getattr__('__class__')):\n"
        "    try: act(a)\n    except (TypeError, ValueError, AttributeError, RuntimeError, KeyError): pass\n"
        "class E(enum.Enum):\n    x = 1\n    def __getattr__(self, name): got.append(name)\n"
        "E(1).name, list(E), E.x, E.x.value, E.x.y, repr(E.x), E.x == 1, hash(E.x), copy.copy(E.x), E.x in E\n"
        "if [each for each in got if type(each) is str and each[0] == '_']: print('ESCAPED', got)"
    ),
    "__getattr__ of other classes by name": (
        "import typing, numpy as np\nx = torch.ones(1, requires_grad=True) * 2\n"
        "class F(torch.autograd.Function): pass\n"
        "class M(nn.Module): pass\nfor thing in (x.grad_fn, F(), np.ones(2), np.dtype('f4'), typing.List[np.float32], "
        "torch, np, x, M()):\n"
        "    for kind in (object, int, nn.Module, type(thing), torch.autograd.Function):\n"
        "        for name in ('saved', 'row', 'plan', 'captured', 'base', 'data', 'fields', 'mro', 'np', 'core', "
        "'_user', '_context', '_to_save', '__dict__'):\n"
        "            try: found = kind.__getattr__(thing, name)\n            except AttributeError: continue\n"
        "            if found is not None and 'Module' not in repr(kind): print('ESCAPED', kind, thing, name, found)"
    ),
    "a __getattr__ that comes from a class beside": (
        "import enum\nclass M:\n    def __getattr__(self, name): return print\n"
        "for base in (torch.Tensor, nn.Parameter, torch.optim.SGD, torch.optim.Optimizer):\n"
        "    for bases in ((M, base), (base, M)):\n"
        "        try: print('ESCAPED', type('A', bases, {}))\n        except TypeError: pass\n"
        "        try:\n            class A(*bases): pass\n            print('ESCAPED', A)\n        except "
        "TypeError: pass"
    ),
}
_FAKES = {
    "what a registered fake is given": (
        "from torch.nn.modules import module\nclass F:\n    _tag = _version = _requires_grad = 1\n"
        "    _parameters = _modules = _buffers = {}\n"
        "    def __getattr__(self, name): return lambda *a, **k: (mine(*a, **k), self)[1]\n"
        "def mine(*a, **k): return a\nclass N(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.w = nn.Parameter(torch.ones(2))\n        self.register_buffer('b', torch.ones(2))\n"
        "        self.c = nn.ReLU()\nfake = F()\n"
        "for kind in ('parameter', 'buffer', 'module'):\n"
        "    hook = getattr(module, f'register_module_{kind}_registration_hook')(lambda m, n, v: fake)\n"
        "    for act in (lambda m: m.double(), lambda m: m.zero_grad(), lambda m: m.state_dict(), lambda m: "
        "m.to('cpu'),\n"
        "                lambda m: m.load_state_dict({'w': torch.ones(2), 'b': torch.ones(2)}), lambda m: "
        "m.requires_grad_(False),\n"
        "                lambda m: m._apply(lambda t: t), lambda m: torch.optim.SGD(m.parameters(), lr=.1).step(), "
        "lambda m: m.train()):\n"
        "        try: act(N())\n        except (AttributeError, TypeError, KeyError, ValueError, RuntimeError) as "
        "error:\n            if 'belongs to GradViz' in str(error): print('ESCAPED', error)\n    hook.remove()\n"
        "for each in vars(fake).values(): mine(each)"
    ),
}
_SETS = {
    "data sets whose pictures act": (
        "from torchvision import datasets\nimport numpy as np\n"
        "class L(list):\n    def __getitem__(self, key): mine(key); return K()\n    def __len__(self): return 10 ** 9\n"
        "class K:\n    def __int__(self): return 10 ** 30\n    def __index__(self): return -5\n"
        "def mine(thing):\n    if type(thing) is not int: print('ESCAPED', type(thing))\n"
        "for make in (datasets.MNIST, datasets.CIFAR10):\n    s = make('.', train=False)\n"
        "    for name in ('data', 'targets', '_pictures', '_labels', '_pool', '_few_now'):\n"
        "        for value in (L([1]), [K()] * 9, torch.ones(1).expand(10 ** 9, 28, 28), np.array(5), "
        "torch.ones(3, 2, 2, 2, 2), None, {}):\n"
        "            try: setattr(s, name, value); s[0], s[-1], len(s)\n"
        "            except (TypeError, ValueError, AttributeError, IndexError, OverflowError, RuntimeError): pass\n"
        "            if name[0] == '_' and hasattr(s, name): print('ESCAPED', name)"
    ),
}
_NODES = {
    "what nodes show of what they were given": (
        "import numpy as np\nw = torch.rand(4, 4, requires_grad=True)\nclass I:\n    def __index__(self): return 0\n"
        "class L(list): pass\nfor act in (lambda: w.sum(I()), lambda: w.permute(L([1, 0])), lambda: w[np.int64(0)], "
        "lambda: w.to(np.float64),\n"
        "            lambda: w.clamp(np.float32(0)), lambda: w.flip(np.int64(0)), lambda: w.sum(dtype=np.float64), "
        "lambda: torch.norm(w, np.float32(2)),\n"
        "            lambda: w[np.array([0])], lambda: w.cumsum(np.int64(0)), lambda: w.expand(np.array([4, 4])), "
        "lambda: w.round(decimals=np.int64(1))):\n"
        "    try: node = act().grad_fn\n    except (TypeError, RuntimeError, AttributeError): continue\n"
        "    for name in dir(node):\n        try: mine(getattr(node, name))\n"
        "        except TypeError as error: print('ESCAPED', name, error)\n        except (RuntimeError, "
        "AttributeError): pass"
    ),
}
_SIZES = {
    "a header of one name": (
        "import pandas as pd\nopen('a.csv', 'w').write(','.join(['a'] * 20_000))\nprint(pd.read_csv('a.csv').shape)"
    ),
    "a range of ten to the eleven": (
        "import pandas as pd\ntry: print('ESCAPED', len(pd.Series(range(10 ** 11))))\nexcept MemoryError: pass"
    ),
}
_MINE = "import torch\nfrom torch import nn\ndef mine(thing): return thing\n"

PANDAS_AND_DATA_SETS: list[Attack] = [
    *listed(
        "Found: NumPy's own objects by tables and errors",
        {name: _T + source + _TAKEN for name, source in _NUMPYS.items()},
    ),
    *listed("Classes that answer", {name: _MINE + source for name, source in _OF_CLASSES.items()}),
    *listed("Objects that act", {name: _MINE + source for name, source in (_FAKES | _SETS).items()}),
    *listed("Private names of PyTorch's objects", {name: _MINE + source for name, source in _NODES.items()}),
    *listed("Stand-ins: pandas", _SIZES),
]
