"""What an eighteenth attack tried, by fresh eyes: what wraps a class or an object and takes its attributes along, which
was open, and classes that answer for attributes beside those of PyTorch and Python that can't; and methods and
properties of classes that the snippet's own borrow, which passed NumPy's objects to them."""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

_GRAPH = (
    "import functools, contextlib, torch, numpy as np\nfrom torch import nn\n"
    "class F(torch.autograd.Function):\n    @staticmethod\n"
    "    def forward(ctx, x): ctx.save_for_backward(x); return x * 2\n    @staticmethod\n"
    "    def backward(ctx, g): return g\n"
    "x = torch.ones(3, requires_grad=True)\ny, z = (x * x).exp(), F.apply(x)\nhandle = x.register_hook(lambda g: g)\n"
)
_WRAPPED = (
    "def found(wrap, thing, names):\n    try: made = wrap(thing)\n    except (TypeError, AttributeError): return\n"
    "    for name in names.split():\n"
    "        if hasattr(made, name): print('ESCAPED', thing, name, getattr(made, name))\n"
    "THINGS = [(type(y.grad_fn), 'row plan'), (type(z.grad_fn), 'row'), (torch.autograd.Function, 'row apply'),\n"
    "          (F, 'row'), (torch.autograd.function.FunctionCtx, 'apply saved_items'), (handle, 'hooks'),\n"
    "          (torch.autograd.graph.Node, 'saved_items release'), (torch.dtype, 'np cpp'), (np.ndarray, 'base'),\n"
    "          (torch.Generator, 'state_bytes raw64'), (y.grad_fn, 'saved next'), (z.grad_fn, 'saved next')]\n"
    "for thing, names in THINGS: found({wrap}, thing, names)"
)
_WRAPS = {
    "functools.cache": "functools.cache",
    "lru_cache": "functools.lru_cache(maxsize=3)",
    "contextmanager": "contextlib.contextmanager",
    "no_grad": "torch.no_grad()",
    "inference_mode": "torch.inference_mode()",
    "vmap": "torch.func.vmap",
    "grad": "torch.func.grad",
    "jacrev": "torch.func.jacrev",
    "once_differentiable": "torch.autograd.function.once_differentiable",
    "autocast": "torch.amp.autocast('cpu')",
    "lazy_property": "torch.distributions.utils.lazy_property",
}
_SAVED = {
    "memory of a node by a function of its class": (
        "kept = functools.cache(torch.autograd.function.FunctionCtx)\n"
        "try: items = list(kept.saved_items(z.grad_fn))\nexcept AttributeError: items = ()\n"
        "def mine(thing): return thing\nfor each in (part for item in items for part in item):\n"
        "    try: mine(each)\n    except TypeError as error: print('ESCAPED', error)\n"
        "if items: print('ESCAPED', len(items))"
    ),
}
_BESIDE = {
    "a __getattr__ from a class beside a Function or an Enum": (
        "import enum, torch, wandb\nfrom torch import nn\nclass M:\n    def __getattr__(self, name): return print\n"
        "class N(M): pass\nclass O(nn.Module): pass\nfor base in (torch.autograd.Function, enum.Enum, enum.IntEnum):\n"
        "    for other in (type(wandb.config), nn.Module, O, *((M, N) if base is torch.autograd.Function else ())):\n"
        "        for bases in ((other, base), (base, other)):\n"
        "            try:\n                class A(*bases): pass\n                print('ESCAPED', bases)\n"
        "            except TypeError: pass"
    ),
}
_BORROWED = {
    "the property of a drawn set asks for another type": (
        "from torchvision import datasets\ngot = []\ndef mine(thing): return thing\nclass L:\n    astype = got.append\n"
        "    def __getitem__(self, key): return self\n    def __len__(self): return 3\n"
        "for each in (datasets.MNIST.targets, datasets.MNIST.train_labels, datasets.FashionMNIST.targets):\n"
        "    class A:\n        read, _targets, _pictures, _labels, _passes = each, None, None, L(), 1\n"
        "    try: A().read\n    except TypeError: pass\nfor each in got:\n    try: mine(each)\n"
        "    except TypeError as error: print('ESCAPED', error)"
    ),
    "brackets of a place pass the names of columns": (
        "import pandas as pd\ngot = {}\nd = pd.DataFrame({'a': [1]})\ndef mine(thing): return thing\n"
        "class O: _index, _columns = 1, ['a']\nclass A:\n    _of, _read = O(), got.setdefault\n"
        "    __getitem__ = type(d.iloc).__getitem__\n"
        "try: A()[0, 'a']\nexcept (TypeError, IndexError): pass\n"
        "for each in got.values():\n    try: mine(each)\n    except TypeError as error: print('ESCAPED', error)"
    ),
}
_TOLD = "def mine(thing): return thing\nfor each in list(got.values()):\n    try: mine(each)\n"
_TOLD += "    except TypeError as error: print('ESCAPED', error)\n"
_KEPT = "from gymnasium import spaces\nfrom torchvision import datasets\nimport enum\ngot = {}\n"
_KINDS = (
    "KINDS = [(datasets.MNIST, ('x',), '_labels _pool _targets'), (datasets.CIFAR10, ('x',), '_labels _pool'),\n"
    "    (spaces.Box, (-1.0, 1.0, (2,)), '_high _low _source'), (spaces.Discrete, (3,), '_source'),\n"
    "    (spaces.MultiDiscrete, ([3, 2],), '_bounds _source')]\n"
    "for base, given, names in KINDS:\n    for name in names.split():\n        try:\n"
)
_READ = "            got[name] = getattr(made['A'](*given), name)\n        except (TypeError, AttributeError): pass\n"
_REPLACED = {
    "properties that are dicts": _KEPT + _KINDS + "            made = {}\n"
    "            names = {'base': base, 'got': got}\n"
    "            exec(f'class A(base): {name} = property(got.get, got.__setitem__)', names, made)\n"
    "            made['A'](*given)\n        except TypeError: pass\n" + _TOLD,
    "slots of the same names": _KEPT + _KINDS + "            made = {}\n"
    "            exec(f'class A(base): __slots__ = ({name!r},)', {'base': base}, made)\n" + _READ + _TOLD,
    "plain values of the same names": _KEPT + _KINDS + "            made = {}\n"
    "            exec(f'class A(base): {name} = None', {'base': base}, made)\n" + _READ + _TOLD,
    "methods of the same names": _KEPT + _KINDS + "            made = {}\n"
    "            exec(f'class A(base):\\n    def {name}(self): pass', {'base': base}, made)\n" + _READ + _TOLD,
    "what answers in their place": _KEPT + "list_of = []\nclass L:\n"
    "    astype = list_of.append\n    def __getitem__(self, key): return self\n    def __len__(self): return 3\n"
    "def made():\n    class A(datasets.MNIST):\n"
    "        _labels, _passes, _few_now = L(), 0, 3\n"
    "        _targets = _pictures = None\n        train = True\n        def __init__(self): pass\n    return A()\n"
    "try: made().targets\nexcept (TypeError, AttributeError): pass\ngot.update(enumerate(list_of))\n" + _TOLD,
    "properties put there later": _KEPT + _KINDS + "            class A(base): pass\n"
    "            setattr(A, name, property(got.get, got.__setitem__))\n            A(*given)\n"
    "        except (TypeError, AttributeError): pass\n" + _TOLD,
    "properties of an Enum": _KEPT + "def of_discrete():\n    class E(spaces.Discrete, enum.Enum):\n"
    "        _source = property(got.get, got.__setitem__)\n        A = 3\n"
    "def of_box():\n    class E(spaces.Box, enum.Enum):\n        _high = property(got.get, got.__setitem__)\n"
    "        A = (-1.0, 1.0, (2,))\nfor each in (of_discrete, of_box):\n    try: each()\n    except TypeError: pass\n"
    + _TOLD,
}
_WRITTEN = {
    "a module's tables, written to": (
        "import torch\nfrom torch import nn\n"
        "class E:\n    def __eq__(self, other): other['late'] = 3; return True\n    __hash__ = None\n"
        "net, kinds = nn.Linear(2, 2), ('_modules', '_parameters', '_buffers', '_forward_hooks', '_backward_hooks')\n"
        "for kind in kinds:\n    table = getattr(net, kind)\n    for act in (lambda: table.__setitem__('x', print), "
        "lambda: table.update(x=net.__init__), lambda: table.update({'y': 3}), lambda: table.setdefault('x', 3), "
        "lambda: table == E(), lambda: table.pop('weight'), lambda: table.clear(), lambda: table.__ior__({'x': 3})):\n"
        "        try: act()\n        except (TypeError, AttributeError): pass\n"
        "    for name in ('x', 'y', 'late'):\n        if name in getattr(net, kind): print('ESCAPED', kind, name)\n"
        "class N(nn.Module):\n    def __init__(self): pass\n"
        "net._modules['n'] = N()\nnet._parameters['_data'] = net._buffers['__dict__'] = torch.ones(2)\n"
        "for name in ('_data', '__dict__', '__globals__'):\n    try: print('ESCAPED', getattr(net, name).keys())\n"
        "    except AttributeError: pass\n"
        "for act in (net.state_dict, lambda: list(net.named_modules()), lambda: net(torch.ones(1, 2)), net.double, "
        "lambda: torch.optim.SGD(net.parameters(), 0.1), lambda: repr(net)):\n    try: act()\n"
        "    except (AttributeError, TypeError, RuntimeError): pass"
    ),
    "maps, sizes and pictures that lie": (
        "import numpy as np, seaborn as sns, torchvision.io as io, torchvision.transforms as t\nfrom PIL import Image\n"
        "def mine(thing): return thing\ndef look(thing):\n    try: mine(thing)\n"
        "    except TypeError as error: print('ESCAPED', error)\n"
        "class L(str):\n    def __format__(self, form): look(form); return 'x'\n"
        "    def endswith(self, end): look(end); return True\n"
        "class D:\n    shape = (2, 2)\n    def __init__(self): self.columns = self.index = [L('a'), self]\n"
        "    def __len__(self): return 2\n"
        "    def __getitem__(self, key): look(key); return [[1.0, 2.0], [3.0, 4.0]][key]\n"
        "    def __str__(self): return L('b')\n    def __getattr__(self, name): look(name); return self\n"
        "    def text(self, *given, **more): [look(each) for each in (*given, *more.values())]\n"
        "    imshow = set_xticks = set_yticks = text\n"
        "image = Image.new('L', (3, 4))\nfor act in (lambda: sns.heatmap(D(), annot=D(), fmt=L('d')), "
        "lambda: sns.heatmap(np.ones((2, 2)), annot=True, ax=D()), lambda: sns.heatmap(D(), ax=D(), cmap=L('x')), "
        "lambda: sns.heatmap(np.ones((2, 2)), vmin=D(), xticklabels=D()), lambda: image.resize((2, 2), L('q')), "
        "lambda: image.resize(D(), 2), lambda: image.resize((2, 2), D()), lambda: t.Resize(2, L('bilinear'))(image), "
        "lambda: image.resize((10 ** 6, 10 ** 6)), lambda: t.Resize((2, 2), antialias=D())(image), "
        "lambda: io.read_image(L('/etc/hosts'), D())):\n    try: look(act())\n"
        "    except (TypeError, ValueError, AttributeError, KeyError, OSError, RuntimeError): pass"
    ),
}
_SQUARE = "import torch, numpy as np\np = torch.ones(3, requires_grad=True)\ngot = []\n"
_ASKED = (
    "found = O([p]).look({'variance': torch.ones(3)}, np.ones(3, 'f4'), 0.5, 0.1)\n"
    "try: (lambda thing: thing)(found)\nexcept TypeError as error: print('ESCAPED', error)"
)
_BOUND = (  # a function of C code keeps what a function of the snippet would look at
    "import functools, torch, numpy as np\nfrom gymnasium.spaces import Box\ngot = []\n"
    "keep = functools.partial(max, key=got.append)\n"
)
_KEPT = (
    "except TypeError: pass\nfor each in got[1]:\n    try: (lambda thing: thing)(each)\n"
    "    except TypeError as error: print('ESCAPED', error)"
)
_RETURNED = {
    "the length that a search along a line finds": (
        "import torch\nx = torch.nn.Parameter(torch.tensor([2.0, 3.0]))\ndef mine(thing): return thing\n"
        "class L(torch.optim.LBFGS):\n    def _search(self, *given):\n        found = super()._search(*given)\n"
        "        for each in found:\n            try: mine(each)\n"
        "            except TypeError as error: print('ESCAPED', error)\n        return found\n"
        "o = L([x], line_search_fn='strong_wolfe')\ndef loss():\n    o.zero_grad()\n"
        "    made = (x**4).sum() + (x[0] * x[1]).exp() / 1000\n"
        "    made.backward()\n    return made\nfor _ in range(3): o.step(loss)"
    ),
    "the length that an optimizer keeps of a search": (
        "import torch\ntorch.manual_seed(9)\nx = torch.nn.Parameter(torch.randn(2) * 3)\n"
        "def mine(thing): return thing\n"
        "o = torch.optim.LBFGS([x], lr=float(torch.rand(1)) * 3, line_search_fn='strong_wolfe', max_iter=1)\n"
        "def loss():\n    o.zero_grad()\n    made = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2\n"
        "    made.backward()\n    return made\nfor _ in range(4):\n    o.step(loss)\n"
        "    try: mine(o.state[x]['t'])\n    except TypeError as error: print('ESCAPED', error)"
    ),
    "any attribute by the names of what a transform shows": (
        "import torchvision\nclass T(torchvision.transforms.Pad): pass\nt = T(1)\n"
        "for name in ('__dict__', '_buffers'):\n    try: t._shown = (name,)\n    except AttributeError: continue\n"
        "    if name in repr(t): print('ESCAPED', repr(t)[:40])"
    ),
    "the mean square of a gradient": (
        f"{_SQUARE}class O(torch.optim.Adafactor):\n"
        f"    def look(self, *given): return self._mean_square(*given)\n{_ASKED}"
    ),
    "the mean square of a gradient by super()": (
        f"{_SQUARE}class O(torch.optim.Adafactor):\n    def look(self, *given): return super()._mean_square(*given)\n"
        f"    def _mean_square(self, *given): return self.look(*given)\n{_ASKED}"
    ),
    "defaults of a function in place of a forward": (
        f"{_BOUND}np.save('a.npy', np.zeros(4))\nclass F(torch.autograd.Function):\n"
        "    forward, setup_context = staticmethod(np.memmap), staticmethod(keep)\n"
        f"try: F.apply('a.npy', mode='r')\n{_KEPT}"
    ),
    "defaults of a class in place of a forward": (
        f"{_BOUND}class F(torch.autograd.Function):\n    forward, setup_context = Box, staticmethod(keep)\n"
        f"try: F.apply(0.0, 1.0)\n{_KEPT}"
    ),
}

_UNMADE = (  # what lies in the class of an Enum in place of a member until that is made
    "import dataclasses, torch, warnings, numpy as np\nfrom enum import Enum\nkept = []\nclass F: pass\nf = F()\n"
    "class E(Enum):\n    A = 1\n    B = {value}\n    def __init__(self, *given):\n"
    "        if given == (1,): kept.append(type(self).B)\n{decorated}class X:\n"
    "    _new_member_ = staticmethod(lambda cls: {kind})\n    _member_type_, _use_args_ = object, False\n"
    "    _member_names_, _member_map_, _value2member_map_ = [], {}, {}\n    a: object = {member}\n"
)
_CONTEXT, _MODULES = "type(warnings.catch_warnings())", "print('ESCAPED', vars(f)['_module'].sys.modules)"


def _unmade(kind: str, then: str, value: str = "(f,)", member: str = "kept[0]", decorated: str = "") -> str:
    """Let one initialize an object of another class."""
    parts = {"kind": kind, "value": value, "member": member, "decorated": decorated}
    source = _UNMADE
    for name, text in parts.items():
        source = source.replace(f"{{{name}}}", text)
    return source + then


_MADE = {
    "the real modules by a context": _unmade(_CONTEXT, _MODULES),
    "the real modules by a default of a dataclass": _unmade(
        _CONTEXT, _MODULES, member="dataclasses.field(default=kept[0])", decorated="@dataclasses.dataclass\n"
    ),
    "the real modules by the class of such a member": _unmade(
        _CONTEXT, _MODULES, value="2", member="type(kept[0])((f,))"
    ),
    "such a member by every way to its class": (
        "import operator\nfrom enum import Enum\nkept = []\nclass M: pass\nclass E(M, Enum):\n    A = 1\n    B = 2\n"
        "    def __init__(self, v):\n        asked = [lambda: self.B, lambda: type(self).B, lambda: super().B,\n"
        "                 lambda: getattr(type(self), 'B'), lambda: operator.attrgetter('B')(self)]\n"
        "        for ask in asked if v == 1 else ():\n            try: kept.append(ask())\n"
        "            except AttributeError: pass\n"
        "for each in kept:\n    if not isinstance(each, E): print('ESCAPED', each)"
    ),
}

_SHARED = (  # one field for two classes, of which the second one gives it another name
    "import copy, torch, dataclasses\nfrom dataclasses import dataclass, field, fields, replace\nfrom torch import nn\n"
    "from gymnasium.spaces import Discrete\nfrom torchvision import datasets\nf = field(default={default})\n"
    "plain = dict(init=False, repr=False, eq=False)\nclass A({base}):\n    x: object = f\n{inside}"
    "A = dataclass(**plain)(A)\nclass B: {name}: object = {field}\nB = dataclass(B)\n"
)
_HEIR = (
    "@dataclass(**plain)\nclass C(A): y: int = 0\nmatch {made}:\n    case C(a, b):\n"
    "        if a is not None: print('ESCAPED', a)"
)


def _shared(base: str, name: str, then: str = _HEIR, made: str = "", **parts: str) -> str:
    """Let a field of a class get another name."""
    source = _SHARED + then
    given = {"default": "None", "inside": "", "field": "f", **parts, "base": base, "name": name, "made": made}
    for key, text in given.items():
        source = source.replace(f"{{{key}}}", text)
    return source


_AT_WORK = "    z: object = classmethod(property(lambda cls: dataclass(B) and None))\n"  # B is another class by then
_RENAMED = {
    "labels of a drawn set": _shared("datasets.MNIST", "_labels", made="C('data', download=True)"),
    "the generator of a space": _shared("Discrete", "_source", made="C(3)"),
    "the tables of a module": _shared("nn.Linear", "_parameters", made="C(2, 2)"),
    "a field of fields()": _shared("Discrete", "_source", made="C(3)", field="fields(A)[0]"),
    "a table that replace hands on": _shared(
        "nn.Linear",
        "_parameters",
        "replace(A())",
        inside="    def __init__(self, **given):\n        if any(given.values()): print('ESCAPED', given)\n"
        "        super().__init__(2, 2)\n",
    ),
    "while the class is made": (
        "from dataclasses import dataclass, field\nfrom gymnasium.spaces import Discrete\nf = field(default=7)\n"
        f"class B: _source: object = f\nclass A(Discrete):\n    x: object = f\n{_AT_WORK}"
        "A = dataclass(init=False, repr=False, eq=False)(A)\n"
        "match A(3):\n    case A(a, b) if a != 7: print('ESCAPED', a)"
    ),
    "what a copy sets": (
        "import copy\nfrom torch import nn\nfrom dataclasses import dataclass, field\nf = field(default=None)\n"
        "class A(nn.Module):\n    x: object = f\nA = dataclass(frozen=True, slots=True, eq=False, repr=False)(A)\n"
        "class B: _modules: object = f\nB = dataclass(B)\na = A(5)\ntry: copy.copy(a)\n"
        "except AttributeError as e: print('ESCAPED', e)"
    ),
}

_LATE = (  # a class whose heir is there before it gets fields
    "import functools, operator\nfrom dataclasses import dataclass, field\nfrom gymnasium.spaces import Box, Discrete\n"
    "from torchvision import datasets\nfrom torch import nn\nplain = dict(init=False, repr=False, eq=False)\n"
    "found = {}\nkeeps = property(None, functools.partial(operator.setitem, found))\n"
)
_TOLD = "\nmatch {}:\n    case P(a): print('ESCAPED', a)"
_MEANWHILE = (
    "made = []\ndef work(cls):\n    class D({}, Discrete): pass\n    made.append(D)\nclass P:\n    _source: object\n"
    "    z: object = classmethod(property(work))\nclass Q(P): pass\ntry: P = dataclass(**plain)(P)\n"
    "except TypeError: pass\nfor D in made:\n    match D(3):\n        case P(a): print('ESCAPED', a)"
)
_BESIDE_IT = {
    "fields of a base after its heir": (
        f"{_LATE}class P: _source: object\nclass D(P, Discrete): pass\nP = dataclass(**plain)(P){_TOLD.format('D(3)')}"
    ),
    "fields with slots after its heir": (
        f"{_LATE}class P: _source: object = None\nclass D(P, Discrete): pass\ndataclass(slots=True, **plain)(P)"
        f"{_TOLD.format('D(3)')}"
    ),
    "fields of a base after the heir that is a module": (
        f"{_LATE}class P: _parameters: object\nclass D(P, nn.Linear): pass\nP = dataclass(**plain)(P)"
        f"{_TOLD.format('D(2, 2)')}"
    ),
    "an heir while the fields are made": _LATE + _MEANWHILE.format("P"),
    "an heir of an heir while the fields are made": _LATE + _MEANWHILE.format("Q"),
    "an heir while the fields are made, after another try that fails": (
        f"{_LATE}made = []\ndef work(cls):\n    made.append(0)\n    if len(made) == 2: raise ValueError\n"
        "    try: dataclass(P)\n    except (ValueError, TypeError): pass\n    class D(P, Discrete): pass\n"
        "    made.append(D)\nclass P:\n    _source: object\n    z: object = classmethod(property(work))\n"
        "try: P = dataclass(**plain)(P)\nexcept TypeError: pass\n"
        "for D in made:\n    if D:\n        match D(3):\n            case P(a): print('ESCAPED', a)"
    ),
    "an heir by the truth of a field": (
        f"{_LATE}made = []\nclass Yes:\n    def __bool__(self):\n        class D(P, Discrete): pass\n"
        "        made.append(D)\n        return True\nclass B: x = field(default=None, kw_only=Yes())\n"
        "class P(B):\n    _source: object\n    x: object\ntry: P = dataclass(**plain)(P)\nexcept TypeError: pass\n"
        "for D in made:\n    match D(3):\n        case P(a): print('ESCAPED', a)"
    ),
    "a property of a base beside": (
        f"{_LATE}class P: _low = keeps\nclass D(P, Box): pass\nD(0.0, 1.0, (2,))\nif found: print('ESCAPED', found)"
    ),
    "a property of a base beside, later": (
        f"{_LATE}class P: pass\nclass D(P, Box): pass\nP._low = keeps\nD(0.0, 1.0, (2,))\n"
        "if found: print('ESCAPED', found)"
    ),
    "a property of a base of a base beside, later": (
        f"{_LATE}class P: pass\nclass Q(P): pass\nclass D(Q, Box): pass\nsetattr(P, '_high', keeps)\n"
        "D(0.0, 1.0, (2,))\nif found: print('ESCAPED', found)"
    ),
    "a property of a base beside a drawn set": (
        f"{_LATE}class P: _labels = keeps\nclass D(P, datasets.MNIST): pass\ntry: D('data', download=True)\n"
        "except AttributeError: pass\nif found: print('ESCAPED', found)"
    ),
}

_ADDED = {  # methods of a dataclass, on things of another kind
    "__init__ on a class of PyTorch's": (
        "import torch\nfrom dataclasses import dataclass\n@dataclass\nclass A: forward: object\n"
        "try: A.__init__(torch.nn.Linear, lambda self, x: 'ESCAPED')\n"
        "except (TypeError, AttributeError): pass\nprint(torch.nn.Linear(1, 1)(torch.ones(1)))"
    ),
    "__init__ of a frozen one on a class of PyTorch's": (
        "import torch\nfrom dataclasses import dataclass\n@dataclass(frozen=True)\nclass A: forward: object\n"
        "try: A.__init__(torch.nn.Linear, lambda self, x: 'ESCAPED')\n"
        "except (TypeError, AttributeError): pass\nprint(torch.nn.Linear(1, 1)(torch.ones(1)))"
    ),
    "__repr__ of a tensor": (
        "import torch\nfrom dataclasses import dataclass\n@dataclass\nclass A: _version_of: object\n"
        "@dataclass\nclass B:\n    _saved: object\n    data: object\n    obj: object\n    captured: object\n"
        "node = (torch.ones(1, requires_grad=True) * 2).grad_fn\n"
        "node, other = ((torch.ones(1, requires_grad=True) * 2).grad_fn for _ in 'ab')\n"
        "ones = [torch.ones(1) for _ in 'ab']\n"
        "for one, two in (ones, (node, other), [each.numpy() for each in ones]):\n"
        "    for act in (lambda x, y: B.__repr__(x), B.__eq__):\n"
        "        try: print('ESCAPED', act(one, two))\n        except AttributeError: pass"
    ),
    "__repr__ of an Enum with such a value, of another one": (
        "import enum, torch\nfrom dataclasses import dataclass\n@dataclass\nclass D:\n    obj: int\n"
        "@dataclass\nclass S:\n    saved: int\nclass A(D, enum.Enum): one = 1\nclass B(S, enum.Enum): one = 1\n"
        "try: (1).nothing\nexcept AttributeError as error: A.one._value_ = error\n"
        "B.one._value_ = (torch.ones(1, requires_grad=True) * 2).grad_fn\n"
        "for each in (A.one, B.one):\n"
        "    try: print('ESCAPED', repr(each))\n    except AttributeError: pass"
    ),
    "what sets attributes of a frozen one": (
        "set_it = object.__setattr__\nfor name in ('func', 'args', 'keywords', '__self__', '__closure__'):\n"
        "    try: print('ESCAPED', getattr(set_it, name))\n    except AttributeError: pass"
    ),
    "a field that is an expression": (
        "import dataclasses\nField = type(dataclasses.field())\n"
        "f = Field(3, dataclasses.MISSING, True, True, None, True, None, False)\n"
        "class A: x: int = f\nf.name = 'x=print(\"ESCAPED\")'\nprint(dataclasses.dataclass(A)())"
    ),
}

WRAPPERS_AND_ATTRIBUTES: list[Attack] = [
    *listed(
        "Found: what wraps a class or an object",
        {name: _GRAPH + _WRAPPED.replace("{wrap}", wrap) for name, wrap in _WRAPS.items()}
        | {name: _GRAPH + source for name, source in _SAVED.items()},
    ),
    *listed("Classes that answer", _BESIDE),
    *listed("Found: methods and properties of offered classes", _BORROWED),
    *listed("Found: in place of what an offered class keeps", _REPLACED),
    *listed("Names of code and methods", _WRITTEN),
    *listed("Found: what PyTorch's own methods return", _RETURNED),
    *listed("Found: members of an Enum before they are made", _MADE),
    *listed("Found: fields that get another name", _RENAMED),
    *listed("Found: bases beside an offered class", _BESIDE_IT),
    *listed("Methods that @dataclass adds", _ADDED),
]
