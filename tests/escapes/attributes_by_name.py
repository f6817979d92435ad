"""Doors that a sixth attack found: methods that reach attributes by a name, or make objects of the class of their
object, called with objects of other classes; names that a class of one's own gives to PyTorch's containers; marks and
functions that stay for the next run; memory that NumPy leaves as it was."""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

_MODULES = "print('ESCAPED', w.sys.modules['io'].open('SECRET').read())"
_KEY = "import torch\nget = torch.nn.ParameterDict.__getitem__\n"
_MADE = "print('ESCAPED', T('A', (), {}))"
_GIVEN = "import torch\nclass X: _position = staticmethod(lambda given: given)\n"
_BY_NAME = {
    "a file by a private name of a context": (
        f"{_KEY}import warnings\nw = get(warnings.catch_warnings(), '_module')\n{_MODULES}"
    ),
    "a generator's frame": f"{_KEY}def g(): yield\nprint('ESCAPED', get(get(g(), 'gi_frame'), 'f_builtins'))",
    "a tensor's node": (
        "import torch\nt = torch.ones(3, requires_grad=True)\nt._keys = {}\nclass N: pass\n"
        "torch.nn.ParameterDict.__setitem__(t, '_node', N())\nprint('ESCAPED', t.grad_fn)"
    ),
    "any method of a class by a list of modules": (
        f"{_GIVEN}torch.nn.ModuleList.__setitem__(X, '__call__', 5)\nprint('ESCAPED')"
    ),
    "any attribute by a list of parameters": (
        f"{_GIVEN}x = X()\nprint('ESCAPED', torch.nn.ParameterList.__getitem__(x, '__dict__'))"
    ),
    "any method of a class by the place of a module": (
        "import torch\nclass M(torch.nn.Module):\n    def forward(self, name): return 5\nclass X: pass\n"
        "torch.nn.Module.set_submodule(X, '__getattr__', M())\nprint('ESCAPED', X().anything)"
    ),
    "a class that all share by the place of a module": (
        "import torch, collections\nX = collections.ChainMap\n"
        "torch.nn.Module.set_submodule(X, 'placed', torch.nn.Identity())\nprint('ESCAPED', X.placed)"
    ),
}
_OF_ITS_CLASS = {
    "by a new child": (
        "import collections\nclass X: maps = [(), {'__reduce__': 5}]\n"
        "print('ESCAPED', collections.ChainMap.new_child(X, 'A'))"
    ),
    "by a copy of a chain": (
        "import collections\nclass N:\n    def copy(self): return 'A'\nclass X: maps = [N(), (), {'__reduce__': 5}]\n"
        "print('ESCAPED', collections.ChainMap.copy(X))"
    ),
    "by a copy of a counter": f"import collections\nclass X: pass\nT = collections.Counter.copy(X)\n{_MADE}",
    "by a property that classmethod reads": (
        "import collections\nclass X:\n    maps = [5, 'A', (), {'__reduce__': 5}]\n"
        "    made = classmethod(collections.ChainMap.parents)\n"
        "if isinstance(X.made, type) or hasattr(X.made, '__func__'): print('ESCAPED')"  # a method from Python 3.13 on
    ),
    "by flags": (
        "import re\nclass V:\n    def __or__(self, other): return int\nclass X: _value_ = V()\n"
        f"class Y: _value_ = 1\nT = type(re.I).__or__(X, Y)\n{_MADE}"
    ),
}
_OWN_LIST = "import torch\nclass P(torch.nn.ParameterList):\n    def _position(self, given): return given\n"
_TABLE = "import torch\nd = torch.nn.ParameterDict()\n"
_MAPPING = "import torch\nd = torch.nn.ModuleDict({'a': torch.nn.Identity()})\n"
_NAMES = {
    "a module's attributes by a list of one's own": f"{_OWN_LIST}print('ESCAPED', P()['__dict__'])",
    "a module's table by a list of one's own": (
        "import torch\nclass P(torch.nn.ModuleList):\n    def _position(self, given): return given\n"
        "p = P()\np['_modules'] = 5\nprint('ESCAPED')"
    ),
    "a module's table by its key": f"{_TABLE}d['_modules']['x'] = 5\nprint('ESCAPED')",
    "a module's table replaced by its key": f"{_TABLE}d['_modules'] = {{}}\nprint('ESCAPED')",
    "a module's table behind its keys": (
        f"{_MAPPING}class E:\n    def __eq__(self, table): print('ESCAPED', type(table))\nd.keys().mapping == E()"
    ),
    "a module's table behind its keys by a name": (
        f"{_MAPPING}class E:\n    def __ror__(self, table): print('ESCAPED', type(table))\n"
        "getattr(d.keys(), 'mapping') | E()"
    ),
    "any attribute by a back end": (
        "import torch\nclass F: pass\nmade = type(torch.backends.cudnn)('x', **{'_data': 5, '__class__': F})\n"
        "print('ESCAPED', type(made))"
    ),
}
_CHAIN = "import collections\nX = collections.ChainMap\n"
_STAYS = {
    "the state of a random source": (
        f"{_CHAIN}import random\ntry: random.Random.setstate(X, (3, (), 5))\nexcept TypeError: pass\n"
        "print('ESCAPED', X.gauss_next)"
    ),
    "filters by the end of a context": (
        f"{_CHAIN}import warnings\nclass F:\n    _entered, _record, _module, _filters = True, False, X, 5\n"
        "try: type(warnings.catch_warnings()).__exit__(F())\nexcept AttributeError: pass\n"
        "print('ESCAPED', X.filters)"
    ),
    "an abstract class": (
        f"{_CHAIN}import abc\nabc.abstractmethod(X)\nclass A: table = X\ntry: A()\nexcept TypeError: print('ESCAPED')"
    ),
    "an abstract function": (
        "import abc, statistics\nabc.abstractmethod(statistics.mean)\nclass A: mean = statistics.mean\ntry: A()\n"
        "except TypeError: print('ESCAPED')"
    ),
    "a function that is abstract in a class": (
        "import abc, statistics\nabc.abstractmethod(statistics.mean)\nclass A(abc.ABC): mean = statistics.mean\n"
        "try: A()\nexcept TypeError: print('ESCAPED')"
    ),
    "an abstract form of typing": (
        "import abc, typing\nabc.abstractmethod(typing.List)\nclass A: kind = typing.List\ntry: A()\n"
        "except TypeError: print('ESCAPED')"
    ),
    "a function that is called at errors": (
        "import numpy as np\nE = type(np.errstate())\n"
        "E(divide='call', call=lambda *told: print('ESCAPED', told)).__enter__()\n"
        "np.ones(1) / 0"
    ),
}
_ARRAYS = "import numpy as np\nones = [np.full(64, 7.0) for _ in range(9)]\ndel ones\n"


def _left(source: str) -> str:
    shown = "'ESC' + 'APED'"  # a warning shows the line
    return f"{_ARRAYS}if any(({source})[-64:].any() for _ in range(99)): print({shown})"


_LAY = {
    "by limits": _left("np.clip(np.zeros(64), 0, 1, where=False)"),
    "by an array's limits": _left("np.zeros(64).clip(0, 1, where=False)"),
    "by a border": _left("np.pad(np.zeros(64), (0, 64), mode='empty')"),
    "by a border that is named": _left("np.pad(np.zeros(64), (0, 64), 'empty')"),
    "by an output that is none": _left("np.add(np.zeros(64), 0, None, where=False)"),
    "by one of the outputs that is none": _left("np.sin(np.zeros(64), out=(None,), where=False)"),
    "by two outputs of which one is none": _left("np.modf(np.zeros(64), out=(None, np.zeros(64)), where=False)[0]"),
}
_BIND = "import copy, torch\nclass A:\n    def f(self): pass\nbind = type(A().f)\n"
_FIELDS = "import dataclasses, torch, tyro\n"
_AS_FIELDS = {
    "a generator's frame by a copied method": (
        f"{_BIND}def gi_frame(self): pass\ndef f_globals(self): pass\ndef g(): yield\n"
        "print('ESCAPED', copy.copy(bind(f_globals, copy.copy(bind(gi_frame, g())))).keys())"
    ),
    "a tensor's memory by a copied method": (
        f"{_BIND}def _data(self): pass\ndef mine(thing): return thing\n"
        "try: mine(copy.copy(bind(_data, torch.ones(2))))\nexcept TypeError as e: print('ESCAPED', e)"
    ),
    "a game's rules by a dataclass of settings": (
        f"{_FIELDS}import gymnasium\n@dataclasses.dataclass\nclass D:\n    _rules: object\n    unwrapped: object\n"
        "game = gymnasium.make('CartPole-v1')\ngame.reset()\n"
        "print('ESCAPED', tyro.cli(D, args=['--unwrapped', '3'], default=game)._rules.state)"
    ),
    "a module's table by a dataclass of settings": (
        f"{_FIELDS}@dataclasses.dataclass\nclass D:\n    _parameters: object\n    training: object\n"
        "m = torch.nn.Linear(2, 2)\ntyro.cli(D, args=['--training', '3'], default=m)._parameters['weight'] = 5\n"
        "print('ESCAPED', m.weight)"
    ),
    "what a Function keeps by a dataclass that becomes a dict": (
        f"{_FIELDS}@dataclasses.dataclass(init=False, eq=False, repr=False)\nclass F(torch.autograd.Function):\n"
        "    captured: object\nprint('ESCAPED', dataclasses.asdict(F()))"
    ),
    "a table that all nodes share by the pattern of a Function": (
        f"{_FIELDS}@dataclasses.dataclass(init=False, eq=False, repr=False)\nclass F(torch.autograd.Function):\n"
        "    captured: object\nmatch F():\n    case F(table): print('ESCAPED', table)"
    ),
}
_IN_ITS_PLACE = {
    "another object in an optimizer's place": (
        "import torch\np = torch.nn.Parameter(torch.ones(3))\no = torch.optim.SGD([p], 0.1)\n"
        "class D:\n    param_groups, state = o.param_groups, {}\n"
        "    def _update(self, *given): pass\n"
        "    def __getattr__(self, name):\n        print('ESCAPED', name)\n        raise AttributeError(name)\n"
        "o.register_step_pre_hook(lambda mine, given, named: ((D(),), {}))\n(p * 2).sum().backward()\n"
        "try: o.step()\nexcept AttributeError: pass"
    ),
    "an optimizer that was a lazy layer": (
        "import torch\nclass L(torch.nn.LazyLinear): cls_to_become = torch.optim.SGD\nl = L(2)\n"
        "l._update = print\ntry: l(torch.ones(2, 3))\nexcept (AttributeError, TypeError): pass\n"
        "if type(l) is not L: print('ESCAPED', type(l))"
    ),
}
_TOLD = {
    "the address of a parser in its help": (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--x', help='%(container)r')\n"
        "text = p.format_help().partition(' at 0x')[2].partition('>')[0]\n"
        "if int(text, 16) > (1 << 40) + 99_999: print('ESCAPED', text)"
    ),
}

ATTRIBUTES_BY_NAME: list[Attack] = [
    *listed("Found: attributes of any object by their names", _BY_NAME),
    *listed("Found: classes made by the class of an object", _OF_ITS_CLASS),
    *listed("Found: names that a container is given", _NAMES),
    *listed("Found: what stays for the next run", _STAYS),
    *listed("Found: what lay in memory where nothing is computed", _LAY),
    *listed("Found: addresses in a text of Python's", _TOLD),
    *listed("Found: names of methods and fields", _AS_FIELDS),
    *listed("Found: objects in the place of an optimizer", _IN_ITS_PLACE),
]
