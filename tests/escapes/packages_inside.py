"""Packages of others that a snippet imports as they were published."""

from __future__ import annotations

from tests.escapes.attack import HIDDEN, Attack, listed

_EINOPS = {
    "arrays that it returns": (
        "import einops, numpy as np\na = np.ones((2, 2))\nfor found in (einops.rearrange(a, 'a b -> b a'), "
        "einops.reduce(a, 'a b -> a', 'sum'), einops.repeat(a, 'a b -> a b c', c=2), einops.einsum(a, a, 'a b, "
        "b c -> a c'), "
        "einops.rearrange([a, a], 'n a b -> a n b'), einops.pack([a, a], '* b')[0], einops.asnumpy(a), "
        "einops.unpack(a, [[1], [1]], '* b')[0], einops.reduce(a, 'a b ->', 'sum')):\n"
        "    try: kind = type(found)\n    except TypeError: kind = None\n"
        "    if kind not in (np.ndarray, type(np.float64(1))): print('ESCAPED', kind)"
    ),
    "a reduction that looks at what it gets": (
        "import einops, numpy as np\ndef f(x, axes):\n    if type(x) is not np.ndarray: print('ESCAPED')\n"
        "    return x.sum(axis=axes)\nprint(einops.reduce(np.ones((2, 2)), 'a b -> a', f))"
    ),
    "an object that lies about its array": (
        "import einops\nclass A:\n    shape = (1, 1)\n    def reshape(self, *s): return print('ESCAPED')\n"
        "for f in (lambda x: einops.rearrange(x, 'a b -> b a'), lambda x: einops.pack([x], 'a *')):\n"
        "    try: f(A())\n    except TypeError: pass"
    ),
    "a pattern that is another one": (
        "import einops, torch\nclass S(str):\n    def split(self, *x): print('ESCAPED')\n    def "
        "__contains__(self, x): print('ESCAPED')\n"
        "    def __iter__(self): print('ESCAPED')\neinops.rearrange(torch.ones(1, 1), S('a b -> b a'))\n"
        "from einops.layers.torch import Rearrange\nr = Rearrange(S('a b -> b a'))\nr.pattern = S('a b -> b "
        "a')\nr(torch.ones(1, 1))"
    ),
    "lengths that are none": (
        "import einops, torch\nclass N:\n    def __index__(self): return 2\n    def __mul__(self, o): "
        "print('ESCAPED')\n"
        "    __rmul__ = __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __eq__ = __ne__ = __lt__ = __gt__ = "
        "__mul__\n"
        "    def __hash__(self): return 1\neinops.rearrange(torch.ones(2, 1), '(a c) b -> a b c', c=N())\n"
        "from einops.layers.torch import Reduce\nr = Reduce('(a c) b -> a b', 'sum', c=2)\nr.axes_lengths = "
        "{'c': print}\n"
        "try: r(torch.ones(2, 1))\nexcept TypeError: pass\nelse: print('ESCAPED')"
    ),
    "what is behind it": (
        "import einops\nfrom einops.layers.torch import Rearrange\nfor thing in (einops, "
        "einops.layers, einops.rearrange, Rearrange):\n"
        "    for name in ('_backends', 'np', 'sys', 'functools', 'get_backend', '_einops', '__wrapped__', "
        "'__globals__', 'cache_info', 'os'):\n"
        "        try: print('ESCAPED', getattr(thing, name))\n        except AttributeError: pass"
    ),
}
_AS_IT_IS = {
    "what is behind it": (
        "import torchdiffeq\nfrom torchdiffeq._impl import adjoint, misc, odeint, rk_common, scipy_wrapper\n"
        "for thing in (torchdiffeq, adjoint, misc, odeint.odeint, misc.torch, rk_common, scipy_wrapper):\n"
        f"    for name in ('sys', 'os', '__code__', *{HIDDEN!r}):\n"
        "        try: print('ESCAPED', name, getattr(thing, name))\n        except (AttributeError, TypeError): pass\n"
        "try: scipy_wrapper.solve_ivp._rk.os.system('touch FOLDER/ode')\nexcept ImportError: pass"
    ),
    "objects in the place of layers and nodes": (
        "import torch, graphviz\nfrom torchinfo import summary, torchinfo, layer_info\nfrom torchviz import make_dot\n"
        "class Node:\n    def __getattr__(self, name): return lambda *a, **k: Node()\n"
        "    def __iter__(self): return iter(())\n    def __getitem__(self, key): return ((Node(), 0),)\n"
        "seen, net = [], torch.nn.Linear(1, 1)\ndef dot():\n    d = graphviz.Digraph(graph_attr={'a': 'b'})\n"
        "    d.body = Node()\n    d.graph_attr[Node()] = Node()\n    return d.source\n"
        "for f in (lambda: make_dot(Node(), params={'a': Node()}, show_saved=True), lambda: summary(Node(), (1,)),\n"
        "          lambda: summary(net, (1,), device=Node()), lambda: summary(net, (1, 1), verbose=0), dot,\n"
        "          lambda: layer_info.LayerInfo(*[Node()] * 5)):\n"
        "    try: seen.append(f())\n    except Exception as error: seen.append(error)\n"
        "for each in seen:\n    for name in ('__globals__', '__code__', 'tb_frame', '__closure__'):\n"
        "        try: getattr(each, name)\n        except (AttributeError, TypeError): continue\n"
        "        if type(each) is not Node: print('ESCAPED', name)"
    ),
    "names that are changed in it": (
        "import torch\nfrom torchdiffeq import odeint\nfrom torchdiffeq._impl import misc, rk_common, solvers\n"
        "seen = []\nclass Liar:\n    def __getattr__(self, name): return lambda *a, **k: seen.extend(a)\n"
        "for module in (misc, rk_common, solvers): module.torch = Liar()\n"
        "try: odeint(lambda t, y: -y, torch.ones(2), torch.tensor([0.0, 1.0]))\n"
        "except Exception as error: seen.append(error)\n"
        "for each in seen:\n    for name in ('tb_frame', '__globals__', '__self__', 'gi_frame', '__closure__'):\n"
        "        try: print('ESCAPED', getattr(each, name))\n        except (AttributeError, TypeError): pass"
    ),
}
PACKAGES_INSIDE: list[Attack] = [
    *listed("Packages inside: einops", _EINOPS),
    *listed("Packages inside: source as it is", _AS_IT_IS),
]
