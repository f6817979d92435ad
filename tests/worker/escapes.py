"""Snippets that try to leave the sandbox, each its own attempt. One that succeeds prints ESCAPED; none may.

Sources: the attack classes of the study behind the worker, RestrictedPython's change log and advisories (named where
they are meant), asteval's, and probes against this policy itself.
"""

from __future__ import annotations

ESCAPES: dict[str, str] = {
    # --- imports, files, processes, network ---
    "import os": "import os\nprint('ESCAPED', list(os.scandir('.')))",
    "import os as x": "import subprocess as math\nprint('ESCAPED', math.list2cmdline([]))",
    "from os": "from os import system\nprint('ESCAPED', system(''))",
    "import submodule": "import importlib.machinery\nprint('ESCAPED', importlib.machinery.all_suffixes())",
    "import in function": "def f():\n    import subprocess\n    print('ESCAPED', subprocess.list2cmdline([]))\nf()",
    "import ctypes": "import ctypes\nprint('ESCAPED', ctypes.sizeof(ctypes.c_int))",
    "import builtins": "import builtins\nprint('ESCAPED', builtins.len([]))",
    "import importlib": "import importlib\nprint('ESCAPED', importlib.import_module('subprocess').list2cmdline([]))",
    "relative import": "from . import os\nprint('ESCAPED', os.getpid())",
    "star import": "from os import *\nprint('ESCAPED', system(''), fork())",
    "from future spelled": "from __future__ import annotations as __builtins__\nprint('ESCAPED')",
    "import in a try": "try:\n    import ctypes\nexcept ImportError:\n    raise\nprint('ESCAPED')",
    "import from in a try": "try:\n    from os import getppid as f\nexcept:\n    f = 0\nif f: print('ESCAPED')\n1 / 0",
    "private import in a try": "try:\n    import os.__init__\nexcept ImportError:\n    pass\nprint('ESCAPED')",
    "import private": "from random import _os\nprint('ESCAPED')",
    "import a module through a module": "from random import os\nprint('ESCAPED')",
    "module of a module": "import random\nprint('ESCAPED', random.os)",
    "module of dataclasses": "import dataclasses\nprint('ESCAPED', dataclasses.sys)",
    "module of typing": "import typing\nprint('ESCAPED', typing.sys)",
    "module of statistics": "import statistics\nprint('ESCAPED', statistics.sys)",
    "modules of sys": "import sys\nprint('ESCAPED', sys.modules['os'], sys.modules['builtins'])",
    "the snippet as a module": "import sys\nname = '__' + 'builtins__'\n"
    "print('ESCAPED', getattr(sys.modules[__name__], name))",
    "hooks of the snippet as a module": "import sys\nprint('ESCAPED', getattr(sys.modules[__name__], '<getter>'))",
    "a hook replaced in the snippet as a module": "import sys\n"
    "setattr(sys.modules[__name__], '<getter>', lambda *given: None)\nprint('ESCAPED')",
    "frames of sys": "import sys\nprint('ESCAPED', sys._getframe())",
    "engine behind torch": "import gradviz.engine.kernel.tensor as t\nprint('ESCAPED', t.Tensor([1.0]))",
    "numpy behind torch": "import torch\nprint('ESCAPED', torch.np, torch._np)",
    "__import__": "__import__('os')\nprint('ESCAPED')",
    "open": "open('/etc/passwd')\nprint('ESCAPED')",
    "open by another name": "f = [open][0]\nf('/etc/passwd')\nprint('ESCAPED')",
    "open hidden": "def f(g=open):\n    return g('/etc/passwd')\nf()\nprint('ESCAPED')",
    "open bound elsewhere": "def f():\n    open = 1\nopen('/etc/passwd')\nprint('ESCAPED')",
    "exec": "exec('import os\\nprint(\\'ESCAPED\\', os.fork())')",
    "eval": "eval('().__class__.__bases__[0].__subclasses__()')\nprint('ESCAPED')",
    "exec with hooks of its own": (
        "exec('x._hidden', {'<get>': lambda x, name: print('ESCAPED'), '__builtins__': {}, 'x': 1})"
    ),
    "eval with hooks of its own": (
        "for given in ({'<get>': print}, {'x': 1, '<get>': lambda x, name: print('ESCAPED')}):\n"
        "    try: eval('x._hidden', {'x': 1}, given)\n    except AttributeError: pass\nraise ValueError"
    ),
    "modules of an evaluated text": (
        "exec('import os\\nif hasattr(os, \\'fork\\'): say(\\'ESCAPED\\')', {'say': print})\nraise ValueError"
    ),
    "a text that sees who asks": (
        "import functools\nclass A:\n    __hash__ = functools.partial(eval, 'print(\"ESCAPED\", thing)')\nhash(A())"
    ),
    "a timer with hooks of its own": (
        "from torch.utils.benchmark import Timer\n"
        "Timer('x._hidden', globals={'x': 1, '<get>': lambda x, name: print('ESCAPED')}).timeit(1)"
    ),
    "setstate of others": (
        "import torch\nfor thing in (3, torch.ones(1), torch.nn.Linear(1, 1), torch.optim.SGD([torch.ones(1)])):\n"
        "    try: print('ESCAPED', thing.__setstate__({}))\n    except AttributeError: pass\nraise ValueError"
    ),
    "exec of code": "exec(compile)\nprint('ESCAPED')",
    "exec into a table that lies": (
        "class D(dict):\n    def __getitem__(self, k): print('ESCAPED', k)\n    def __setitem__(self, k, v): "
        "print('ESCAPED', v)\nexec('y = x', D(x=1))"
    ),
    "builtins of an evaluated text": "print('ESCAPED', eval('globals()', {})['__builtins__'])",
    "what an evaluated text leaves": "exec('__builtins__ = {}')\nprint('ESCAPED')",
    "imports of an evaluated text": "eval('__import__(\\'os\\')')\nprint('ESCAPED')",
    "locals of those that call eval": (
        "from torchvision import transforms\nprint('ESCAPED', transforms.Lambda(eval)('self'))"
    ),
    "locals of PyTorch's part": (
        "import torch\nx = torch.ones(2, requires_grad=True)\nx.register_hook(eval)\n(x * 2).sum().backward()\n"
        "print('ESCAPED')"
    ),
    "a text that is another one": (
        "class S(str):\n    def __str__(self): return '1'\n    def strip(self): return '1'\n"
        "eval(S('().__mro__'))\nprint('ESCAPED')"
    ),
    "a statement to be timed": (
        "from torch.utils.benchmark import Timer\nTimer('print(().__mro__)').timeit(1)\nprint('ESCAPED')"
    ),
    "the shape of other memory": (
        "import numpy as np\na = np.ones(3)\na.shape = (1 << 40,)\nprint('ESCAPED', a[1 << 39])"
    ),
    "more memory than there is": "import numpy as np\na = np.ones(3)\na.resize((1 << 20,))\nprint('ESCAPED', a[9])",
    "a polynomial's own array": "import numpy as np\nprint('ESCAPED', np.poly1d([1, 2]).c.base.base)",
    "a wrapper around another thing": (
        "import gym, torch\nprint('ESCAPED', gym.Wrapper.step(torch.nn.Linear(1, 1), 0))"
    ),
    "a property of a wrapper": (  # from Python 3.13 on it is not read for the class, but called as a method of it
        "import gym, torch\nclass A:\n    get = classmethod(gym.Wrapper.spec)\n"
        "print('ESCAPED', A.get() if callable(A.get) else A.get)"
    ),
    "the digest of a file": "import hashlib\nprint('ESCAPED', hashlib.file_digest('/etc/passwd', 'md5'))",
    "state of a partial": "import functools\nprint('ESCAPED', functools.partial(print).__setstate__)",
    "state of an error": (
        "class E(Exception):\n    def f(self): super().__setstate__({'args': 1})\nE().f()\nprint('ESCAPED')"
    ),
    "a class with a state": "class A:\n    def __setstate__(self, s): pass\nprint('ESCAPED')",
    "compile": "compile('1', 'x', 'eval')\nprint('ESCAPED')",
    "breakpoint": "breakpoint()\nprint('ESCAPED')",
    "globals": "print('ESCAPED', globals()['__builtins__'])",
    "locals": "print('ESCAPED', locals()['__builtins__'])",
    "locals of a function": (
        "def f(x, *more, **named):\n    def g(): return x, locals()\n"
        "    found = [locals(), g()[1], *(locals() for _ in [1])]\n"
        "    return [name for each in found for name in each if not name.isidentifier() or name.startswith('__')]\n"
        "class A:\n    found = locals()\nhidden = f(1, 2, y=3) + [name for name in A.found if name.startswith('__')]\n"
        "if hidden: print('ESCAPED', hidden)\nraise ValueError"
    ),
    "locals of whoever calls it": (
        "import functools\nfrom torchvision import transforms\n"
        "for each in (functools.partial(locals), transforms.Lambda(lambda x: locals())):\n"
        "    for name in ('self', 'guard', 'namespace', '<get>', '__builtins__'):\n"
        "        try: found = each(0) if type(each) is not functools.partial else each()\n"
        "        except TypeError: continue\n"
        "        if name in found: print('ESCAPED', found[name])\n"
        "try: found = transforms.Lambda(locals)('x')\nexcept TypeError: found = {}\n"
        "if 'self' in found: print('ESCAPED')\nraise ValueError"
    ),
    "methods of tests for something else": (
        "import unittest, torch\nunittest.TestCase.__init__(torch.nn.Module, 'x')\n"
        "print('ESCAPED', torch.nn.Module._testMethodName)"
    ),
    "a test case for all runs": "import unittest\nunittest.TestCase.setUp = print\nprint('ESCAPED')",
    "tests in a class that is not its own": (
        "import unittest, torch\nunittest.skip('x')(torch.nn.Module)\nprint('ESCAPED', torch.nn.Module.setUp)"
    ),
    "what a test raised": (
        "import unittest\nclass A(unittest.TestCase):\n    def test_a(self):\n"
        "        with self.assertRaises(ZeroDivisionError) as found: 1 / 0\n"
        "        print('ESCAPED', found.exception.__traceback__.tb_frame)\nunittest.main()"
    ),
    "vars": "import math\nprint('ESCAPED', vars(math))",
    "memoryview": "print('ESCAPED', memoryview(b'x'))",
    # --- dunder walks ---
    "subclasses": "print('ESCAPED', ().__class__.__base__.__subclasses__())",
    "mro": "print('ESCAPED', int.__mro__)",
    "mro method": "print('ESCAPED', int.mro())",
    "globals of a function": "def f(): pass\nprint('ESCAPED', f.__globals__)",
    "code of a function": "def f(): pass\nprint('ESCAPED', f.__code__)",
    "closure": "def f():\n    x = 1\n    return lambda: x\nprint('ESCAPED', f().__closure__)",
    "self of a builtin": "print('ESCAPED', print.__self__)",
    "func of a method": "class A:\n    def f(self): pass\nprint('ESCAPED', A().f.__func__)",
    "dict": "class A: pass\nprint('ESCAPED', A.__dict__)",
    "builtins name": "print('ESCAPED', __builtins__)",
    "loader name": "print('ESCAPED', __loader__)",
    "spec name": "print('ESCAPED', __spec__)",
    "reduce": "print('ESCAPED', object.__reduce_ex__)",
    "reduce of print (asteval 86)": "print('ESCAPED', print.__reduce__())",
    "getattribute": "print('ESCAPED', object.__getattribute__)",
    "wrapped": "import functools\n@functools.wraps(print)\ndef f(): pass\nprint('ESCAPED', f.__wrapped__)",
    "init globals": "import collections\nprint('ESCAPED', collections.Counter.__init__.__globals__)",
    "type with three arguments": "A = type('A', (), {'__reduce__': 1})\nprint('ESCAPED')",
    "type of type": "T = type(int)\nA = T('A', (), {})\nprint('ESCAPED')",
    "type of own class": "class A: pass\nB = type(A)('B', (), {})\nprint('ESCAPED')",
    "class of class": "class A: pass\nB = A.__class__('B', (), {})\nprint('ESCAPED')",
    "metaclass": "class M(type): pass\nclass A(metaclass=M): pass\nprint('ESCAPED')",
    "base type": "class M(type):\n    pass\nprint('ESCAPED')",
    "base by type()": "class M(type(int)):\n    pass\nprint('ESCAPED')",
    # --- getattr and its friends ---
    "getattr": "print('ESCAPED', getattr((), '__class__'))",
    "getattr with default": "x = getattr(int, '__subclasses__', None)\nx()\nprint('ESCAPED')",
    "getattr with a lying str": (
        "class S(str):\n    def __eq__(self, o): return False\n    def __hash__(self): return 1\n"
        "print('ESCAPED', getattr(int, S('__mro__')))"
    ),
    "hasattr with a lying str": "class S(str):\n    pass\nhasattr(int, S('__mro__'))\nprint('ESCAPED')",
    "setattr on a facade class": "import torch\nsetattr(torch.Tensor, 'backward', 1)\nprint('ESCAPED')",
    "setattr dunder": "class A: pass\nsetattr(A, '__array_interface__', {})\nprint('ESCAPED')",
    "attrgetter": "import operator\nprint('ESCAPED', operator.attrgetter('__class__.__base__')(1))",
    "methodcaller": "import operator\nprint('ESCAPED', operator.methodcaller('__reduce_ex__', 2)(1))",
    "map of getattr": "print('ESCAPED', list(map(getattr, [int], ['__mro__'])))",
    "partial of getattr": "import functools\nprint('ESCAPED', functools.partial(getattr, int)('__mro__'))",
    # --- frames and tracebacks (CVE-2023-37271) ---
    "gi_frame": "g = (x for x in [1])\nprint('ESCAPED', g.gi_frame)",
    "gi_code": "g = (x for x in [1])\nprint('ESCAPED', g.gi_code)",
    "gi_yieldfrom": "def f():\n    yield from [1]\nprint('ESCAPED', f().gi_yieldfrom)",
    "tb_frame": "try:\n    1/0\nexcept ZeroDivisionError as e:\n    print('ESCAPED', e.__traceback__.tb_frame)",
    "with_traceback": "print('ESCAPED', ValueError().with_traceback(None))",
    "frame by getattr": "g = (x for x in [1])\nprint('ESCAPED', getattr(g, 'gi_' + 'frame'))",
    "context of exceptions": (
        "try:\n    1/0\nexcept Exception as e:\n"
        "    print('ESCAPED', e.__context__, e.__traceback__)"
    ),
    # --- str.format (CVE-2023-41039) and AttributeError.obj, string (CVE-2024-47532) ---
    "format": "print('ESCAPED', '{0.__class__}'.format(1))",
    "format deep": "def f(): pass\nprint('ESCAPED', '{0.__globals__[__builtins__]}'.format(f))",
    "format_map": "print('ESCAPED', '{x.__class__}'.format_map({'x': 1}))",
    "format of the class": "print('ESCAPED', str.format('{0.__class__}', 1))",
    "format by getattr": "print('ESCAPED', getattr('{0.__class__}', 'format')(1))",
    "format by map": "print('ESCAPED', list(map(str.format, ['{0.__class__}'], [1])))",
    "format in a subclass": (
        "class S(str):\n    def f(self, x): return super().format(x)\nprint('ESCAPED', S('{0.__class__}').f(1))"
    ),
    "format by super with arguments": (
        "class S(str):\n    def f(self, x): return super(S, self).format(x)\nprint('ESCAPED', S('{0.__class__}').f(1))"
    ),
    "format by getattr of super": (
        "class S(str):\n    def f(self, x): return getattr(super(), 'format')(x)\n"
        "print('ESCAPED', S('{0.__class__}').f(1))"
    ),
    "format by match": (
        "match '{0.__class__}':\n    case str(format=f):\n        print('ESCAPED', f(1))\n"
        "    case _:\n        raise ValueError('has none')"
    ),
    "format in the spec": "print('ESCAPED', '{0:{1.__class__}}'.format(1, 2))",
    "format in place": (
        "class S(str): pass\nclass A:\n    def __radd__(self, f): print('ESCAPED', f(1))\n"
        "s = S('{0.__class__}')\ns.format += A()"
    ),
    "obj in place": (
        "class E(AttributeError): pass\nclass A:\n    def __radd__(self, o): print('ESCAPED', o)\n"
        "E('x').obj += A()"
    ),
    "format by a dataclass pattern": (
        "import dataclasses\n@dataclasses.dataclass\nclass S(str):\n    format: str = dataclasses.field(init=False)\n"
        "match S():\n    case S(f):\n        print('ESCAPED', f)"
    ),
    "AttributeError.obj": "try:\n    (1).nope\nexcept AttributeError as e:\n    print('ESCAPED', e.obj)",
    "obj by match": (
        "try:\n    (1).nope\nexcept AttributeError as e:\n"
        "    match e:\n        case AttributeError(obj=o):\n            print('ESCAPED', o)\n"
        "        case _:\n            raise ValueError('has none')"
    ),
    "string.Formatter (CVE-2026-76825)": (
        "import string\n"
        "print('ESCAPED', string.Formatter().get_field('0.__class__', (1,), {}))"
    ),
    "f-string walk": "print('ESCAPED', f'{().__class__.__base__}')",
    "f-string spec walk": "print('ESCAPED', f'{1:{().__class__.__mro__}}')",
    # --- try/except* (CVE-2025-22153), parameters that shadow guards (CVE-2026-55830), Unicode, other syntax ---
    "except star": "try:\n    1/0\nexcept* ZeroDivisionError as e:\n    print('ESCAPED')",
    "async": "async def f():\n    pass\nprint('ESCAPED', f().cr_frame)",
    "async generator expression": "g = (x async for x in [])\nprint('ESCAPED', g)",
    "positional-only guards": "def f(__getattr__, /): return 1\nprint('ESCAPED')",
    "guard as a parameter": "def f(__import__): return 1\nprint('ESCAPED')",
    "guard as a lambda parameter": "f = lambda __builtins__=1: 1\nprint('ESCAPED')",
    "guard by walrus": "(__builtins__ := 1)\nprint('ESCAPED')",
    "guard by global": "def f():\n    global __builtins__\n    __builtins__ = {}\nf()\nprint('ESCAPED')",
    "guard by for": "for __import__ in [1]:\n    pass\nprint('ESCAPED')",
    "guard by with": (
        "import contextlib\nwith contextlib.nullcontext(1) as __build_class__:\n    pass\n"
        "print('ESCAPED')"
    ),
    "guard by except": "try:\n    1/0\nexcept ZeroDivisionError as __import__:\n    print('ESCAPED')",
    "guard by def": "def __import__(*a): pass\nprint('ESCAPED')",
    "guard by class": "class __import__: pass\nprint('ESCAPED')",
    "guard by super": (
        "for f in (super, dir):\n    if 'Guard' in repr(f) or 'namespace' in repr(f): print('ESCAPED', f)\n[].x"
    ),
    "guard by match": "match 1:\n    case __import__:\n        print('ESCAPED')",
    "guard by import as": "import math as __builtins__\nprint('ESCAPED')",
    "guard by keyword": "def f(**k): return k\nprint('ESCAPED', f(__class__=1))",
    "dunder in full-width letters": "print('ESCAPED', ().＿＿class＿＿.__base__)",
    "dunder in mathematical letters": "def f(): pass\nprint('ESCAPED', f.__𝑔𝑙𝑜𝑏𝑎𝑙𝑠__)",
    "name in mathematical letters": "𝑜𝑝𝑒𝑛('/etc/passwd')\nprint('ESCAPED')",
    "coding line": "# -*- coding: utf-7 -*-\nprint('x')\n+AGkAbQBwAG8AcgB0ACAAbwBz-\n",
    # --- classes that lie to C code ---
    "array interface": (
        "import numpy as np\nclass A:\n"
        "    __array_interface__ = {'shape': (8,), 'typestr': '|u1', 'data': (4096, True), 'version': 3}\n"
        "print('ESCAPED', np.array(A()))"
    ),
    "array interface by name list": (
        "import dataclasses\nA = dataclasses.make_dataclass('A', ['__array_interface__'])\nprint('ESCAPED')"
    ),
    "array interface by Enum call": "import enum\nA = enum.Enum('A', {'__array_interface__': {}})\nprint('ESCAPED')",
    "array interface by IntEnum call": "import enum\nA = enum.IntEnum('A', ['x'])\nprint('ESCAPED')",
    "array interface by partial": (
        "import functools\nclass A: pass\na = A()\nf = functools.partial(setattr, a)\n"
        "f('__array_interface__', {})\nprint('ESCAPED')"
    ),
    "wraps with names": (
        "import functools\ndef f(): pass\nclass A: pass\n"
        "functools.update_wrapper(A(), f, assigned=['__globals__'], updated=[])\nprint('ESCAPED')"
    ),
    "wraps on a facade function": (
        "import functools, math\nfunctools.update_wrapper(math.sin, math.cos)\n"
        "print('ESCAPED')"
    ),
    "buffer": "class A:\n    def __buffer__(self, f): return b''\nprint('ESCAPED')",
    "array method": "class A:\n    def __array__(self): return 1\nprint('ESCAPED')",
    "del method": "import gc\nclass A:\n    def __del__(self): print('ESCAPED')\nA()\ngc.collect()\nA().__del__()",
    "getattr method": (
        "import numpy as np, torch, copy, pickle, json, enum\nfrom torchvision.datasets import MNIST\n"
        "class A:\n    def __getattr__(self, n):\n        if n[:1] == '_': print('ESCAPED', n)\n"
        "        return {'shape': (4,), 'typestr': '<i8', 'data': (id(A), False), 'version': 3}\n"
        "class M(MNIST):\n    def __init__(self): pass\n    def __getattr__(self, n): return A()\n"
        "class N(torch.nn.Module):\n    def __init__(self): pass\n    __call__ = lambda self, *x: None\n"
        "    def __getattr__(self, n):\n        if n[:1] == '_': print('ESCAPED', n)\n        return {}\n"
        "class S(A):\n    def ask(self, n): return super().__getattr__(n)\n"
        "tries = [np.asarray, np.array, torch.tensor, torch.as_tensor, torch.from_numpy, np.sum, len, iter, dir,\n"
        "    copy.copy, copy.deepcopy, pickle.dumps, json.dumps, vars, lambda a: a + np.ones(2), hash, N.train,\n"
        "    lambda a: np.ones(2) @ a, torch.nn.Sequential, torch.utils.data.default_collate,\n"
        "    lambda a: [*torch.utils.data.DataLoader([a])], lambda a: torch.ones(2) * a, lambda a: torch.ones(2)[a],\n"
        "    lambda a: torch.save(a, 'x'), N.state_dict, lambda a: N.load_state_dict(a, a), lambda a: a[0]]\n"
        "for a in (A(), N(), M()):\n    for act in tries:\n"
        "        try: act(a)\n        except Exception: pass\n"
        "for base in (torch.Tensor, torch.autograd.Function, torch.optim.SGD):\n    try:\n"
        "        class T(base):\n            def __getattr__(self, n): return 1\n"
        "        print('ESCAPED', base)\n    except TypeError: pass\n"
        "for n in ('__dict__', '__class__', '__globals__', '_data', '__reduce__', '__self__', '__func__'):\n"
        "    for act in (lambda: S().ask(n), lambda: A.__getattr__(S(), n), lambda: A.__getattr__(np.ones(1), n),\n"
        "        lambda: torch.nn.Module.__getattr__(N(), n), lambda: A.__getattr__(print, n),\n"
        "        lambda: N().__getattr__(n)):\n"
        "        try: print('ESCAPED', n, act())\n        except (AttributeError, TypeError): pass\n"
        "for n in ('__closure__', '__code__', '__wrapped__', '__func__'):\n"
        "    try: print('ESCAPED', n, getattr(A().__getattr__, n))\n    except AttributeError: pass\n"
        "print('ESCAPED', getattr(A().__getattr__, '__globals__'))"
    ),
    "getattribute method": "class A:\n    def __getattribute__(self, n): return 1\nprint('ESCAPED')",
    "class attribute": "class A:\n    __class__ = int\nprint('ESCAPED')",
    "reduce method": "class A:\n    def __reduce__(self): return (print, ())\nprint('ESCAPED')",
    "dunder by setattr syntax": "class A: pass\na = A()\na.__class__ = int\nprint('ESCAPED')",
    "init_subclass of another kind": (
        "class A:\n    @lambda f: classmethod(print)\n    def __init_subclass__(cls): pass\nprint('ESCAPED')"
    ),
    "init_subclass of an unfinished class": (
        "class A:\n    def __init_subclass__(cls):\n"
        "        try: cls.x = 1\n        except AttributeError: print('ESCAPED')\nclass B(A): pass\nB.y"
    ),
    "init_subclass of an Enum": (
        "import enum\nclass E(enum.Enum):\n    def __init_subclass__(cls):\n"
        "        if [each.name for each in cls] != ['A']: print('ESCAPED')\nclass F(E): A = 1\nF.y"
    ),
    "the class behind super().__init_subclass__": (
        "class A:\n    def __init_subclass__(cls):\n        f = super().__init_subclass__\n"
        "        print('ESCAPED', f.__closure__, f.func, f.__self__)\nclass B(A): pass"
    ),
    "a class that is not offered, by the order of bases": (
        "import io, random\nclass A(random.Random): pass\nclass B(io.StringIO): pass\n"
        "for c in A.__mro__ + B.__mro__ + A.__bases__ + B.__bases__:\n"
        "    if c.__name__[0] == '_' or c.__module__ == '_random': print('ESCAPED', c)\nA.y"
    ),
    "the subclasses of a base": "class A: pass\nprint('ESCAPED', A.__bases__[0].__subclasses__())",
    "the bases of a class of ours": "import torch\nprint('ESCAPED', torch.optim.Adam.__mro__)",
    "other bases": "class A: pass\nclass B: pass\nclass C(A): pass\nC.__bases__ = (B,)\nprint('ESCAPED')",
    "torch_dispatch": "class A:\n    def __torch_dispatch__(self): pass\nprint('ESCAPED')",
    "slots": "class A:\n    __slots__ = ['__array_interface__']\nprint('ESCAPED')",
    "class by loop variable": "class A:\n    for __reduce__ in [1]:\n        pass\nprint('ESCAPED')",
    # --- changing what belongs to the next run ---
    "patch torch": "import torch\ntorch.tensor = 1\nprint('ESCAPED')",
    "patch torch by setattr": "import torch\nsetattr(torch, 'tensor', 1)\nprint('ESCAPED')",
    "patch a class": "import torch\ntorch.Tensor.backward = lambda self: None\nprint('ESCAPED')",
    "patch by augmented assignment": "import torch\ntorch.Tensor.grad += 1\nprint('ESCAPED')",
    "patch in a for target": "import torch\nfor torch.Tensor.backward in [1]:\n    pass\nprint('ESCAPED')",
    "patch in a with target": (
        "import torch, contextlib\nwith contextlib.nullcontext(1) as torch.Tensor.backward:\n    pass\nprint('ESCAPED')"
    ),
    "patch in a comprehension": "import torch\n[0 for torch.Tensor.backward in [1]]\nprint('ESCAPED')",
    "patch by unpacking": "import torch\n(torch.Tensor.backward, x) = 1, 2\nprint('ESCAPED')",
    "patch by del": "import torch\ndel torch.Tensor.backward\nprint('ESCAPED')",
    "patch math": "import math\nmath.pi = 3\nprint('ESCAPED')",
    "patch a builtin": "print.x = 1\nprint('ESCAPED')",
    "patch a builtin class": "int.x = 1\nprint('ESCAPED')",
    "patch an exception": "ValueError.__str__ = lambda e: 'x'\nprint('ESCAPED')",
    "patch an exception plainly": "ValueError.x = 1\nprint('ESCAPED')",
    "patch Counter through typing": "import typing\ntyping.Counter.most_common = 1\nprint('ESCAPED')",
    "patch Counter": "import collections\ncollections.Counter.most_common = 1\nprint('ESCAPED')",
    "patch a dtype": "import torch\ntorch.float32.x = 1\nprint('ESCAPED')",
    "dataclass on a facade class": "import dataclasses, torch\ndataclasses.dataclass(torch.Tensor)\nprint('ESCAPED')",
    "total_ordering on a facade class": (
        "import functools, torch\nfunctools.total_ordering(torch.Tensor)\n"
        "print('ESCAPED')"
    ),
    "patch a stand-in's class": "import torch\ntype(torch).tensor = 1\nprint('ESCAPED')",
    "derive from a stand-in's class": "import torch\nclass T(type(torch)): pass\nprint('ESCAPED')",
    "patch a method": "import torch\nx = torch.tensor(1.)\nx.backward.y = 1\nprint('ESCAPED')",
    # --- private names of the facade ---
    "data of a tensor": "import torch\nprint('ESCAPED', torch.tensor(1.)._data)",
    "data by getattr": "import torch\nprint('ESCAPED', getattr(torch.tensor(1.), '_data'))",
    "data in a subclass": (
        "import torch\nclass T(torch.Tensor):\n    def f(self): return self._data\n"
        "print('ESCAPED', T.f(torch.tensor(1.)))"
    ),
    "data of the class": "import torch\nprint('ESCAPED', torch.Tensor._data)",
    "data by match": (
        "import torch\nmatch torch.tensor(1.):\n    case torch.Tensor(_data=a):\n"
        "        print('ESCAPED', a)"
    ),
    "data by super": (
        "import torch\nclass T(torch.Tensor):\n    def f(self): return super()._data\nprint('ESCAPED', T([1.]).f())"
    ),
    "data by attrgetter": "import torch, operator\nprint('ESCAPED', operator.attrgetter('_data')(torch.tensor(1.)))",
    "data by format": "import torch\nprint('ESCAPED', '{0._data}'.format(torch.tensor(1.)))",
    "write the data": "import torch\nx = torch.tensor(1.)\nx._data = 5\nprint('ESCAPED')",
    "saved items": (
        "import torch\nx = torch.tensor(1., requires_grad=True)\n"
        "print('ESCAPED', (x * x).grad_fn.saved_items())"
    ),
    "saved of a node": (
        "import torch\nx = torch.tensor(1., requires_grad=True)\nprint('ESCAPED', (x * x).grad_fn.saved[0].data)"
    ),
    "state of a node": (
        "import torch\nx = torch.tensor(1., requires_grad=True)\n(x * x).grad_fn.params = {}\nprint('ESCAPED')"
    ),
    "row of a node": "import torch\nx = torch.tensor(1., requires_grad=True)\nprint('ESCAPED', (x * x).grad_fn.row)",
    "text stream's door": "import sys\nprint('ESCAPED', sys.stdout._send)",
    "random's module": "import random\nprint('ESCAPED', random.Random._os)",
    "deepcopy with a memo": (
        "import copy, torch\nmemo = {}\ncopy.deepcopy(torch.tensor(1.), memo)\nprint('ESCAPED', memo)"
    ),
    "get_type_hints": "import typing\nprint('ESCAPED', typing.get_type_hints)",
    "ForwardRef": "import typing\nprint('ESCAPED', typing.List['x'].__args__[0]._evaluate)",
    "singledispatch": "import functools\nprint('ESCAPED', functools.singledispatch)",
    # --- NumPy's doors ---
    "tofile": "import numpy as np\nnp.ones(3).tofile('x')\nprint('ESCAPED')",
    "tofile of a scalar": "import numpy as np\nnp.float64(3).tofile('x')\nprint('ESCAPED')",
    "tofile by getattr": "import numpy as np\ngetattr(np.ones(3), 'tofile')('x')\nprint('ESCAPED')",
    "dump": "import numpy as np\nnp.ones(3).dump('x')\nprint('ESCAPED')",
    "array ctypes": "import numpy as np\nprint('ESCAPED', np.ones(3).ctypes)",
    "array data": "import numpy as np\nprint('ESCAPED', np.ones(3).data)",
    "array base": "import numpy as np\nprint('ESCAPED', np.ones(3).base)",
    "array strides": "import numpy as np\na = np.ones(3)\na.strides = (1 << 20,)\nprint('ESCAPED')",
    "array dtype": "import numpy as np\na = np.ones(3)\na.dtype = object\nprint('ESCAPED')",
    "array shape": "import numpy as np\na = np.ones(3)\na.shape = (1 << 20,)\nprint('ESCAPED')",
    "array resize": "import numpy as np\na = np.ones(3)\na.resize(100, refcheck=False)\nprint('ESCAPED')",
    "array resize of a raw array": (
        "import numpy as np\na = np.ones(3).nonzero()[0]\na.resize(100, refcheck=False)\nprint('ESCAPED')"
    ),
    "array interface among the modules": (
        "import numpy as np\nimport torch\nm = torch.nn.Module()\n"
        "m._modules['__array_interface__'] = {'shape': (8,), 'typestr': '|u1', 'data': (4096, True), 'version': 3}\n"
        "print('ESCAPED', torch.tensor(m))"
    ),
    "array interface as replaced modules": (
        "import torch\nclass M(torch.nn.Module):\n    def f(self): self._modules = {'__array_interface__': {}}\n"
        "M().f()\nprint('ESCAPED')"
    ),
    "array interface in a ParameterDict": (
        "import torch\nd = torch.nn.ParameterDict()\nd['__array_interface__'] = {}\nprint('ESCAPED')"
    ),
    "array interface in a back end": (
        "import torch\nB = type(torch.backends.cudnn)\n"
        "i = {'shape': (8,), 'typestr': '|u1', 'data': (4096, True), 'version': 3}\n"
        "print('ESCAPED', torch.tensor(B('x', **{'__array_interface__': i})))"
    ),
    "activation that lies": (
        "import torch\nclass S(str):\n    def __eq__(self, o): return True\n    def __hash__(self): return 1\n"
        "l = torch.nn.TransformerEncoderLayer(4, 2, activation=S('__dict__'))\n"
        "print('ESCAPED', l.activation['__builtins__'])"
    ),
    "class of a ParameterDict": "import torch\nprint('ESCAPED', torch.nn.ParameterDict()['__class__'])",
    "dict of a ParameterDict": "import torch\nprint('ESCAPED', torch.nn.ParameterDict()['__dict__'])",
    "array interface in a scheduler": (
        "import torch\no = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)\n"
        "s = torch.optim.lr_scheduler.StepLR(o, 1)\ns.load_state_dict({'__array_interface__': {}})\nprint('ESCAPED')"
    ),
    "function of an activation": (
        "import torch\nm = torch.nn.ReLU()\nm.function = '__getattribute__'\nprint('ESCAPED', m('__builtins__'))"
    ),
    "function of an activation's class": (
        "import torch\nclass R(torch.nn.ReLU):\n    function = '__getattribute__'\n"
        "print('ESCAPED', R()('__builtins__'))"
    ),
    "objects in an array": "import numpy as np\nprint('ESCAPED', np.ones(3).astype(object))",
    "objects from numbers": "import numpy as np\nprint('ESCAPED', np.ones(3).view('O'))",
    "structured view": "import numpy as np\nprint('ESCAPED', np.ones(3).view([('a', 'O')]))",
    "ndarray from nothing": "import numpy as np\nprint('ESCAPED', np.ndarray((10,), 'u1'))",
    "ndarray of the type": "import numpy as np\nprint('ESCAPED', type(np.ones(3))((10,)))",
    "derive from ndarray": "import numpy as np\nclass A(np.ndarray): pass\nprint('ESCAPED')",
    "np.load": "import numpy as np\nnp.load('x')\nprint('ESCAPED')",
    "np.save": "import numpy as np\nnp.save('/etc/x', [1])\nprint('ESCAPED')",
    "np.fromfile": "import numpy as np\nnp.fromfile('/etc/passwd')\nprint('ESCAPED')",
    "np.memmap": "import numpy as np\nnp.memmap('/etc/passwd')\nprint('ESCAPED')",
    "np.ctypeslib": "import numpy as np\nprint('ESCAPED', np.ctypeslib)",
    "np.lib.stride_tricks": (
        "import numpy as np\nprint('ESCAPED', np.lib.stride_tricks.as_strided(np.ones(2), (9999,), (8,)).sum())"
    ),
    "np.core": "import numpy._core.multiarray as m\nprint('ESCAPED', m.array([1]))",
    "np.genfromtxt": "import numpy as np\nnp.genfromtxt('/etc/passwd')\nprint('ESCAPED')",
    "array of a tensor": (
        "import torch\nx = torch.ones(3).numpy()\nx.tofile('x')\nprint('ESCAPED')"
    ),
    # --- torch's own doors ---
    "torch.load": "import torch\ntorch.load('/etc/passwd')\nprint('ESCAPED')",
    "torch.save": "import torch, sys\ntorch.save([1], sys.stdout)\nprint('ESCAPED')",
    "torch.hub": "import torch\ntorch.hub.load('a', 'b')\nprint('ESCAPED')",
    "torch from_file": "import torch\ntorch.from_file('x')\nprint('ESCAPED')",
    "torch.utils.cpp_extension": "import torch.utils.cpp_extension as c\nprint('ESCAPED', c.is_ninja_available())",
    # --- print ---
    "print to an own file": (
        "class F:\n    def write(self, s): raise ValueError(s)\nprint('x', file=F())\nprint('ESCAPED')"
    ),
    "print with a lying separator": (
        "class S(str):\n    def join(self, x): return open('/etc/passwd')\nprint(1, 2, sep=S('-'))\n"
        "open('x')\nprint('ESCAPED')"
    ),
    # --- exceptions that lie ---
    "KeyboardInterrupt": "raise KeyboardInterrupt\nprint('ESCAPED')",
    "GeneratorExit": "raise GeneratorExit\nprint('ESCAPED')",
}  # fmt: skip
