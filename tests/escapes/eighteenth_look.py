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
        "    for other in (M, N, type(wandb.config), nn.Module, O):\n"
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

EIGHTEENTH: list[Attack] = [
    *listed(
        "Found: what wraps a class or an object",
        {name: _GRAPH + _WRAPPED.replace("{wrap}", wrap) for name, wrap in _WRAPS.items()}
        | {name: _GRAPH + source for name, source in _SAVED.items()},
    ),
    *listed("Classes that answer", _BESIDE),
    *listed("Found: methods and properties of offered classes", _BORROWED),
    *listed("Found: in place of what an offered class keeps", _REPLACED),
]
