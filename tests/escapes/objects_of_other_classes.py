"""Doors that a fifth attack found: methods and `__init__` called with objects of other classes, attributes that the
engine sets on what it is given or what a method of that answers, a class that a decorator changes, addresses in a
table, a parser over a spy."""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

_FILLED = "class F: pass\nf = F()\n"
_INSIDE = {
    "the real warnings by a context": (
        f"import warnings\n{_FILLED}type(warnings.catch_warnings()).__init__(f)\n"
        "print('ESCAPED', list(vars(f)['_module'].sys.modules)[:3])"
    ),
    "a file by the real modules": (
        f"import warnings\n{_FILLED}type(warnings.catch_warnings()).__init__(f)\n"
        "print('ESCAPED', vars(f)['_module'].sys.modules['io'].open('SECRET').read())"
    ),
    "the source of NumPy's numbers": (
        "import torch\nclass F:\n    def manual_seed(self, seed): pass\nf = F()\ntorch.Generator.__init__(f)\n"
        "print('ESCAPED', vars(f)['_bits'].ctypes.state_address)"
    ),
    "a dtype of NumPy's own": f"import numpy as np\n{_FILLED}np.dtype.__init__(f, 'f4')\nprint('ESCAPED', vars(f))",
    "a dtype of NumPy's own by finfo": (
        "import numpy as np\ngot = []\nclass F:\n    def _real(self, kind): got.append(kind)\n"
        "np.finfo.__init__(F(), 'f4')\nprint('ESCAPED', got[0].type)"
    ),
    "NumPy's own array by flat": (
        f"import numpy as np\n{_FILLED}type(np.ones(1).flat).__init__(f, np.ones(2))\n"
        "print('ESCAPED', type(vars(f)['_array'])((1,), 'O'))"
    ),
    "a view into a buffer's memory": (
        f"import io\n{_FILLED}io.BytesIO.__init__(f, b'x')\nprint('ESCAPED', vars(f)['_inner'].getbuffer())"
    ),
    "an `__init__` by getattr": (
        f"import warnings\n{_FILLED}getattr(type(warnings.catch_warnings()), '__init__')(f)\nprint('ESCAPED', vars(f))"
    ),
    "an `__init__` in a class of one's own": (
        "import warnings\nclass F: __init__ = type(warnings.catch_warnings()).__init__\nprint('ESCAPED', vars(F()))"
    ),
}
_DATA = (
    "import torch\nclass F:\n    data = torch.Tensor.data\n"
    "    _requires_grad, _accumulator, _coo, _inference, _on_meta, _tag = False, None, None, False, False, 0\n"
    "    def _share_version(self): pass\n    def __getattr__(self, name):\n        print('ESCAPED', name)\n"
    "        raise AttributeError(name)\n"
    "class M(torch.overrides.TorchFunctionMode):\n"
    "    def __torch_function__(self, f, types, args=(), kwargs=None): return f(*args, **(kwargs or {}))\n"
    "def give():\n    f = F()\n    try: f.data = torch.ones(3)\n    except (AttributeError, TypeError): pass\n"
    "    if '_data' in vars(f): print('ESCAPED', type(vars(f)['_data'])((1,), 'O'))\n"
)
_GIVEN = {
    "NumPy's own array by a parameter without a shape": (
        f"import torch\n{_FILLED}F.cls_to_become = F\n"
        "torch.nn.UninitializedParameter.materialize(f, (3,), dtype=torch.float32)\n"
        "print('ESCAPED', type(vars(f)['_data'])((1,), 'O'))"
    ),
    "NumPy's own array by a buffer without a shape": (
        f"import torch\n{_FILLED}F.cls_to_become = F\n"
        "torch.nn.parameter.UninitializedBuffer.materialize(f, (3,), dtype=torch.float32)\n"
        "print('ESCAPED', type(vars(f)['_data'])((1,), 'O'))"
    ),
    "NumPy's own array by the data of a tensor": f"{_DATA}give()",
    "NumPy's own array by the data of a tensor under a mode": f"{_DATA}with M(): give()",
    "NumPy's own array by the data of a tensor after a mode": (
        f"{_DATA}with M(): torch.ones(1)\nF.data = torch.Tensor.data\ngive()"
    ),
    "NumPy's own array by the data that a mode has put there": (f"{_DATA}with M(): F.data = torch.Tensor.data\ngive()"),
    "a tensor's memory in an object by a call of a module": (
        "import torch\nclass F:\n    _parameters, _buffers = {}, {}\n    def get_submodule(self, path): return self\n"
        "    def __call__(self): print('ESCAPED', vars(self)['_data'])\n"
        "torch.func.functional_call(F(), {'_data': torch.ones(1)}, (), tie_weights=False)"
    ),
    "a tensor's memory in a module by a call of it": (
        "import torch\nclass M(torch.nn.Module):\n    def forward(self): print('ESCAPED')\n"
        "torch.func.functional_call(M(), {'_data': torch.ones(1)}, ())"
    ),
    "an array by the brackets of flat": (
        "import numpy as np\nheld = {}\nclass A: flat = held\nclass F: _array = A()\n"
        "type(np.ones(1).flat).__setitem__(F(), 0, np.ones(2))\nprint('ESCAPED', type(held[0])((1,), 'O'))"
    ),
}
_CHAIN = "import torch, collections\nX = collections.ChainMap\n"
_LEFT = "\nif hasattr(X, 'NAME'): print('ESCAPED', X.NAME)"
_WRITES = (
    "try:\n    torch.autograd.function.FunctionCtx.{}\n    print('ESCAPED')\nexcept (TypeError, AttributeError): pass"
)


def _left(name: str, source: str) -> str:
    return f"{_CHAIN}try:\n    {source}\nexcept (TypeError, AttributeError): pass{_LEFT.replace('NAME', name)}"


_PUT = {
    "by a module": (
        f"{_CHAIN}class M:\n    _parameters, _buffers = {{'a': X}}, {{}}\n    def children(self): return []\n"
        f"try: torch.nn.Module._apply(M(), lambda x: 5)\nexcept (TypeError, AttributeError): pass"
        f"{_LEFT.replace('NAME', 'data')}"
    ),
    "by a mask that is removed": (
        f"{_CHAIN}class W: data = 5\nclass M(torch.nn.utils.prune.BasePruningMethod):\n    _tensor_name = 'x'\n"
        "    def apply_mask(self, module): return W()\n"
        "class F: _parameters, _buffers = {'x_orig': X}, {'x_mask': 1}\n"
        f"try: M().remove(F())\nexcept TypeError: pass{_LEFT.replace('NAME', 'data')}"
    ),
    "by the inverse of a parametrization": (
        f"{_CHAIN}class N:\n    _base = None\n    def detach(self): return 5\nclass M:\n"
        "    def right_inverse(self, value): return N()\nclass F:\n    is_tensor, original = True, X\n"
        "    def __len__(self): return 1\n    def __getitem__(self, i): return M()\n"
        "    def __iter__(self): return iter([M()])\n"
        "try: torch.nn.utils.parametrize.ParametrizationList.right_inverse(F(), 1)\nexcept TypeError: pass"
        f"{_LEFT.replace('NAME', 'data')}"
    ),
    "by the inverse of a parametrization of one's own": (
        f"{_CHAIN}class P(torch.nn.Module):\n    def forward(self, x): return x\n"
        "    def right_inverse(self, x): return x\nlayer = torch.nn.Linear(2, 2)\n"
        "torch.nn.utils.parametrize.register_parametrization(layer, 'weight', P())\n"
        "held = layer.parametrizations.weight\ndel held.original\nheld.original = X\n"
        "try: held.right_inverse(torch.ones(2, 2))\nexcept (TypeError, AttributeError): pass"
        f"{_LEFT.replace('NAME', 'data')}"
    ),
    "by a custom function's context": _CHAIN + _WRITES.format("save_for_backward(X, 5)"),  # under a private name
    "by a custom function's inputs": _CHAIN + _WRITES.format("mark_dirty(X, 5)"),
    "by a context without gradients": _left("previous", "torch.no_grad.__enter__(X)"),
    "by a context that looks for anomalies": _left("previous", "torch.autograd.detect_anomaly.__enter__(X)"),
    "by a context that converts": (
        f"{_CHAIN}class C(torch.autograd.function.FunctionCtx): pass\ngot = []\nclass F:\n    pass\nf = F()\n"
        "try: torch.amp.custom_fwd(lambda *a: 5, device_type='cpu')(f)\nexcept TypeError: pass\n"
        "if vars(f): print('ESCAPED', vars(f))"
    ),
    "by an iterator of groups": (
        "import itertools, torch\ntry: itertools.groupby.__next__(torch.nn.Linear)\n"
        "except (TypeError, AttributeError): pass\nclass M(torch.nn.Linear): pass\n"
        "try: print('ESCAPED', M._group)\nexcept AttributeError: pass\n"
        "try: itertools.groupby.__next__(itertools.groupby)\nexcept TypeError: pass\n"
        "if not list(itertools.groupby('a')): print('ESCAPED')"
    ),
    "by the mode of training": _left("training", "torch.nn.Module.train(X)"),
    "any name by an argument's action": (
        "import argparse, collections\ngot = []\nclass R:\n"
        "    def add_argument(self, *a, **k): got.append(k['action'])\nclass F: _real = R()\n"
        "type(argparse.ArgumentParser()).add_argument(F(), '--x', action='BooleanOptionalAction')\n"
        "got[0](['--x'], '__missing__')(None, collections.ChainMap, None, '--x')\n"
        "print('ESCAPED', collections.ChainMap.__missing__)"
    ),
    "any name by a parser that is made over a spy": (
        "import argparse\ngot = []\nclass R:\n    def add_argument(self, *a, **k): got.append(k['action'])\n"
        "p = type(argparse.ArgumentParser())(R(), print, argparse.Namespace, str)\n"
        "p.add_argument('--x', action='BooleanOptionalAction')\nprint('ESCAPED', got)"
    ),
    "`__init__` by a decorator": (f"{_CHAIN}torch.no_grad.__call__(lambda init: lambda *a: print('ESCAPED'), X)\nX()"),
    "`__init__` of a random source by a decorator": (
        "import torch, random\ntorch.no_grad()(random.Random)\nprint('ESCAPED')"
    ),
    "`__init__` of arrays by a decorator": "import torch, numpy as np\ntorch.no_grad(np.ndarray)\nprint('ESCAPED')",
    "`__init__` of a stand-in by a decorator": (
        "import torch, math\ntorch.inference_mode()(type(math))\nprint('ESCAPED')"
    ),
}
_TOLD = {
    "addresses of tensors in a table": (
        "import torch\nx = torch.ones(2, requires_grad=True)\n"
        "with torch.autograd.graph.allow_mutation_on_saved_tensors() as known:\n    (x * x).sum()\n"
        "    if any(n > 9999 for key in known.sid_to_tid for n in key): print('ESCAPED', dict(known.sid_to_tid))"
    ),
    "addresses of tensors in names of handles": (
        "import torch\nx = torch.ones(2, requires_grad=True)\n"
        "with torch.autograd.graph.allow_mutation_on_saved_tensors() as known:\n    y = (x * x).sum()\n"
        "    if any(n > 9999 for key in known.tid_to_weakhandle for n in key): print('ESCAPED')"
    ),
    "a table of textwrap's": (
        "import textwrap\nclass T:\n    def expandtabs(self, size): return self\n"
        "    def translate(self, table): print('ESCAPED', table)\ntextwrap.wrap(T())"
    ),
    "the real namespace of a command line": (
        "import argparse\ngot = []\nclass R:\n    def parse_known_args(self, *a):\n        got.extend(a)\n"
        "        return a[1], []\nclass F(argparse.Namespace): _real, _namespace = R(), argparse.Namespace\n"
        "type(argparse.ArgumentParser()).parse_known_args(F())\nprint('ESCAPED', type(got[1]))"
    ),
}
_MIXED = "import enum, torch\nclass P:\n    def __new__(cls, *given, **named): return {}\n"


def _filled(other: str, name: str, value: str, slots: str = "", copier: str = "copy") -> str:
    return (
        f"import copy, torch\nm = torch.nn.ReLU()\nclass A:\n    {slots}\n    on = False\n"
        f"    def __new__(cls): return {other} if A.on else super().__new__(cls)\n"
        f"a = A()\na.{name} = {value}\nA.on = True\ntry: copy.{copier}(a)\nexcept TypeError: pass\n"
    )


_MADE = {
    "a method of a class that all share by a copy": (
        _filled("torch.nn.ReLU", "forward", "lambda mine, x: 5", "__slots__ = ('forward',)")
        + "if m(torch.ones(1)) == 5: print('ESCAPED')"
    ),
    "the type of a tensor's memory by a deep copy": (
        _filled("torch.float32", "np", "5", "__slots__ = ('np',)", "deepcopy")
        + "try: torch.ones(2)\nexcept AttributeError as e: print('ESCAPED', e)"
    ),
    "a mark on a function that all share by a copy": (
        _filled("torch.relu", "x", "5") + "if hasattr(torch.relu, 'x'): print('ESCAPED')"
    ),
    "a module's table by a copy": (
        _filled("m", "_modules", "5") + "try: print(m)\nexcept AttributeError as e: print('ESCAPED', e)"
    ),
    "a mark on a function by a member of an Enum": (
        f"{_MIXED.format('torch.relu')}try:\n    class E(P, enum.Enum): a = 5\nexcept TypeError: pass\n"
        "if hasattr(torch.relu, '_value_'): print('ESCAPED')"
    ),
    "another object in the place of a module": (
        f"{_MIXED.format('5')}class M(P, torch.nn.Module): pass\nif M() == 5: print('ESCAPED')"
    ),
}
_WEAK = (
    "import torch\nx = torch.ones(2, requires_grad=True)\n"
    "with torch.autograd.graph.allow_mutation_on_saved_tensors() as known: (x * x).sum()\n"
    "class A: pass\na = A()\nT = type(known.{})\nt = T({})\n"
)
_TELLING = {
    "the end of an object by a table of weak keys": (
        _WEAK.format("cloned", "{a: 1}")
        + "if hasattr(t, 'keyrefs'):\n    r = type(t.keyrefs()[0])(a, lambda end: print('ESCAPED'))\n    t = a = None"
    ),
    "the end of an object by a table of weak values": (
        _WEAK.format("tid_to_weakhandle", "{1: a}")
        + "if hasattr(t, 'valuerefs'):\n    r = type(t.valuerefs()[0])(a, lambda end: print('ESCAPED'), 1)\n"
        "    t = a = None"
    ),
    "the end of an object by what stands for a weak table": (
        _WEAK.format("tid_to_weakhandle", "")
        + "class F:\n    data, _pending_removals = {}, False\n    def _remove(*given): print('ESCAPED')\n"
        "if hasattr(T, 'valuerefs'):\n    T.__setitem__(F(), 1, a)\n    a = None"
    ),
    "an address in the text of a weak table": (
        _WEAK.format("original", "") + "if ' at 0x' in repr(t) and int(repr(t)[-13:-1], 16) > 1 << 43: print('ESCAPED')"
    ),
    "a storage's methods with what stands for its tensor": (
        "import torch\nclass F:\n    @property\n    def _whole(self): print('ESCAPED')\n"
        "try: type(torch.ones(1).storage()).__len__(F())\nexcept (AttributeError, TypeError): pass"
    ),
    "a property of a storage in another class": (
        "import torch\nclass F:\n    device = type(torch.ones(1).storage()).device\n    @property\n"
        "    def _whole(self): print('ESCAPED')\ntry: F().device\nexcept (AttributeError, TypeError): pass"
    ),
    "a module's own method with what stands for one": (
        "import torch\nclass F:\n    @property\n    def _modules(self): print('ESCAPED')\n"
        "try: torch.nn.Sequential.__len__(F())\nexcept (AttributeError, TypeError): pass"
    ),
    "where tensors are made": (
        "import torch\ndef g(): yield\ntry: torch.device.__enter__(g())\nexcept TypeError: pass\n"
        "if type(torch.get_default_device()) is not torch.device: print('ESCAPED')"
    ),
    "the guard behind super().__init_subclass__": (
        "class A:\n    def __init_subclass__(cls): print('ESCAPED', super().__init_subclass__.args[0].globals)\n"
        "class B(A): pass"
    ),
}

_ANSWERING = (
    "import torch\nfrom torch import nn\nclass Sub(nn.Linear): pass\n"
    "class E(torch.Tensor):\n    @classmethod\n    def __torch_function__(cls, f, kinds, args=(), named=None):\n"
    "        if f.__name__ in ('detach', 'view_as'): return nn.Linear\n"
    "        return super().__torch_function__(f, kinds, args, named or {{}})\n"
    "x = torch.ones(2).as_subclass(E)\ntry: {}\nexcept (AttributeError, TypeError): pass\n"
    "try: print('ESCAPED', Sub.{})\nexcept AttributeError: pass"
)
_DUCK = (
    "import torch\nfrom torch import nn\nclass Box:\n    @staticmethod\n"
    "    def requires_grad_(wanted=True): return torch.Tensor\n"
    "class Duck:\n    requires_grad = False\n    @staticmethod\n    def detach(): return Box\n"
    "try: nn.{0}(Duck)\nexcept (AttributeError, TypeError): pass\n"
    "if isinstance(torch.ones(1), nn.{0}): print('ESCAPED')"
)
_ANSWERED = {
    "the mark of a buffer on all tensors": _DUCK.format("Buffer"),
    "the mark of a parameter on all tensors": _DUCK.format("Parameter"),
    "whether a buffer is saved, on a function": (
        "import torch\nclass Duck:\n    requires_grad = False\n    def detach(self): return self\n"
        "    def requires_grad_(self, wanted): return torch.relu\n"
        "try: torch.nn.Buffer(Duck(), persistent=5)\nexcept TypeError: pass\n"
        "if hasattr(torch.relu, 'persistent'): print('ESCAPED')"
    ),
    "the tangents of an argument that is differentiated": _ANSWERING.format(
        "torch.func.grad(lambda v: v.sum())(x)", "_tangents"
    ),
    "that a node stands aside": (
        "import torch\nfrom torch import nn\nclass Sub(nn.Linear): pass\nasked = [0]\n"
        "class E(torch.Tensor):\n    @classmethod\n    def __torch_function__(cls, f, kinds, args=(), named=None):\n"
        "        asked[0] -= f.__name__ == '__get__'\n        if asked[0] == 0: return nn.Linear\n"
        "        return super().__torch_function__(f, kinds, args, named or {})\n"
        "x = torch.ones(2, requires_grad=True).as_subclass(E)\nfor at in range(1, 6):\n    asked[0] = at\n"
        "    try: torch.func.grad(lambda v: v.sum())(x)\n    except (AttributeError, TypeError): pass\n"
        "    try: print('ESCAPED', Sub.stands_aside)\n    except AttributeError: pass"
    ),
    "the tangents of a result": _ANSWERING.format("torch.func.vjp(lambda v: x, torch.ones(2))", "_tangents"),
    "that a tensor is dual": _ANSWERING.format(
        "\n    with torch.autograd.forward_ad.dual_level(): torch.autograd.forward_ad.make_dual(x, torch.ones(2))",
        "_dual_base",
    ),
    "that a gradient can't be differentiated again": _ANSWERING.format(
        "\n    @torch.autograd.function.once_differentiable\n    def back(ctx, g): return x\n"
        "    back(None, torch.ones(1, requires_grad=True))",
        "_requires_grad",
    ),
    "that a table of rows is frozen": (
        "import torch\nfrom torch import nn\nclass B(nn.EmbeddingBag):\n    weight = nn.Linear\n"
        "    def __init__(self, *given, **named): pass\n"
        "try: B.from_pretrained(torch.ones(2, 2))\nexcept TypeError: pass\n"
        "if hasattr(nn.Linear, 'requires_grad'): print('ESCAPED')"
    ),
    "the name that something prunes": (
        "from torch import nn\nfrom torch.nn.utils import prune\nclass Sub(nn.Linear): pass\ntry:\n"
        "    prune.global_unstructured([(nn.Linear(1, 1), 'weight')], pruning_method=lambda: nn.Linear)\n"
        "except TypeError: pass\ntry: print('ESCAPED', Sub._tensor_name)\nexcept AttributeError: pass"
    ),
}

OBJECTS_OF_OTHER_CLASSES: list[Attack] = [
    *listed("Found: objects of other classes that are initialized", _INSIDE),
    *listed("Found: objects of other classes that get an array", _GIVEN),
    *listed("Found: attributes set on what all runs share", _PUT),
    *listed("Found: attributes set on what a method answers", _ANSWERED),
    *listed("Found: what a method tells its object", {**_TOLD, **_TELLING}),
    *listed("Found: what __new__ of a class makes", _MADE),
]
