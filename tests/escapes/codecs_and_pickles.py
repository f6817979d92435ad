"""What a sixteenth attack tried, on what was opened last: encodings by their names, plain pickles, a worker that is
prepared without the collector, what plots return, methods shown without brackets, made sets, and once more functions
that call what they are given. All of it held."""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

_CODECS = {
    "encodings that are modules": (
        "for name in ('aliases', 'encodings.aliases', 'os', '..', '.', '__init__', 'hex', 'rot13', 'gbk', 'idna.os',\n"
        "             'encodings', 'uu', 'charmap.py', 'undefined_', 'SECRET'):\n"
        "    for act in (lambda: 'ab'.encode(name), lambda: b'ab'.decode(name), lambda: bytes('ab', name)):\n"
        "        try: print('ESCAPED', name, act())\n        except LookupError: pass"
    ),
    "a text that takes part in its encoding": (
        "got = []\nclass Part:\n    def __len__(self): return 3\n    def __add__(self, other): got.append(other)\n"
        "    __radd__ = __eq__ = __contains__ = __getitem__ = __add__\n    __hash__ = None\n"
        "class S(str):\n    def encode(self, *given): got.extend(given); return Part()\n"
        "    def __iter__(self): return iter([Part(), 'a'])\n    def split(self, *given): return [Part()]\n"
        "    def __getitem__(self, key): got.append(key); return Part()\n    lower = split\n"
        "for name in ('idna', 'punycode', 'utf_7', 'cp1251', 'unicode_escape', 'utf_8_sig'):\n"
        "    try: str.encode(S('a.b\\u0451'), name)\n"
        "    except (UnicodeError, TypeError, AttributeError): pass\n"
        "if [each for each in got if type(each) not in (str, int, slice, bytes)]: print('ESCAPED', got)"
    ),
    "what an error of decoding holds": (
        "for name in ('idna', 'punycode', 'unicode_escape', 'utf_7', 'utf_16', 'cp1252', 'utf_8_sig', 'ascii'):\n"
        "    try: bytearray(b'xn--\\xff\\xff9999999999').decode(name)\n    except UnicodeError as error:\n"
        "        parts = [*error.args, getattr(error, 'object', b'')]\n"
        "        if error.__cause__ is not None: parts += error.__cause__.args\n"
        "        if [each for each in parts if type(each) not in (str, bytes, int)]: print('ESCAPED', parts)"
    ),
}
_PICKLES = {
    "pickles that find, make or change something": (
        "import pickle\nfor data in (b\"cbuiltins\\nprint\\n(S'ESCAPED'\\ntR.\", b\"(S'ESCAPED'\\nibuiltins\\n"
        'print\\n.",\n'
        "             b'\\x80\\x04\\x8c\\x08builtins\\x8c\\x05print\\x93\\x8c\\x07ESCAPED\\x85R.', "
        "b'\\x80\\x02\\x82\\x01.',\n"
        "             b'Pid\\n.', b'NQ.', b'\\x80\\x05\\x97.', b']}b.', b']N\\x81.', b']\\x94](h\\x00e\\x91.'):\n"
        "    try: found = pickle.loads(data)\n"
        "    except (pickle.UnpicklingError, AttributeError, TypeError): continue\n"
        "    print('ESCAPED', type(found))"
    ),
    "a file whose bytes lie": (
        "import pickle\nclass S(bytes):\n    def startswith(self, *given): return True\n"
        "    def __len__(self): return 0\n    def __getitem__(self, key): return b'c'\n"
        "    def __add__(self, other): print('ESCAPED', other); return other\n    __radd__ = __add__\n"
        "class F:\n    def __init__(self, *parts): self.parts = list(parts)\n"
        "    def read(self, *given): return self.parts.pop(0) if self.parts else b''\n"
        "    def seek(self, *given): print('ESCAPED' if type(given[0]) is not int else '')\n"
        "for parts in ((S(b'N.'),), (b'N.', S(b'xxx')), (S(b'GradViz object            0\\n'),)):\n"
        "    try: pickle.load(F(*parts))\n    except (pickle.UnpicklingError, TypeError): pass"
    ),
    "a number in other digits": (
        "import pickle\nclass K: pass\nmark = pickle.dumps(K())\n"
        "for other in (mark.replace(b' 0', b'-0'), mark.replace(b'  0', b' 0_'), mark.replace(b' 0\\n', b'+0\\n'),\n"
        "              mark.replace(b'   0', b' 0  '), mark.replace(b'  0', '\\u0660'.encode().rjust(3)), "
        "mark + b'.'):\n"
        "    try: print('ESCAPED', pickle.loads(other))\n    except pickle.UnpicklingError: pass"
    ),
}
_PREPARED = {
    "what the collector never follows": (
        "import gc\nfor name in ('get_objects', 'unfreeze', 'freeze', 'get_referrers', 'get_referents', 'callbacks',\n"
        "             'garbage', 'set_debug', 'get_freeze_count', 'get_stats'):\n"
        "    try: found = getattr(gc, name)\n    except AttributeError: continue\n    print('ESCAPED', name, found)"
    ),
}
_T = "import torch\n"
_SHOWN = {
    "where the thing of a method lies": (
        "from torch import nn\nx = torch.ones(1)\n"
        "for text in (repr(x.item), repr(x.sum), str(nn.Parameter(x).add), f'{x.mul}', '%r' % [x.T.exp]):\n"
        "    for rest in text.split('0x')[1:]:\n"
        "        if int(rest[:12].strip('>]'), 16) > 2 ** 44: print('ESCAPED', text)"
    ),
    "a method of PyTorch with another's thing": (
        "import types\nfor thing in (5, torch, types, print, [1], torch.float32):\n"
        "    for method in (torch.Tensor.item, torch.Tensor.backward, torch.Tensor.storage):\n"
        "        try: text = repr(types.MethodType(method, thing))\n"
        "        except (AttributeError, TypeError): continue\n"
        "        if 'gradviz' in text or 'ndarray' in text: print('ESCAPED', text)"
    ),
}
_PLOTS = {
    "what plots return, by its private names": (
        "import matplotlib.pyplot as plt, operator\n"
        "things = [plt.plot([1, 2])[0], plt.imshow([[1, 2]]), plt.title('a'), plt.legend(), plt.bar([1], [2]),\n"
        "          plt.gca(), plt.gcf(), plt.contour([[1, 2], [3, 4]]), plt.quiver([1], [1], [1], [1])]\n"
        "for thing in things:\n"
        "    for name in ('_layers', '_axes', '_figure', '_pen', '_held', '_place', '_text', '_changed', '_owner'):\n"
        "        for read in (getattr, lambda t, n: operator.attrgetter(n)(t), lambda t, n: getattr(type(t), n),\n"
        "                     lambda t, n: ('{0.' + n + '}').format(t), lambda t, n: setattr(t, n, 1)):\n"
        "            try: print('ESCAPED', read(thing, name))\n            except (AttributeError, TypeError): pass"
    ),
    "methods of what plots return": (
        "import matplotlib.pyplot as plt, torch\nclass A: pass\na = A()\na._layers = a._axes = a._text = [torch]\n"
        "for T, names in ((type(plt.imshow([[1, 2]])), ('get_clim', 'set_clim')), (type(plt.gca()), ('get_xlim',)),\n"
        "                 (type(plt.text(0, 0, 'x')), ('get_text',))):\n"
        "    for name in names:\n        for thing in (a, torch, 5):\n"
        "            try: print('ESCAPED', getattr(T, name)(thing))\n"
        "            except (AttributeError, TypeError): pass"
    ),
}
_SETS = {
    "sets made by numbers that act": (
        "from sklearn.datasets import make_blobs, make_classification, make_regression\nimport numpy as np\n"
        "def mine(thing): return type(thing)\nclass N:\n    __float__ = (2.).__abs__\n"
        "    def __index__(self): return 3\n    def __len__(self): return 2\n"
        "    def __getitem__(self, key): mine(key); return [1., 2.][key]\n"
        "    def __mul__(self, other): print('ESCAPED' if 'gradviz' in repr(mine(other)) else ''); return 1.\n"
        "    __rmul__ = __add__ = __radd__ = __sub__ = __rsub__ = __lt__ = __gt__ = __mul__\n"
        "for make in (make_blobs, make_classification, make_regression):\n"
        "    for name in ('centers', 'cluster_std', 'center_box', 'bias', 'noise', 'weights', 'shift', 'scale', "
        "'class_sep'):\n"
        "        for value in (N(), [N(), N()], (N(), 1.)):\n"
        "            try: found = make(20, **{name: value})\n            except (TypeError, ValueError): continue\n"
        "            if type(found[0]) is not np.ndarray: print('ESCAPED', found)"
    ),
}
_ERRORS = {
    "an error of syntax in a file": (
        "import traceback\nfor line in (1, 2, 0, -1, 2 ** 40):\n"
        "    error = SyntaxError('x', ('SECRET', line, 1, None, line, 3))\n"
        "    print(traceback.format_exception_only(type(error), error), error)\n"
        "    try: raise error\n    except SyntaxError: print(traceback.format_exc())\n"
        "raise SyntaxError('x', ('SECRET', 1, 1, None))"
    ),
    "parts of a group that act": (
        "class G(ExceptionGroup):\n    def derive(self, parts): look(parts); return self\n"
        "class E(Exception):\n    def __eq__(self, other): look(other); return True\n    __hash__ = None\n"
        "    def __bool__(self): return False\ndef look(thing):\n"
        "    if type(thing) not in (list, E, ValueError, G): print('ESCAPED', type(thing))\n"
        "class C:\n    def __call__(self, error): look(error); return self\n    def __bool__(self): return True\n"
        "g = G('a', [E(), ValueError(1), G('b', [E()])])\n"
        "for act in (lambda: g.split(E), lambda: g.split(C()), lambda: g.subgroup(C()), "
        "lambda: g.subgroup(lambda e: e),\n"
        "            lambda: ExceptionGroup.derive(print, [1]), lambda: BaseExceptionGroup.split(g, C())):\n"
        "    try: act()\n    except TypeError: pass"
    ),
}
_ACTING = {
    "callbacks that are Python's own methods": (
        "import numpy as np\ngot = []\ndef mine(thing): return thing\nx = torch.arange(3.)\n"
        "class C:\n    __call__ = append = write = got.append\n    __getitem__ = {}.get\n    __len__ = [1, 2].__len__\n"
        "for call in (x.apply_, lambda c: x.map_(x, c), lambda c: torch.func.vmap(c)(x), "
        "lambda c: torch.func.grad(c)(x),\n"
        "             lambda c: torch.func.jacrev(c)(x), lambda c: torch.nn.Linear(1, 1).apply(c),\n"
        "             lambda c: torch.nn.Linear(1, 1)._apply(c), lambda c: np.apply_along_axis(c, 0, "
        "np.ones((2, 2))),\n"
        "             lambda c: np.vectorize(c)(np.ones(2)), lambda c: np.fromfunction(c, (2, 2)),\n"
        "             lambda c: list(torch.utils.data.DataLoader([1, 2], collate_fn=c)),\n"
        "             lambda c: np.piecewise(np.ones(2), [np.ones(2) > 0], [c]), lambda c: np.save(c, np.ones(2))):\n"
        "    for c in (got.append, C(), got.extend):\n        try: call(c)\n"
        "        except (TypeError, ValueError, AttributeError, RuntimeError): pass\n"
        "for each in got:\n    try: mine(each)\n    except TypeError as error: print('ESCAPED', error)"
    ),
    "numbers that take away what out= writes to": (
        "class I:\n    def __index__(self): o.resize_(1); o.set_(torch.zeros(1)); return 1\n"
        "    def __float__(self): o.resize_(0); return 1.\nx = torch.arange(200.).view(2, 100)\n"
        "for act in (lambda: torch.add(x, x, alpha=I(), out=o), lambda: torch.cumsum(x, I(), out=o),\n"
        "            lambda: torch.cat([x, x], I(), out=o), lambda: torch.full((2, 100), I(), out=o),\n"
        "            lambda: torch.addmm(o, x[:, :2], x, beta=I(), alpha=I(), out=o), lambda: torch.lerp(x, x, "
        "I(), out=o),\n"
        "            lambda: torch.linspace(I(), I(), 200, out=o), lambda: o.add_(x, alpha=I()), "
        "lambda: o.renorm_(I(), 0, I()),\n"
        "            lambda: o.index_fill_(I(), torch.tensor([0]), I()), lambda: o.diagonal(0, 0, I()).fill_(I()),\n"
        "            lambda: o.unfold(I(), 3, I()).mul_(2), lambda: o.roll(I(), I()), lambda: o.clamp_(I(), I())):\n"
        "    o = torch.full((2, 100), 7.)\n    kept = o.view(-1)\n    try: act()\n"
        "    except (RuntimeError, TypeError, IndexError): pass\n"
        "    if not (kept.abs() <= 1e6).all(): print('ESCAPED', kept)"
    ),
    "gradients whose memory goes": (
        "for act in (lambda g: g.resize_(0), lambda g: g.set_(torch.zeros(0)), lambda g: g.resize_(10 ** 4),\n"
        "            lambda g: g.expand(3, 3), lambda g: torch.ones(10 ** 4), lambda g: g.as_strided((3,), (2,))):\n"
        "    class F(torch.autograd.Function):\n        @staticmethod\n        def forward(ctx, x): return x.view(-1)\n"
        "        @staticmethod\n        def backward(ctx, g): return act(g)\n"
        "    x = torch.ones(3, requires_grad=True)\n    y = x * 1\n    y.register_hook(lambda g: g)\n"
        "    try: F.apply(y).sum().backward()\n    except (RuntimeError, ValueError): continue\n"
        "    if x.grad is not None and (len(x.grad) != 3 or (x.grad.abs() > 9).any()): print('ESCAPED', x.grad)"
    ),
    "names of parts that are others when they are split": (
        "from torch import nn\nclass S(str):\n    def split(self, *given): return ['_modules', '__class__']\n"
        "    def rpartition(self, *given): return ('_parameters', '.', '__dict__')\n    partition = rpartition\n"
        "    def rsplit(self, *given): return ['__init__', '__globals__']\n"
        "    def startswith(self, *given): return True\n"
        "m = nn.Sequential(nn.Linear(1, 1))\n"
        "for name in (S('0.weight'), '0.__class__', '_modules', '0.forward.__func__'):\n"
        "    for act in (m.get_submodule, m.get_parameter, m.get_buffer, lambda n: m.set_submodule(n, nn.ReLU()),\n"
        "                lambda n: torch.func.functional_call(m, {n: torch.ones(1, 1)}, torch.ones(1)),\n"
        "                lambda n: nn.utils.parametrizations.spectral_norm(m[0], n)):\n"
        "        try: found = act(name)\n        except (AttributeError, KeyError, RuntimeError, TypeError, "
        "ValueError): continue\n"
        "        if not isinstance(found, (nn.Module, torch.Tensor, type(None))): print('ESCAPED', found)"
    ),
    "an argument that empties its bytearray": (
        "class I:\n    def __init__(self, value): self.value = value\n"
        "    def __index__(self): b.clear(); new.append(bytes([7]) * 5000); return self.value\nnew = []\n"
        "for act in (lambda: b.insert(I(0), 97), lambda: b.pop(I(-1)), lambda: b * I(2), "
        "lambda: b.replace(b'a', b'b', I(9)),\n"
        "            lambda: b.split(b'c', I(3)), lambda: b.ljust(I(9)), lambda: b.zfill(I(9)), "
        "lambda: b.expandtabs(I(4)),\n"
        "            lambda: b[I(4)], lambda: b[I(5):I(9)], lambda: b.translate(None), lambda: b.splitlines(I(1))):\n"
        "    b = bytearray(b'a' * 5000)\n    try: found = act()\n"
        "    except (IndexError, ValueError, TypeError): continue\n"
        "    if 7 in (found if type(found) is bytearray else b): print('ESCAPED', act)"
    ),
    "a generator that is ended by what it waits for": (
        "class W:\n    def __iter__(self): return self\n    def __next__(self): return 1\n"
        "    def throw(self, *given): got.extend(given); return next(held[0])\n"
        "    def close(self): held.clear(); raise KeyError\n"
        "def g():\n    try: yield from W()\n    except Exception as error: got.append(error); yield error\n"
        "held, got = [], []\nfor _ in range(50):\n    each = g()\n    held.append(each)\n    next(each)\n"
        "    for act in (lambda: each.throw(ValueError), lambda: each.throw(ValueError('a')), "
        "lambda: each.send(1), each.close):\n"
        "        try: act()\n        except (ValueError, KeyError, IndexError, StopIteration, AttributeError): pass\n"
        "if [e for e in got if not (isinstance(e, Exception) or e is ValueError)]: print('ESCAPED', got)"
    ),
}
_WAVE = "def getregentry(): print('ESCAPED')"

CODECS_AND_PICKLES: list[Attack] = [
    *listed("Encodings", _CODECS),
    Attack(
        "Encodings", "an attached package of encodings",
        "import importlib\nfor name in ('encodings', 'encodings.gbk', 'encodings.wave', 'codecs'):\n"
        "    try: importlib.import_module(name)\n    except ImportError: pass\n"
        "for name in ('wave', 'gbk', 'encodings.wave'):\n"
        "    try: print('ESCAPED', 'x'.encode(name))\n    except LookupError: pass",
        files=(("encodings/__init__.py", "x = 1"), ("encodings/wave.py", _WAVE), ("encodings/gbk.py", _WAVE)),
    ),
    *listed("Plain pickles", _PICKLES),
    *listed("The prepared worker", _PREPARED),
    *listed("What shows as it does in Python", {name: _T + source for name, source in _SHOWN.items()} | _PLOTS),
    *listed("Stand-ins: sklearn", _SETS),
    *listed("Errors and what they hold", {name: _T + source for name, source in _ERRORS.items()}),
    *listed("Objects that act", {name: _T + source for name, source in _ACTING.items()}),
]  # fmt: skip
