"""What a fifteenth attack tried, on what was opened last: the storage of a tensor, searches for file names, games that
begin again by themselves, pylab and other small modules, attached modules. All of it held."""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

_T = "import torch\n"
_STORAGES = {
    "an index that lies": (
        "class I(int):\n    def __ge__(self, other): return True\n    def __lt__(self, other): return True\n"
        "    __le__ = __gt__ = __ge__\n    def __mod__(self, other): return 10 ** 6\n"
        "    def __index__(self): return 10 ** 6\n"
        "s = torch.arange(4.).storage()\ntry: print('ESCAPED', s[I(10 ** 6)])\nexcept IndexError: pass\n"
        "try: s[I(-10 ** 6)] = 1.\nexcept IndexError: pass\nelse: print('ESCAPED')"
    ),
    "a slice that shrinks the tensor": (
        "class I:\n    def __index__(self): x.resize_(0); x.set_(torch.zeros(1)); return 3\n"
        "x = torch.arange(8.)\ns = x.storage()\nu = x.untyped_storage()\ns[I():] = 5.\n"
        "if list(s) != [0., 1., 2., 5., 5., 5., 5., 5.] or len(u[I():]) > 32: print('ESCAPED', list(s))"
    ),
    "a tensor that grows and shrinks": (
        "x = torch.arange(8.)\ns = x.storage()\nfor n in (10 ** 6, 0, 5, 10 ** 5, 1):\n"
        "    x.resize_(n).fill_(7.)\n"
        "    for i in range(len(s)): s[i] = float(i)\n"
        "    if list(s) != list(map(float, range(len(s)))): print('ESCAPED')"
    ),
    "a value that empties the tensor": (
        "class V:\n    def __float__(self): x.resize_(0); s[0] = 1.; return 5.\n"
        "x = torch.arange(8.)\ns = x.storage()\ntry: s[:] = V()\nexcept TypeError: pass\n"
        "if [v for v in s if v not in range(8)]: print('ESCAPED', list(s))"
    ),
    "bytes that nobody may change": (
        "b = b'abcdefgh'\ntry: torch.frombuffer(b, dtype=torch.uint8).storage()[0] = 90\n"
        "except (RuntimeError, ValueError, TypeError): pass\nif b[0] != 97: print('ESCAPED', b)"
    ),
    "truths that are 255": (
        "b = torch.zeros(100, dtype=torch.bool)\ns = b.view(torch.uint8).storage()\nfor i in range(100): s[i] = 255\n"
        "found = torch.arange(100)[b], b.nonzero(), torch.masked_select(torch.arange(100), b)\n"
        "if [len(each) for each in found] != [100] * 3: print('ESCAPED', found)"
    ),
    "indices that change before the backward pass": (
        "k = torch.tensor([0, 1, 2])\nx = torch.ones(5, requires_grad=True)\ne = torch.ones(5, 2, requires_grad=True)\n"
        "ends = [x[k], x.gather(0, k), x.index_select(0, k), torch.nn.functional.embedding(k, e)]\n"
        "k.storage()[0] = 2 ** 40\nk.storage()[1] = -2 ** 40\nfor y in ends:\n    try: y.sum().backward()\n"
        "    except (RuntimeError, IndexError): pass\n"
        "for g in (x.grad, e.grad):\n    if g is not None and (g.abs() > 4).any(): print('ESCAPED', g)"
    ),
    "a place beyond its end": (
        "x = torch.arange(6.)\nfor a in ((0, (7,), (1,)), (5, (2,), (1,)), (0, (2, 2), (2 ** 62, 1)),\n"
        "          (2 ** 62, (1,), (1,)), (-1, (2,), (1,))):\n    y = torch.empty(0)\n"
        "    try: y.set_(x.storage(), *a)\n"
        "    except (RuntimeError, OverflowError, TypeError): continue\n"
        "    if y.numel() and not y.sum() <= 15: print('ESCAPED', a, y)"
    ),
    "the tensor inside": (
        "import operator\ns = torch.ones(1).storage()\n"
        "for read in (lambda: getattr(s, '_whole'), lambda: operator.attrgetter('_whole')(s), lambda: vars(s),\n"
        "             lambda: '{0._whole}'.format(s), lambda: type(s)(), lambda: setattr(s, '_whole', 5)):\n"
        "    try: print('ESCAPED', read())\n    except (AttributeError, TypeError): pass"
    ),
    "its methods with another's inside": (
        "class A: pass\na = A()\nS = type(torch.ones(1).storage())\nfor inside in (a, 'abc', [1], torch, len):\n"
        "    a._whole = inside\n    for read in (S.tolist, S.untyped, S.data_ptr, S.__len__, S.size):\n"
        "        try: found = read(a)\n        except (AttributeError, TypeError): continue\n"
        "        if type(found) not in (int, list): print('ESCAPED', found)"
    ),
    "where it lies": (
        "x = torch.ones(3)\ns = x.storage()\n"
        "told = (x.data_ptr(), s.data_ptr(), x.untyped_storage().data_ptr(), id(s), hash(s), hash(type(s)))\n"
        "if [n for n in told if n > 2 ** 44]: print('ESCAPED', told)\n"
        "for text in (repr(s.size), repr(iter(s)), repr(torch.storage), repr(s.__len__)):\n"
        "    for rest in text.split('0x')[1:]:\n"
        "        if int(rest[:12].strip('>'), 16) > 2 ** 44: print('ESCAPED', text)"
    ),
}
_SMALL = {
    "codecs of other modules": (
        "import codecs\nopen('a', 'w').write('x')\n"
        "for name in ('encodings.rot_13', '../SECRET', 'os', 'rot13', 'zip', 'idna', 'undefined', 'unicode_escape'):\n"
        "    try: print('ESCAPED', codecs.open('a', 'r', name).read())\n    except LookupError: pass"
    ),
    "what platform stands on": (
        "import platform, codecs, multiprocessing\nfor module in (platform, codecs, multiprocessing):\n"
        "    for name in ('os', 'sys', 'subprocess', 'builtins', 'util', 'node', 'uname', '__globals__', '__dict__'):\n"
        "        for thing in (module, getattr(module, 'system', module)):\n"
        "            try: print('ESCAPED', getattr(thing, name))\n            except AttributeError: pass"
    ),
    "files and memory by pylab": (
        "import pylab\n"
        "for name in ('os', 'sys', 'ctypeslib', 'matrixlib', 'core', 'nested_iters', 'DataSource', 'f2py'):\n"
        "    try: print('ESCAPED', getattr(pylab, name))\n    except AttributeError: pass\n"
        "try: print('ESCAPED', pylab.fromfile('SECRET', 'u1'))\nexcept FileNotFoundError: pass"
    ),
    "star imports over the hooks": (
        "from pylab import *\nfrom os import *\nfrom torch import *\nfrom gymnasium.wrappers import *\n"
        "from torchvision.transforms import *\n"
        "hidden = [name for name in globals() if '<' in name or name in ('__builtins__', '__loader__', '__spec__')]\n"
        "if hidden: print('ESCAPED', hidden)\nprint(getcwd(), environ)\n"
        "try: system('')\nexcept ImportError: pass\nelse: print('ESCAPED')"
    ),
}
_GAMES = {
    "an action that is clipped": (
        "import gymnasium\nclass A:\n    def clip(self, *given, **how): print('ESCAPED', given, how); return [1.]\n"
        "    def __getitem__(self, i): return 1.\n    def __len__(self): return 1\n"
        "env = gymnasium.make('Pendulum-v1', max_episode_steps=1)\nenv.reset(seed=1)\n"
        "for action in (A(), [A()]):\n    try: env.step(action)\n    except (TypeError, ValueError): pass"
    ),
    "the rules behind a game": (
        "import gymnasium\nenv = gymnasium.make('CartPole-v1', max_episode_steps=1)\n"
        "env.reset(seed=1)\ntable = env.step(1)[4]\nfor thing in (env, env.spec, env.unwrapped, *table.values()):\n"
        "    for name in ('_rules', '_source', 'np_random', 'base', 'kwargs', 'entry_point'):\n"
        "        try: print('ESCAPED', getattr(thing, name))\n        except AttributeError: pass"
    ),
}
_SEARCHES = {
    "a pattern that is another when it is split": (
        "import glob\nclass S(str):\n    def split(self, *given): return ['..', '..', 'etc', 'passwd']\n"
        "    def startswith(self, *given): return True\n    def lstrip(self, *given): return self\n"
        "if glob.glob(S('x')) or glob.glob('/etc/*') or glob.glob('FOLDER/*'): print('ESCAPED')"
    ),
    "the root of a search": (
        "import glob, pathlib\nfor root in ('/etc', 'FOLDER', '/proc/self', pathlib.Path('FOLDER')):\n"
        "    for pattern in ('*', '**', '../*', 'secret.txt'):\n"
        "        found = glob.glob(pattern, root_dir=root, recursive=True, include_hidden=True)\n"
        "        if [name for name in found if 'secret' in name or 'passwd' in name]: print('ESCAPED', found)"
    ),
}
_MODULES = {
    "modules that are called as codecs are": (
        "for act in (lambda: 'x'.encode('wave'), lambda: open('q', 'w', -1, 'wave'), lambda: b'x'.decode('wave')):\n"
        "    try: print('ESCAPED', act())\n    except (LookupError, PermissionError): pass",
        (("encodings/wave.py", "def getregentry(): print('ESCAPED')"), ("wave.py", "print('ESCAPED')")),
    ),
    "modules that take the place of hooks": (
        "import helper\nfor name in ('<get>', '<write>', '__builtins__', '__dict__', '__loader__', '__spec__'):\n"
        "    for act in (getattr, lambda *q: setattr(*q, print), delattr):\n"
        "        try: print('ESCAPED', act(helper, name))\n        except (AttributeError, TypeError): pass\n"
        "from helper import *\nprint(table)",
        (("helper.py", "__all__ = ['table', '<get>', '__builtins__']\ntable = sorted(globals())"),),
    ),
}

STORAGES_AND_GAMES: list[Attack] = [
    *listed("Storages of tensors", {name: _T + source for name, source in _STORAGES.items()}),
    *listed("Helpers of scripts", _SMALL),
    *listed("Stand-ins: games", _GAMES),
    *listed("The folder of a run: searches", _SEARCHES),
    *[Attack("Attached files", name, source, files=files) for name, (source, files) in _MODULES.items()],
]
