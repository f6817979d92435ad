"""Objects that lie, watch or interrupt: subclasses of the snippet where the engine or the worker expects its own kinds,
hooks that look at what they get, and strain on what came later: plots, questions, the log, text and JSON."""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

_TEXT = "class S(str):\n    def __eq__(self, o): return True\n    def startswith(self, *a): return True\n"
_TEXT += "    def __format__(self, s): return 'x'\n    def __mod__(self, o): print('ESCAPED', o)\n"
_TEXT += "    __hash__ = str.__hash__\n"
_INT = "import torch\nclass I(int):\n    def __index__(self): return 10**6\n    def __lt__(self, o): return False\n"
_INT += "    def __gt__(self, o): return False\n    def __mul__(self, o): return 1\n    __rmul__ = __mul__\n"
_INT += "x = torch.arange(6.)\n"
_TUPLE = "import torch\nclass T(tuple):\n    n = 0\n    def __iter__(self):\n        T.n += 1\n"
_TUPLE += "        return iter((1,) if T.n < 3 else (10**6,))\nx = torch.arange(6.)\n"
_EXIT = "class C:\n    def __enter__(self): return self\n    def __exit__(self, kind, error, trace):\n"
_EXIT += "        look(trace)\n        return True\n"
_LIES = {
    "a size that is larger when it counts": (
        f"{_INT}y = x.as_strided((I(3),), (I(1),), I(2))\nif len(y) > 6: print('ESCAPED', y)"
    ),
    "a start that is larger when it counts": f"{_INT}y = x.narrow(0, I(2), I(3))\nif len(y) > 6: print('ESCAPED', y)",
    "an index that is larger when it counts": (
        f"{_INT}y = x.unfold(0, I(2), I(1))\nif y.numel() > 100: print('ESCAPED', y)"
    ),
    "sizes that change while they are read": (
        f"{_TUPLE}y = x.as_strided(T((3,)), (1,))\nif y.numel() > 6: print('ESCAPED', y.sum())"
    ),
    "an array made smaller while it is read": (
        "import torch\nx = torch.arange(6.)\na = x.numpy()\nclass I:\n    def __index__(self):\n        x.resize_(1)\n"
        "        return 5\nv = x[I()]\nif v != 5: print('ESCAPED', v)"
    ),
    "a tensor of its own kind": (
        "import torch\nclass T(torch.Tensor):\n    def numpy(self): print('ESCAPED')\n    dim = size = numpy\n"
        "torch.linalg.svd(T([[1.]])), torch.stack([T([1.])]), torch.nn.Linear(1, 1)(T([1.])).sum().backward()"
    ),
    "a node's class as a base": (
        "import torch\nx = torch.ones(1, requires_grad=True)\nclass N(type((x * x).grad_fn)): pass\nprint('ESCAPED', N)"
    ),
    "a device's name that is equal to any": f"import torch\n{_TEXT}print('ESCAPED', torch.device(S('zzz')))",
    "a file's name that is equal to any": (
        f"import torch\n{_TEXT}torch.save(1, S('SECRET'))\nprint(torch.load('SECRET'))\n"
        "import pathlib\nprint('ESCAPED', pathlib.Path('SECRET').read_text())"
    ),
    "a format of the log with code": (
        f"import logging\n{_TEXT}logging.basicConfig(format=S('%(message)s'), force=True)\nlogging.error('x')"
    ),
    "a format of a date with code": (
        f"import logging\n{_TEXT}logging.basicConfig(format='%(asctime)s', datefmt=S('%Y'), force=True)\n"
        "logging.error('x')"
    ),
    "a message of the log in format's style": (
        "import logging\nlogging.basicConfig(format='{0.__class__}', style='{', force=True)\nprint('ESCAPED')"
    ),
    "a record of the log": "import logging\nprint('ESCAPED', logging.LogRecord)",
    "a template for the log": (
        "import logging\nf = logging.Formatter('%(args)s %(exc_info)s')\nh = logging.StreamHandler()\n"
        "h.setFormatter(f)\ng = logging.getLogger('x')\ng.addHandler(h)\ng.error('x')\nprint('ESCAPED')"
    ),
    "a hook of JSON": "import json\nprint('ESCAPED', json.loads('{}', object_hook=lambda d: 1))",
    "a decoder of JSON": "import json\nprint('ESCAPED', json.loads('{}', cls=int))",
    "an encoder of JSON": "import json\nprint('ESCAPED', json.dumps({}, cls=int))",
    "JSON into a file": "import json\njson.dump({}, open('SECRET', 'w'))\nprint('ESCAPED')",
    "timeit with text": "import timeit\ntimeit.timeit('print(().__mro__)', number=1)\nprint('ESCAPED')",
    "timeit with globals": (
        "import timeit\nnames = {'x': 1, '<get>': lambda x, name: print('ESCAPED')}\n"
        "timeit.timeit('x._hidden', globals=names, number=1)"
    ),
    "timeit with names that its setup imports": (
        "import timeit\ntimeit.timeit('b', 'from __main__ import __builtins__ as b', number=1)\nprint('ESCAPED')"
    ),
    "what timeit keeps": "import timeit\nprint('ESCAPED', timeit.Timer('1')._timed)",
    "timeit of another thing": "import timeit\nprint('ESCAPED', timeit.Timer.timeit(3, 1))",
    "what an error keeps": (
        "e = OSError(1, 'x', 'y')\nfor name in ('args', 'filename', 'characters_written', '__traceback__'):\n"
        "    try: setattr(e, name, e)\n    except AttributeError: continue\n    print('ESCAPED', name)\nraise e"
    ),
    "a factory that replaces itself": (
        "from collections import defaultdict\nclass F:\n    def __call__(self):\n        d.default_factory = F()\n"
        "        return [bytearray(64) for _ in range(99)]\n    def __repr__(self): return str(len(self()))\n"
        "d = defaultdict(F())\nprint([len(d[i]) for i in range(999)][-1], *[len(repr(d)) for _ in range(9)])"
    ),
    "the maker of pprint": "import pprint\nprint('ESCAPED', pprint.PrettyPrinter()._dispatch)",
    "text wrapping's class": "import textwrap\nprint('ESCAPED', textwrap.TextWrapper)",
    "a path's own file": "import pathlib\nprint('ESCAPED', pathlib.Path('SECRET').open().read())",
    "a path's folder": "import pathlib\nprint('ESCAPED', list(pathlib.Path('FOLDER').iterdir()))",
    "the home of a path": "import pathlib\nif str(pathlib.Path.home()) != '/home/you': print('ESCAPED')",
    "gc's objects": "import gc\nprint('ESCAPED', gc.get_objects())",
    "types' makers of functions": "import types\nprint('ESCAPED', types.FunctionType)",
    "a protocol with a metaclass": (
        "import typing\nclass M(type(typing.Protocol)): pass\nclass P(typing.Protocol, metaclass=M): pass\n"
        "print('ESCAPED')"
    ),
    "a class keyword with code": ("import typing\nclass D(typing.TypedDict, total=print('ESCAPED')): x: int"),
    "slots that hide Python's names": "class A:\n    __slots__ = ('__class__', '__deepcopy__')\nprint('ESCAPED')",
}
_SPIES = {
    "a trace by __exit__": f"def look(t): print('ESCAPED', getattr(t, 'tb_frame'))\n{_EXIT}with C(): 1 / 0",
    "a trace's frame by attrgetter": (
        "import operator\ndef look(t): print('ESCAPED', operator.attrgetter('tb_frame.f_globals')(t))\n"
        f"{_EXIT}with C(): 1 / 0"
    ),
    "a trace by format": (f"def look(t): print('{{0.tb_frame}}'.format(t)); print('ESCAPED')\n{_EXIT}with C(): 1 / 0"),
    "a trace by a pattern": (
        f"def look(t):\n    match t:\n        case object(tb_next=n): print('ESCAPED', n)\n{_EXIT}with C(): 1 / 0"
    ),
    "a trace by an exit stack": (
        "import contextlib\nseen = []\ndef h(*a):\n    seen.append(a)\n    return True\n"
        "with contextlib.ExitStack() as s:\n    s.push(h)\n    1 / 0\nprint('ESCAPED', getattr(seen[0][2], 'tb_next'))"
    ),
    "a trace copied": f"import copy\ndef look(t): print('ESCAPED', copy.copy(t).tb_lasti)\n{_EXIT}with C(): 1 / 0",
    "buffers in hooks of saved tensors": (
        "import torch\ndef pack(t):\n    print('ESCAPED', t._data)\n    return t\n"
        "with torch.autograd.graph.saved_tensors_hooks(pack, pack):\n"
        "    (torch.ones(1, requires_grad=True) ** 2).backward()"
    ),
    "batches in a vmapped function": (
        "import torch\ndef f(x): print('ESCAPED', getattr(x, '_data'))\ntorch.vmap(f)(torch.ones(2))"
    ),
    "a module's class in a hook": (
        "import torch\ndef h(m, a, o): m.__class__.forward = 5\nm = torch.nn.Linear(1, 1)\nm.register_forward_hook(h)\n"
        "m(torch.ones(1))\nprint('ESCAPED')"
    ),
    "a node's class in a hook": (
        "import torch\nx = torch.ones(1, requires_grad=True)\nn = (x * x).grad_fn\nprint('ESCAPED', n._kind)"
    ),
    "an iterator of a loader": (
        "import torch\nfrom torch.utils.data import DataLoader\ni = iter(DataLoader([1, 2]))\n"
        "print('ESCAPED', i.gi_frame)"
    ),
    "a worker of a loader": (
        "import torch\nfrom torch.utils.data import DataLoader\n"
        "for b in DataLoader([1, 2], num_workers=2, worker_init_fn=lambda i: print('ESCAPED')): pass"
    ),
    "a property of the engine by its getter": ("import torch\nprint('ESCAPED', torch.Tensor.grad.fget.__globals__)"),
    "a property's getter by attrgetter": (
        "import torch, operator\nprint('ESCAPED', operator.attrgetter('grad.fget.__code__')(torch.Tensor))"
    ),
}
_LATER = {
    "plots without an end": ("import matplotlib.pyplot as plt\nwhile True:\n    plt.plot([1] * 1000)\n    plt.show()"),
    "a label of hundreds of megabytes": (
        "import matplotlib.pyplot as plt\nwhile True: plt.plot([1], label='x' * 10**8); plt.show()"
    ),
    "a log without an end": "import logging\nwhile True: logging.error('x' * 1000)",
    "questions without an end": "while True:\n    try: input('x' * 1000)\n    except EOFError: pass",
    "timeit without an end": "import timeit\ntimeit.timeit(lambda: 1, number=10**15)",
    "a path of paths without an end": "import pathlib\np = pathlib.Path('a')\nwhile True: p = p / p",
    "a pattern that backtracks": "import re\nre.match('(a+)+$', 'a' * 60 + 'b')",
    "numbers of NumPy without an end": "import numpy as np\nwhile True: np.random.poisson(1e9, 10**6)",
    "a truth that never comes": "class A:\n    def __bool__(self):\n        while True: pass\nassert A()",
}

SPIES: list[Attack] = [
    *listed("Objects that lie", _LIES),
    *listed("Spies", _SPIES),
    *listed("Strain on plots, text and questions", _LATER, by_parent=True),
]
