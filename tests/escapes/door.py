"""What the folder of a run, the modules over it and the imports that are not there might let in: real files by tricks
with names, objects made of bytes, what lies behind a file, too many files."""

from __future__ import annotations

from tests.escapes.attack import HIDDEN, Attack, listed

_READ = "try: print(%s)\nexcept (OSError, ValueError, TypeError, AttributeError, EOFError, LookupError): pass"


def _tries(*reads: str) -> str:
    return "import os, io, glob, shutil, pathlib, tempfile, torch\nimport numpy as np\n" + "\n".join(
        _READ % each for each in reads
    )


_NAMES = {
    "a whole path": _tries(
        "open('SECRET').read()", "io.open('SECRET', 'rb').read()", "pathlib.Path('SECRET').read_text()"
    ),
    "a path from the root": _tries("os.chdir('/') or open('SECRET'[1:]).read()", "open('//' + 'SECRET').read()"),
    "a path with dots": _tries("open('../../../..' + 'SECRET').read()", "open('/tmp/../' + 'SECRET').read()"),
    "a link": _tries("open('FOLDER/link').read()", "open(os.path.realpath('FOLDER/link')).read()"),
    "a path of bytes": _tries(
        "open(b'SECRET').read()", "os.listdir(b'FOLDER')", "os.path.exists(os.fsencode('SECRET'))"
    ),
    "a descriptor": _tries("open(0).read()", "open(3, 'rb').read()", "os.fdopen(0).read()", "os.read(3, 100)"),
    "an opener": _tries("open('x', opener=lambda name, flags: 3).read()"),
    "a text that is another one": (
        "class S(str):\n    def __str__(self): return 'SECRET'\n    def __add__(self, o): return 'SECRET'\n"
        "    def __getitem__(self, k): return 'SECRET'\n"
        + _tries("open(S('x')).read()", "np.loadtxt(S('x'))", "torch.load(S('x'))", "pathlib.Path(S('x')).read_text()")
    ),
    "a path that is another one": (
        "import pathlib\nclass P(pathlib.Path):\n    def __str__(self): return 'SECRET'\n    _text = 'SECRET'\n"
        + _tries("open(P('x')).read()", "np.load(P('x'))")
    ),
    "a path whose text is changed": (
        "import pathlib\np = pathlib.Path('x')\nclass P(pathlib.Path): pass\nq = P('x')\nfor each in (p, q):\n"
        "    try:\n        each._text = 5\n        print('ESCAPED')\n    except AttributeError: pass"
    ),
    "an object that says where it is": (
        "class P:\n    def __str__(self): return 'SECRET'\n"
        + _tries("open(P()).read()", "np.load(P())", "torch.load(P())", "np.loadtxt(P())", "glob.glob(P())")
    ),
    "what is in a folder": _tries(
        "os.listdir('FOLDER')", "list(os.walk('FOLDER'))", "glob.glob('FOLDER/*')",
        "list(pathlib.Path('FOLDER').iterdir())"
    ),
    "whether a file is there": (
        "import os, pathlib\nif os.path.exists('SECRET') or os.path.isfile('SECRET') or "
        "pathlib.Path('SECRET').exists() "
        "or os.path.isdir('FOLDER') or os.path.lexists('FOLDER/link'):\n    print('LEARNED')"
    ),
    "facts of a file": _tries(
        "os.stat('SECRET').st_mtime", "os.path.getmtime('SECRET')", "os.path.getctime('SECRET')",
        "pathlib.Path('SECRET').stat()"
    ),
    "a copy of a file": _tries(
        "open(shutil.copy('SECRET', 'x')).read()", "open(shutil.move('SECRET', 'x')).read()", "os.rename('SECRET', 'x')"
    ),
    "a file to write": _tries(
        "open('SECRET', 'w').write('x')", "open('FOLDER/new', 'wb').write(b'x')", "pathlib.Path('FOLDER/n').touch()",
        "np.savetxt('FOLDER/t.txt', [1.0])", "np.save('FOLDER/a.npy', [1.0])", "torch.save(1, 'FOLDER/b.pt')",
        "os.makedirs('FOLDER/c')", "os.remove('SECRET')", "shutil.rmtree('FOLDER')",
    ),
    "files of the system": _tries(
        "open('/proc/self/environ').read()", "open('/proc/self/maps').read()", "open('/dev/fd/3', 'rb').read()",
        "open('/etc/passwd').read()", "os.listdir('/proc')", "open('/dev/null', 'r').read()",
    ),
    "NumPy opens a name": _tries(
        "np.load('FOLDER/secret.npy')", "np.loadtxt('SECRET', dtype=str)", "np.genfromtxt('SECRET', dtype=str)",
        "np.loadtxt(['SECRET'], dtype=str, converters=open)", "np.load('FOLDER/secret.npy', mmap_mode='r')",
        "np.genfromtxt('http://127.0.0.1:PORT/x')", "np.fromfile('SECRET')", "np.memmap('SECRET')",
    ),
    "a compressed file": (
        "import gzip\nfor name in ('SECRET', 'FOLDER/secret.npy', b'SECRET', 3):\n"
        "    for mode in ('rb', 'rt', 'w', 'ab'):\n"
        "        try: print(gzip.open(name, mode).read(), gzip.GzipFile(name, mode).read())\n"
        "        except (OSError, TypeError): pass"
    ),
    "what the computer is": (
        "import os, tempfile, pathlib\nimport os.path as p\n"
        "if dict(os.environ) or os.cpu_count() != 1 or os.getpid() != 1 or tempfile.gettempdir() != '/tmp' "
        "or not os.getcwd().startswith('/home/you') or not p.expanduser('~').startswith('/home/you') "
        "or not str(pathlib.Path.home()).startswith('/home/you') or not p.abspath('x').startswith('/home/you'):\n"
        "    print('ESCAPED')"
    ),
}  # fmt: skip
_BYTES = {
    "a pickle that calls": (
        "import pickle, io\nfor load in (pickle.loads, lambda b: pickle.load(io.BytesIO(b))):\n"
        "    try: load(b\"cos\\nsystem\\n(S'touch FOLDER/made'\\ntR.\")\n"
        "    except Exception as e:\n        if type(e).__name__ not in ('UnpicklingError', 'TypeError'): "
        "print('ESCAPED', e)"
    ),
    "a pickle from a file": (
        "import pickle\nwith open('x', 'wb') as f: f.write(b\"cbuiltins\\neval\\n(S'print(1)'\\ntR.\")\n"
        "print('ESCAPED', pickle.load(open('x', 'rb')))"
    ),
    "a pickle with a longer name": (
        "import pickle\nprint('ESCAPED', pickle.loads(b'\\x80\\x04\\x8c\\x08builtins\\x8c\\x04eval\\x93.'))"
    ),
    "each instruction of a pickle": (
        "import pickle\nplain = (int, float, bool, str, bytes, list, tuple, dict, set, frozenset, type(None))\n"
        "starts = [b'', b'(', b'}', b']', b'\\x8c\\1a\\x8c\\1b', b'K\\1K\\2', b'(K\\1', b')}K\\1']\n"
        "ends = [b'.', b'\\x01.', b'\\x01\\0\\0\\0.', b'a\\nb\\n.', b'\\x01a.', b'R.', b'K\\1\\x85R.']\n"
        "for data in (start + bytes([code]) + end for start in starts for code in range(256) for end in ends):\n"
        "    try: found = pickle.loads(data)\n"
        "    except (pickle.UnpicklingError, EOFError): continue\n"
        "    if type(found) not in plain: print('ESCAPED', found)"
    ),
    "a pickle of an object by all instructions": (
        "import pickle\nname, text = b'\\x8c\\x08builtins\\x8c\\x04eval\\x93', b'\\x8c\\x10' + b'print(\"ESCAPED\")'\n"
        "made = [name + text + b'\\x85' + end for end in (b'R.', b'\\x81.', b'}\\x92.', b'b.')]\n"
        "made += [b'(ibuiltins\\neval\\n.', b'(cbuiltins\\neval\\nK\\1o.', b'P1\\n.', b'K\\x01Q.', b'\\x82\\x01.']\n"
        "for each in made:\n"
        "    try: print('ESCAPED', pickle.loads(b'\\x80\\x05' + each))\n"
        "    except pickle.UnpicklingError: pass"
    ),
    "what pickling calls": (
        "import pickle, collections\nclass A:\n"
        "    def __iter__(self): print('ESCAPED')\n"
        "class L(list, A): pass\nclass D(dict, A): pass\nclass T(str, A): pass\nclass N(int, A): pass\n"
        "for thing in (A(), L([1]), D(a=1), T('a'), N(1), collections.OrderedDict(a=A())):\n"
        "    for holder in (thing, [thing], {1: thing}, (thing, [thing])):\n"
        "        try: found = pickle.loads(pickle.dumps(holder))\n"
        "        except TypeError: pass"
    ),
    "a file for pickles that lies": (
        "import pickle\nclass B(bytes):\n"
        "    def startswith(self, *given): return False\n"
        "    def __getitem__(self, at): return b'cos\\nsystem\\n'\n"
        "    def __add__(self, other): return other\n"
        "class F:\n"
        "    def read(self, size=-1): return B(b'cos\\nsystem\\n(S\"touch FOLDER/made\"\\ntR.')\n"
        "    def seek(self, *given): pass\n"
        "try: print('ESCAPED', pickle.load(F()))\nexcept pickle.UnpicklingError: pass"
    ),
    "keys of a pickle whose hash goes deep": (
        "import pickle\ndata = b'}' + b')' + b'\\x85' * 10**4 + b'K\\x01s.'\n"
        "try: print('ESCAPED', len(pickle.loads(data)))\nexcept pickle.UnpicklingError: pass"
    ),
    "an unpickler": "import pickle\nprint('ESCAPED', pickle.Unpickler(open('x', 'wb')))",
    "a mark of another number": (
        "import pickle\nm = pickle.dumps(1)\nfor n in (1, 2, 99, -1):\n"
        "    try: print('ESCAPED', pickle.loads(b'GradViz object %12d\\n' % n))\n    except "
        "pickle.UnpicklingError: pass"
    ),
    "a mark of odd digits": (
        "import pickle\npickle.dumps(1)\nfor n in (b'           \\xb2', b'          +0', b'         0_0', b'0   "
        "        '):\n"
        "    try: print('ESCAPED', pickle.loads(b'GradViz object ' + n + b'\\n'))\n    except "
        "pickle.UnpicklingError: pass"
    ),
    "a class that is made of a pickle": (
        "import pickle\nclass A:\n    def __reduce__(self): return (print, "
        "('ESCAPED',))\npickle.loads(pickle.dumps(A()))"
    ),
    "objects in an array": (
        "import numpy as np, io\nh = b\"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\"\n"
        "h += b' ' * (117 - len(h)) + b'\\n'\nopen('x.npy', 'wb').write(b'\\x93NUMPY\\x01\\x00' + "
        "len(h).to_bytes(2, 'little')"
        " + h + b\"cos\\nsystem\\n(S'touch FOLDER/made'\\ntR.\")\nprint('ESCAPED', np.load('x.npy', allow_pickle=True))"
    ),
    "a header that is code": (
        "import numpy as np\nh = b\"{'descr': print('ESCAPED'), 'fortran_order': False, 'shape': (1,), }\"\n"
        "open('x.npy', 'wb').write(b'\\x93NUMPY\\x01\\x00' + len(h).to_bytes(2, 'little') + h)\nnp.load('x.npy')"
    ),
    "fields in an array": (
        "import numpy as np\nh = b\"{'descr': [('a', '|O'), ('b', '<f8')], 'fortran_order': False, 'shape': (1,), }\"\n"
        "open('x.npy', 'wb').write(b'\\x93NUMPY\\x01\\x00' + len(h).to_bytes(2, 'little') + h + b'x' * 16)\n"
        "print('ESCAPED', np.load('x.npy', allow_pickle=True))"
    ),
    "a shape that is too large": (
        "import numpy as np\nfor shape in ('(4294967296, 4294967296)', '(-1,)', '(9,)', '(1 << 62,)', '(2.5,)'):\n"
        "    h = (\"{'descr': '<f8', 'fortran_order': False, 'shape': %s, }\" % shape).encode()\n"
        "    open('x.npy', 'wb').write(b'\\x93NUMPY\\x01\\x00' + len(h).to_bytes(2, 'little') + h + b'x' * 16)\n"
        "    try: print('ESCAPED', np.load('x.npy'))\n    except (ValueError, MemoryError, OverflowError): pass"
    ),
    "a buffer of objects": "import numpy as np\nprint('ESCAPED', np.frombuffer(b'x' * 64, dtype=object))",
    "a buffer beyond its end": (
        "import numpy as np\nfor n, at in ((99, 0), (1, 99), (1, -8), (-2, 8)):\n    try: found = "
        "np.frombuffer(b'x' * 8, 'u1', n, at)\n"
        "    except ValueError: continue\n    if bytes(found.tolist()).strip(b'x'): print('ESCAPED', found)"
    ),
    "a buffer that is written": (
        "import numpy as np\nb = bytes(8)\na = np.frombuffer(b, 'u1')\na[0] = 7\nif b[0]: print('ESCAPED')"
    ),
    "text that becomes objects": (
        "import numpy as np\nprint('ESCAPED', np.genfromtxt(['1 a'], dtype=object), np.loadtxt(['1'], dtype=object))"
    ),
    "names that become fields": "import numpy as np\nprint('ESCAPED', np.genfromtxt(['a b', '1 2'], names=True))",
}
_BEHIND = {
    "what a file is made of": (
        "f = open('x', 'w')\nfor name in ('_inner', '_content', 'buffer', 'raw', 'detach', '_checkClosed'):\n"
        "    try: print('ESCAPED', getattr(f, name))\n    except AttributeError: pass"
    ),
    "a file of one's own": "f = open('x', 'w')\nmade = type(f)('y', 'r', f)\nprint('ESCAPED')",
    "a file that is another": "f = open('x', 'w')\nclass F(type(f)): pass\nprint('ESCAPED')",
    "a method of a file on another thing": (
        "import io\nf = open('x', 'w')\nclass A:\n    mode = 'r'\n    _inner = io.StringIO('x')\n"
        "for thing in (A(), io.BytesIO(), 3, f.read, type(f)):\n"
        "    try: print('ESCAPED', type(f).read(thing))\n    except TypeError: pass"
    ),
    "the text of a Path of another thing": (
        "import pathlib\nclass A: _text = '/x'\nfor f in (pathlib.Path.__str__, pathlib.Path.exists, "
        "pathlib.Path.read_bytes):\n"
        "    try: f(A())\n    except TypeError: continue\n    print('ESCAPED')"
    ),
    "the reader of a table": (
        "import csv\nr = csv.reader(['a,b'])\nfor name in ('dialect', 'gi_frame', 'gi_code', 'line_num', '_rows'):\n"
        "    try: print('ESCAPED', getattr(r, name))\n    except AttributeError: pass"
    ),
    "the module behind a module": (
        "import os, shutil, glob, pickle, csv, tempfile\nfor each in (os, shutil, glob, pickle, csv, tempfile, "
        "os.path):\n"
        "    for name in ('sys', 'os', 'io', 'posixpath', 'posix', 'abc', 'genericpath', '_io', 'fnmatch'):\n"
        "        if each is os and name == 'path': continue\n"
        "        try: print('ESCAPED', getattr(each, name))\n        except AttributeError: pass"
    ),
    "a program": (
        "import os, shutil\nfor act in (lambda: os.system('touch FOLDER/m'), lambda: os.popen('x'), lambda: os.fork(), "
        "lambda: os.kill(VICTIM, 9), lambda: shutil.which('sh'), lambda: os.execv('/bin/sh', ['sh'])):\n"
        "    try: print('ESCAPED', act())\n    except AttributeError: pass"
    ),
    "an import that is not there": (
        "import ctypes, subprocess as s, gc as g\nfrom socket import socket\nfor act in (lambda: ctypes.CDLL(None), "
        "lambda: s.run(['touch', 'FOLDER/m']), lambda: socket().connect(('127.0.0.1', PORT)), lambda: "
        "ctypes._CFuncPtr, "
        "lambda: ctypes._path, lambda: type(ctypes)('os').system('x'), lambda: vars(ctypes)):\n"
        "    try: print('ESCAPED', act())\n    except (ImportError, AttributeError, TypeError): pass"
    ),
    "an import beside one that is there": (
        "import numpy.ctypeslib, torch.utils.cpp_extension, os.path, collections.sys\n"
        "from random import _os, SystemRandom\nprint('ESCAPED', _os)"
    ),
    "an import in a class": (
        "class A:\n    import subprocess as __x\n    from os import system as run\n"
        "try: print('ESCAPED', A().run('touch FOLDER/m'))\nexcept (ImportError, TypeError): pass"
    ),
    "the table of the environment": (
        "import os\nos.environ['LD_PRELOAD'] = 'FOLDER/x.so'\nos.environ.update(PYTHONPATH='FOLDER')\n"
        "if type(os.environ) is not dict or os.getenv('PATH'): print('ESCAPED')"
    ),
}
_VISION = {
    "what transforms give to a function": (
        "import torch, numpy as np\nfrom torchvision import transforms as t, datasets as d\nfrom PIL import Image\n"
        "def f(x):\n    if type(x) not in (Image.Image, torch.Tensor, int): print('ESCAPED', type(x))\n    return x\n"
        "s = d.MNIST(transform=f, target_transform=f)\nt.Compose([f, t.Resize(9), f, t.ToTensor(), f, "
        "t.Lambda(f)])(s[0][0])\n"
        "d.FakeData(2, (1, 4, 4), transform=f, target_transform=f)[0]\nc = d.CIFAR10()\n"
        "for a in (c.data, np.array(s[0][0]), np.asarray(c[0][0])):\n    if type(a) is not np.ndarray: "
        "print('ESCAPED', type(a))"
    ),
    "pictures put in the place of drawn ones": (
        "from torchvision import datasets\nimport numpy as np\nclass L:\n    def __getitem__(self, k): return self\n"
        "    def __int__(self): return 0\n    def __len__(self): return 9\n    def __rmul__(self, o): "
        "print('ESCAPED', type(o))\n"
        "class D(datasets.MNIST): pass\nfor d in (D(), datasets.MNIST()):\n    for name in ('_pool', '_labels', "
        "'_kind', '_length', '_few_now', '_passes'):\n"
        "        try: setattr(d, name, L()); print('ESCAPED', name)\n        except AttributeError: pass"
    ),
    "pixels of a picture": (
        "from PIL import Image\ni = Image.new('L', (2, 2))\nclass A: _pixels = 3\n"
        "for act in (lambda: i._pixels, lambda: setattr(i, '_pixels', 3), lambda: Image.Image(), lambda: "
        "Image.Image.copy(A()), "
        "lambda: type('B', (Image.Image,), {}), lambda: Image.open('SECRET'), "
        "lambda: i.save('FOLDER/x')):\n"
        "    try: print('ESCAPED', act())\n    except (AttributeError, TypeError, OSError): pass"
    ),
    "a picture that is much larger than its file": (
        "import io\nfrom PIL import Image\nhead = b'\\x89PNG\\r\\n\\x1a\\n\\0\\0\\0\\rIHDR'\n"
        "large = (10**6).to_bytes(4, 'big') * 2 + b'\\x08\\2\\0\\0\\0' + bytes(4)\n"
        "class F:\n    def read(self): return bytearray(head + large)\n"
        "class G:\n    def read(self): return S(b'x')\n"
        "class S(bytes):\n    def startswith(self, *x): print('ESCAPED')\n    __getitem__ = startswith\n"
        "class W:\n    def write(self, data):\n        if type(data) is not bytes: print('ESCAPED', type(data))\n"
        "Image.new('L', (2, 2)).save(W())\nfor f in (F(), G(), 'SECRET', 3, None, b'SECRET'):\n"
        "    try: print('ESCAPED', Image.open(f).size)\n"
        "    except (ValueError, OSError, TypeError, AttributeError): pass"
    ),
    "a picture that is kept for the next look": (
        "import numpy as np, torch\nfrom torchvision import datasets, transforms as t\nfrom PIL import Image\n"
        "for d in (datasets.MNIST(), datasets.CIFAR10()):\n    i = d[3][0]\n    before = np.array(i).tolist()\n"
        "    for a in (np.asarray(i), np.array(i, copy=False), np.asarray(i.copy()), np.asarray(i.convert('RGB'))):\n"
        "        try: a[...] = 7\n        except ValueError: pass\n"
        "    for x in (t.ToTensor()(i), t.PILToTensor()(i), torch.from_numpy(np.asarray(i).copy())): x.zero_(); "
        "x.numpy()[...] = 9\n"
        "    Image.fromarray(np.asarray(i)).resize((3, 3))\n"
        "    if np.array(d[3][0]).tolist() != before: print('ESCAPED')"
    ),
    "a loader that lies about its batches": (
        "import torch\nfrom torchvision import datasets, transforms as t\nclass B:\n    def __len__(self): return -1\n"
        "    def __iter__(self): return iter([0])\n    def __radd__(self, o): print('ESCAPED', o)\n"
        "class N(int):\n    def __radd__(self, o): print('ESCAPED', o)\n    __ge__ = __gt__ = __add__ = __radd__\n"
        "class C(B):\n    def __len__(self): return N(1)\nd = datasets.MNIST(transform=t.ToTensor())\n"
        "for b in (B(), C(), 3, None, torch.ones(2)):\n"
        "    try: list(torch.utils.data.DataLoader(d, batch_sampler=[b]))\n    except Exception: pass"
    ),
    "arrays of other things as pictures": (
        "from PIL import Image\nimport numpy as np\nclass A:\n    shape = (2, 2)\n    ndim = 2\n    def "
        "astype(self, *x): print('ESCAPED')\n"
        "for thing in (A(), [A()], 'x', None, [[1, 'a']], np.ones((1, 2, 3, 4))):\n"
        "    try: Image.fromarray(thing)\n    except (TypeError, ValueError): continue\n    print('ESCAPED')"
    ),
    "options that are none": (
        "import torch\nfrom torchvision import transforms as t, utils\nclass N:\n    def __mul__(self, o): "
        "print('ESCAPED', type(o))\n"
        "    __rmul__ = __add__ = __radd__ = __sub__ = __rsub__ = __truediv__ = __rtruediv__ = __mul__\n"
        "    def __float__(self): return 1.0\nx, n = torch.ones(3, 4, 4), N()\n"
        "for act in (lambda: t.Normalize(n, n)(x), lambda: t.Pad(n)(x), lambda: t.functional.rotate(x, n), "
        "lambda: t.Resize(n)(x), "
        "lambda: t.functional.adjust_contrast(x, n), lambda: utils.make_grid([x, x], nrow=n), lambda: "
        "t.RandomRotation(n)(x), "
        "lambda: t.CenterCrop(n)(x), lambda: t.functional.pad(x, 1, n), lambda: t.functional.erase(x, n, n, n, n, n), "
        "lambda: t.ColorJitter(n, n, n, n)(x), lambda: t.RandomAffine(n, (n, n))(x), "
        "lambda: t.RandomAffine(1, (n, n))(x)):\n    try: act()\n    except Exception: pass"
    ),
    "pictures without end": (
        "import torch\nfrom torchvision import transforms as t\nfrom PIL import Image\nx = torch.ones(1, 2, 2)\n"
        "for act in (lambda: t.Resize((10**6, 10**6))(x), lambda: t.Pad(10**6)(x), lambda: t.CenterCrop(10**6)(x), "
        "lambda: Image.new('L', (10**6, 10**6))):\n    try: act()\n    except (ValueError, RuntimeError): continue\n"
        "    print('ESCAPED')"
    ),
    "classes that the next run would have": (
        "import torchvision\nfrom torchvision import datasets, transforms, models\nfor cls in (datasets.MNIST, "
        "transforms.ToTensor, "
        "transforms.Normalize, models.ResNet, torchvision):\n    for name in ('classes', '__call__', 'forward', "
        "'x', 'mode'):\n"
        "        try: setattr(cls, name, 3)\n        except AttributeError: continue\n        print('ESCAPED')"
    ),
}
_QUESTIONS = {
    "a docstring that is a signature": (
        "import inspect, functools\n"
        "def made(text, base=object):\n"
        "    class A(base): __doc__ = f'A({text})' + chr(10) + '--' + chr(10) * 2\n    return A\n"
        "for text in ('x=__file__', 'x=os.sep', 'x=sys.platform', '$self, x=os.name', 'x=1'):\n"
        "    for cls in (made(text), made(text, dict), made('', made(text))):\n"
        "        try: print('ESCAPED', inspect.signature(cls))\n        except ValueError: pass"
    ),
    "the table of names": (
        "x = 1\ng = globals()\nclass S(str): pass\n"
        "for name in ('<echo>', '__builtins__', '__name__', '__file__', 'a.b', 'x = 1; y', S('x'), 0):\n"
        "    for write in (g.update, exec, type(g).update):\n"
        "        try:\n"
        "            if write is exec: g[name] = 3\n"
        "            elif write == g.update: write({name: 3})\n"
        "            else: write({}, {name: 3})\n"
        "            print('ESCAPED', name)\n"
        "        except (PermissionError, TypeError, SyntaxError): pass\n"
        "for name, value in g.items():\n    if '<' in name or name.startswith('__'): print('ESCAPED', name)\n"
        "def f(): return globals()\nif '__builtins__' in f(): print('ESCAPED')"
    ),
    "a text without the builtins of a snippet": (
        "g = globals()\nfor made in (g, type(g)(x=1)):\n    for name in ('__builtins__', '<get>'):\n"
        "        dict.update(made, {name: 1})\n        for take in (made.pop, lambda name: made.__delitem__(name)):\n"
        "            try:\n                take(name)\n                print('ESCAPED', name)\n"
        "            except PermissionError: pass\n"
        "exec('try: read = open(\"SECRET\").read()\\nexcept OSError: read = 0')\nif read: print(read)"
    ),
    "names of everything": (
        "import torch, numpy, os, inspect, importlib\nclass A: pass\nx = torch.ones(1, requires_grad=True)\n"
        "for thing in (torch, numpy, os, x, (x * 2).grad_fn, numpy.ones(1), print, A, A(), len, [].append, "
        "globals, dir):\n"
        "    for name in dir(thing):\n        if name.startswith(('_saved_', '_raw_saved_')): continue  # documented\n"
        "        if name.startswith('_') or name in ('gi_frame', 'mro', 'base', 'data_ptr_'): print('ESCAPED', name)\n"
        "        if type(name) is not str: print('ESCAPED')"
    ),
    "modules by their names": (
        "import importlib, importlib.util\nfor name in ('sys', 'subprocess', 'builtins', 'gradviz', "
        "'gradviz.engine', 'ctypes', "
        "'torch._C._x', 'os.path.os', 'numpy.core', '__main__', 'importlib.machinery'):\n"
        "    try: m = importlib.import_module(name)\n    except ModuleNotFoundError: continue\n"
        "    known = {'sys', 'importlib', 'importlib.util', '__main__'}\n"
        "    if name != 'sys' or {*m.modules} - known: print('ESCAPED', m)\n"
    ),
    "which packages are installed": (
        "import importlib.metadata as m, importlib.util as u\nfor name in ('pip', 'PySide6', "
        "'PySide6-Essentials', 'gradviz', 'networkx', 'pytest'):\n"
        "    if u.find_spec(name) is not None: print('ESCAPED')\n    try: print('ESCAPED', m.version(name))\n   "
        " except m.PackageNotFoundError: pass"
    ),
    "what a signature holds": (
        "import inspect, torch\ns = inspect.signature(torch.nn.Linear)\nfor name in ('_parameters', "
        "'return_annotation', 'bind', 'from_callable'):\n"
        "    try: print('ESCAPED', getattr(s, name))\n    except AttributeError: pass\n"
        "for value in s.parameters.values():\n    if type(value) is not str: print('ESCAPED', value)\n"
        "for name in ('currentframe', 'stack', 'getmembers', 'unwrap', 'getfile', 'sys', 'getattr_static'):\n"
        "    try: print('ESCAPED', getattr(inspect, name))\n    except AttributeError: pass"
    ),
    "the source of what the snippet did not write": (
        "import inspect, torch, os, einops\nfor thing in (torch.nn.Linear, torch.nn.Linear.forward, torch.relu, "
        "os.path.join, einops.rearrange, inspect.getsource, len, inspect, torch, type(torch.ones(1).grad_fn)):\n"
        "    try: print('ESCAPED', inspect.getsource(thing))\n    except (TypeError, OSError): pass"
    ),
    "a signature that is asked for": (
        "import inspect\nclass A:\n    def __call__(self, x): pass\nclass B:\n    x = 3\n    def __init__(self, "
        "y): print('ESCAPED')\n"
        "print(inspect.signature(A()), inspect.signature(B), inspect.signature(lambda q: q))\n"
        "for thing in (3, len, print, type, int):\n    try: inspect.signature(thing)\n    except (TypeError, "
        "ValueError): pass"
    ),
}
_SKLEARN = {
    "arrays that sklearn returns": (
        "import numpy as np\nfrom sklearn import datasets as d, preprocessing as p, metrics as m\n"
        "from sklearn.model_selection import train_test_split as split\nfrom sklearn.utils import shuffle\n"
        "a = np.ones((4, 2))\ns = p.StandardScaler().fit(a)\niris = d.load_iris()\n"
        "every = [*d.make_moons(4), *d.make_circles(4), *d.make_blobs(4), *d.make_regression(4, 3, coef=True), "
        "*split(a, a), "
        "shuffle(a), s.mean_, s.scale_, s.var_, s.transform(a), s.inverse_transform(a), iris.data, iris['target'], "
        "iris.target_names, m.confusion_matrix([1, 2], [2, 2]), *m.roc_curve([0, 1], [0.1, 0.2])]\n"
        "for found in every:\n    try: kind = type(found)\n    except TypeError: kind = None\n"
        "    if kind is not np.ndarray: print('ESCAPED', kind)"
    ),
    "objects that lie to sklearn": (
        "import numpy as np\nfrom sklearn import datasets as d, preprocessing as p, metrics as m\n"
        "from sklearn.model_selection import train_test_split as split\nseen = []\nclass L(list):\n"
        "    def __getitem__(self, at): seen.append(at); return 1\n    def __len__(self): return 3\nclass I(int):\n"
        "    def __index__(self): return 2\n    def __mul__(self, other): seen.append(other); return 1\n"
        "    __mod__ = __rmul__ = __sub__ = __lt__ = __gt__ = __mul__\nclass F(float):\n"
        "    def __mul__(self, other): seen.append(other); return 1\n    __rmul__ = __radd__ = __rsub__ = __mul__\n"
        "for act in (lambda: split(L([1, 2, 3]), L([4, 5, 6])), lambda: d.make_moons(I(9), noise=F(1)), "
        "lambda: d.make_blobs(I(9), I(3), centers=I(3), center_box=(F(0), F(1))), lambda: d.make_circles(9, "
        "factor=F(1)), "
        "lambda: d.make_regression(I(9), I(9), bias=F(1), noise=F(1)), lambda: p.MinMaxScaler((F(0), "
        "F(1))).fit([[F(1)]]), "
        "lambda: m.accuracy_score(L([1]), L([1])), lambda: split(np.ones(4), random_state=lambda: 1)):\n"
        "    try: act()\n    except (TypeError, ValueError, IndexError): pass\n"
        "for each in seen:\n    if type(each) not in (int, float, I, F): print('ESCAPED', type(each))"
    ),
    "what scalers hold": (
        "from sklearn import datasets as d, preprocessing as p, model_selection as m\n"
        "s = p.StandardScaler().fit([[1.0], [2.0]])\n"
        "for thing in (s, p.MinMaxScaler(), d, m, d.load_iris(), d.make_moons, m.train_test_split):\n"
        "    for name in ('_shift', '_unit', '_measure', '_range', 'np', 'source', '__slots__', '__closure__', "
        "'__globals__'):\n"
        "        try: found = getattr(thing, name)\n        except AttributeError: continue\n"
        "        if name != '__slots__': print('ESCAPED', thing, name)\n"
        "    try: thing.mean_ = 1; print('ESCAPED')\n    except AttributeError: pass\n"
        "try: p.StandardScaler.fit(d.load_iris(), [[1.0]]); print('ESCAPED')\nexcept TypeError: pass\n"
        "try:\n    class S(p.StandardScaler): pass\n    print('ESCAPED')\nexcept TypeError: pass"
    ),
    "sets without end": (
        "from sklearn import datasets as d\nfor make in (lambda n: d.make_moons(n), lambda n: d.make_blobs(n, "
        "centers=n), "
        "lambda n: d.make_regression(n, n), lambda n: d.make_blobs(3, n)):\n"
        "    try: make(10**12)\n    except (ValueError, MemoryError): continue\n    print('ESCAPED')"
    ),
}
_NAMES_OF_CODE = {
    "the code behind a name": (
        "import torch\ndef f(x, *, y=1):\n    z = lambda: x\n    return z\nc = f.__code__.co_varnames\n"
        "if c != ('x', 'y', 'z'): print('ESCAPED', c)\n"
        "for thing in (torch.nn.Module.forward, torch.nn.functional.relu, torch.nn.Linear(1, 1).forward, len, print, "
        "open, "
        "torch.nn.Linear, 3):\n"
        "    try: print('ESCAPED', thing.__code__.co_varnames)\n    except AttributeError: pass"
    ),
    "getattr by its other name": (
        "import torch\nclass A:\n    pass\nx = torch.ones(1)\nfor thing in (x, x * 1, A(), torch, "
        "torch.nn.Linear(1, 1), len, 'a'):\n"
        "    for name in ('_data', '__globals__', '__subclasses__', '__code__', '__self__', 'gi_frame', "
        "'__builtins__', "
        "'__reduce__'):\n"
        "        for ask in (lambda: thing.__getattr__(name), lambda: A.__getattr__(thing, name), "
        "lambda: torch.nn.Module.__getattr__(thing, name)):\n"
        "            try: print('ESCAPED', thing, name, ask())\n            except (AttributeError, TypeError): pass\n"
        "        if type(thing) is A: continue\n        try: thing.__setattr__(name, 1); print('ESCAPED', thing, "
        "name)\n"
        "        except (AttributeError, TypeError): pass\n"
        "for thing in (torch, torch.Tensor, torch.nn.Linear, len, torch.float32):\n"
        "    for act in (lambda: thing.__setattr__('left', 1), lambda: object.__setattr__(thing, 'left', 1), "
        "lambda: type.__setattr__(thing, 'left', 1)):\n"
        "        try: act(); print('ESCAPED', thing)\n        except (AttributeError, TypeError): pass"
    ),
    "the slots of others by brackets": (
        "import argparse, io, gymnasium, torch\nimport numpy as np\nfrom sklearn.datasets import load_iris\n"
        "bunch, flags = type(load_iris()), type(np.zeros(1).flags)\n"
        "things = {'_dtype': np.dtype('f4'), '_poly': np.poly1d([1]), '_rules': gymnasium.make('CartPole-v1'), "
        "'_data': torch.ones(1), '_array': np.zeros(1).flat, '_n': gymnasium.spaces.Discrete(2)}\n"
        "for name, thing in things.items():\n"
        "    for ask in (lambda: bunch.__getitem__(thing, name), lambda: flags.__getitem__(thing, name.upper())):\n"
        "        try: ask()\n        except (AttributeError, TypeError, KeyError): continue\n"
        "        print('ESCAPED', name)"
    ),
    "the attributes of others by a table of options": (
        "import argparse, torch\nseen = []\nclass E:\n    def __eq__(self, other): seen.append(other); return True\n"
        "layer = torch.nn.Linear(1, 1)\n"
        "options = argparse.Namespace(**{name: E() for name in 'training in_features out_features'.split()})\n"
        "for act in (lambda: argparse.Namespace.__eq__(layer, options), lambda: argparse.Namespace.__repr__(layer), "
        "lambda: argparse.Namespace.__contains__(layer, '_parameters')):\n"
        "    try: print('ESCAPED', act())\n    except TypeError: pass"
    ),
    "the file behind another one": (
        "import io\nf = open('x', 'w+')\nfor name in ('read', 'getvalue', 'tell', 'readline', 'truncate', 'close'):\n"
        "    try: print('ESCAPED', getattr(io.BytesIO, name)(f))\n    except TypeError: pass"
    ),
}
_HELPERS = {
    "literals that are code": (
        'from ast import literal_eval\nimport ast\nfor text in (\'print("ESCAPED")\', \'[print("ESCAPED") for x in '
        "(1,)]', "
        "'().__class__', '(lambda: 1)()', 'x', '-' * 90_000 + '1', '(' * 90_000, '1+' * 40_000 + '1', '9' * 99_999):\n"
        "    try: literal_eval(text)\n    except (ValueError, SyntaxError, MemoryError, RecursionError): continue\n"
        "    print('ESCAPED', text[:20])\n"
        "for name in ('parse', 'NodeVisitor', 'sys', 'Call'):\n    if hasattr(ast, name): print('ESCAPED')"
    ),
    "texts that lie about themselves": (
        "import unidecode, graphviz, requests, html\nfrom packaging.version import parse\n"
        "from ast import literal_eval\n"
        "seen = []\nclass S(str):\n    def __str__(self): seen.append(self); return 'print(1)'\n"
        "    def __eq__(self, other): seen.append(other); return True\n"
        "    def __lt__(self, other): seen.append(other); "
        "return True\n    __hash__ = str.__hash__\n    def replace(self, *of): seen.append(self.replace)\n"
        "html.escape(S('<')); html.unescape(S('&lt;'))\n"
        "print(literal_eval(S('1')), unidecode.unidecode(S('a')), parse(S('1.0')) == S('1.0'))\n"
        "d = graphviz.Digraph(S('a'), comment=S('b'), **{S('format'): S('svg')})\nd.node(S('n'), label=S('l'))\n"
        "for made in (d.source, unidecode.unidecode(S('x'))):\n"
        "    if type(made) is not str: print('ESCAPED', type(made))\n"
        "for each in seen:\n    if type(each) not in (S, str): print('ESCAPED', type(each))"
    ),
    "downloads of the computer's files": (
        "import requests, urllib.request, six.moves.urllib.request as r\n"
        "for url in ('file:///etc/passwd', '/etc/passwd', '../../etc/passwd', 'http://127.0.0.1:22/x', 'x', '', '?', "
        "'/'):\n"
        "    for ask in (requests.get, urllib.request.urlopen, urllib.request.urlretrieve, r.urlopen, "
        "r.build_opener().open):\n"
        "        try: print('ESCAPED', ask(url))\n        except OSError: pass"
    ),
    "what helpers hold": (
        "import six, errno, packaging.version as v, graphviz, requests, torch.multiprocessing as mp\n"
        "from torch.nn.modules.utils import _pair\nfrom six.moves import urllib\n"
        "things = (six, errno, v, graphviz, requests, mp, urllib, v.Version, v.parse('1'), graphviz.Digraph(), "
        "urllib.request.build_opener(), _pair)\n"
        "for thing in things:\n    for name in ('sys', 're', 'os', '_FORM', '_order', '_lines', 'SCRATCH', "
        "'functools', "
        "'__globals__', '__code__', '__wrapped__'):\n"
        "        try: print('ESCAPED', thing, getattr(thing, name))\n        except AttributeError: pass"
    ),
    "a helper that the next run would have": (
        "import packaging.version as v, graphviz, requests, six\n"
        "for thing in (v.Version, v.InvalidVersion, graphviz.Digraph, graphviz, six, v.parse('1')):\n"
        "    for name in ('left', 'major', 'node'):\n"
        "        try: setattr(thing, name, 1)\n        except AttributeError: continue\n"
        "        print('ESCAPED', thing)\n"
        "try:\n    class A(graphviz.Digraph): pass\n    print('ESCAPED')\nexcept TypeError: pass\n"
        "try: v.Version.__init__(graphviz.Digraph(), '1'); print('ESCAPED')\nexcept (TypeError, AttributeError): pass"
    ),
}
_STRAIN = {
    "a file without end": (
        "with open('x', 'wb') as f:\n    try:\n        for _ in range(200): f.write(bytes(1 << 20))\n"
        "    except OSError: pass\n    else: print('ESCAPED')\n"
    ),
    "a hole in a file": (
        "f = open('x', 'wb', 0)\nfor act in (lambda: f.truncate(10**15), lambda: (f.seek(10**15), "
        "f.write(b'x'), f.flush())):\n"
        "    try: act()\n    except (OSError, OverflowError): continue\n    print('ESCAPED')"
    ),
    "files without end": (
        "try:\n    for n in range(10_000): open(f'{n}', 'w').close()\nexcept OSError: pass\nelse: print('ESCAPED')"
    ),
    "folders without end": (
        "import os\ntry: os.makedirs('/'.join('a' * 400)) or os.makedirs('/'.join('b' * 5000))\nexcept OSError: pass\n"
        "else: print('ESCAPED')\ntry:\n    for n in range(10_000): os.mkdir(f'{n}')\nexcept OSError: "
        "pass\nelse: print('ESCAPED')"
    ),
    "objects without end": (
        "import torch\ntry:\n    for n in range(200): torch.save(torch.zeros(1 << 18), f'{n}.pt')\nexcept "
        "OSError: pass\n"
        "else: print('ESCAPED')"
    ),
    "a field without end": "import csv\ntry: list(csv.reader(['x' * 10**6]))\nexcept csv.Error: pass\nelse: "
    "print('ESCAPED')",
}
_GAMES = {
    "a game made anew": (
        "import gymnasium as gym\ng = gym.make('CartPole-v1')\n"
        "for act in (lambda: type(g)(), lambda: type('G', (type(g),), {}), lambda: g._rules, lambda: g._source, "
        "lambda: setattr(g, '_rules', 3), lambda: setattr(g, 'state', 3), lambda: setattr(type(g), 'step', print), "
        "lambda: setattr(gym, 'make', print), lambda: g.action_space._source, lambda: g.spec.make):\n"
        "    try: act(); print('ESCAPED')\n    except (AttributeError, TypeError): pass"
    ),
    "methods of a game for other things": (
        "import gymnasium as gym, torch\ng = gym.make('Pendulum-v1')\nclass A: _rules = _source = _low = torch\n"
        "for name in ('reset', 'step', 'render', 'seed', 'close', '__enter__', '__repr__'):\n"
        "    try: print('ESCAPED', getattr(type(g), name)(A()))\n    except (AttributeError, TypeError): pass\n"
        "for name in ('sample', 'contains', 'seed', '__repr__'):\n"
        "    for kind in (gym.spaces.Box, gym.spaces.Discrete):\n"
        "        try: print('ESCAPED', getattr(kind, name)(A()))\n        except (AttributeError, TypeError): pass"
    ),
    "arrays that a game hands out": (
        "import gymnasium as gym, numpy as np\nfor name in ('CartPole-v1', 'MountainCar-v0', 'Pendulum-v1'):\n"
        "    g = gym.make(name)\n    seen, told = g.reset(seed=1)\n    a = g.action_space.sample()\n"
        "    for x in (seen, g.state, g.step(a)[0], g.observation_space.low, g.observation_space.sample()):\n"
        "        if type(x) is not np.ndarray: print('ESCAPED', type(x))\n"
        "        try: print('ESCAPED', x.base, x.ctypes)\n        except AttributeError: pass\n"
        "    g.state[...] = 99\n    g.observation_space.low[...] = 99\n"
        "    if (g.state == 99).any() or (g.observation_space.low == 99).any(): print('ESCAPED')"
    ),
    "actions that are none": (
        "import gymnasium as gym\nclass N:\n    def __index__(self): return 1\n    def __float__(self): return 1.0\n"
        "    def __sub__(self, o): print('ESCAPED', type(o))\n    __rsub__ = __add__ = __mul__ = __rmul__ = __sub__\n"
        "    def __eq__(self, o): print('ESCAPED', type(o))\n"
        "for name in ('CartPole-v1', 'MountainCar-v0', 'Pendulum-v1', 'FrozenLake-v1'):\n"
        "    g = gym.make(name)\n    g.reset()\n"
        "    for a in (N(), [N()], None, 'x', 10**30, -1, [[1, 2], [3]]):\n"
        "        try: g.step(a)\n        except Exception: pass"
    ),
    "names and options of games": (
        "import gymnasium as gym\nclass S(str):\n    def __str__(self): return 'SECRET'\n"
        "for act in (lambda: gym.make(S('x')), lambda: gym.make('_Rules'), lambda: gym.make('SECRET'), "
        "lambda: gym.make('FrozenLake-v1', desc=['S' * 10**7]).step, lambda: gym.spaces.Discrete(10**30).sample(), "
        "lambda: gym.spaces.Box(0, 1, (10**12,)), lambda: gym.make('FrozenLake-v1', desc='SECRET'), "
        "lambda: gym.make('CartPole-v1', render_mode='rgb_array').render()):\n"
        "    try: act()\n    except (ValueError, TypeError, OSError, OverflowError, MemoryError, AttributeError): pass"
    ),
    "what one run leaves in the games": (
        "import gymnasium as gym\nfor kind in (gym.Env, gym.spaces.Box, gym.spaces.Discrete):\n"
        "    for act in (lambda: setattr(kind, 'x', 1), lambda: delattr(kind, 'seed'), lambda: kind.__dict__):\n"
        "        try: act(); print('ESCAPED', kind)\n        except (AttributeError, TypeError): pass"
    ),
}


def _attached(name: str, main: str, **modules: str) -> Attack:
    """Attached modules are written by whoever wrote the snippet."""
    files = tuple((f"{module.replace('__', '/')}.py", text) for module, text in modules.items())
    return Attack("Attached files", name, main, files=files)


_ATTACHED = [
    _attached("a module that imports the real ones", "import m", m="import subprocess\nsubprocess.run(['id'])"),
    _attached(
        "a module with names of Python's insides", "import m", m="print((1).__class__.__base__.__subclasses__())"
    ),
    _attached("a module that evaluates", "import m", m='print(eval(\'__import__("os").listdir("FOLDER")\'))'),
    _attached(
        "a module that reads files", "import m\nprint(m.x)", m="try: x = open('SECRET').read()\nexcept OSError: x = 1"
    ),
    _attached(
        "hidden names of a module",
        f"import m\nfor name in {HIDDEN!r}:\n"
        "    try: print('ESCAPED', getattr(m, name))\n    except AttributeError: pass\n"
        "    try: setattr(m, name, 3); print('ESCAPED', name)\n    except AttributeError: pass\n"
        "    try: delattr(m, name); print('ESCAPED', name)\n    except AttributeError: pass\n"
        "try: print('ESCAPED', vars(m))\nexcept TypeError: pass\n"
        "if any('<' in x or x.startswith('__b') for x in dir(m)): print('ESCAPED')",
        m="x = 1",
    ),
    _attached(
        "hidden names by a star",
        "from m import *\nprint(x)",
        m="__all__ = ['x', '<get>', '__builtins__', '<write>']\nx = 1",
    ),
    _attached(
        "a module in torch's place",
        "import torch\nprint(torch.ones(1))",
        torch="print('ESCAPED')",
        numpy="print('ESCAPED')",
    ),
    _attached(
        "a module within torch", "import torch.evil", torch__evil="print('ESCAPED')", gradviz__evil="print('ESCAPED')"
    ),
    _attached(
        "classes of a module that lie",
        "import m, torch\nx = torch.ones(2)\nprint(x * m.A(), m.B(3) + x)",
        m="class A:\n    def __rmul__(self, o):\n        if hasattr(o, 'ctypes'): print('ESCAPED')\n        return o\n"
        "class B(float):\n    def __add__(self, o):\n        print(getattr(o, 'ctypes', 0))\n        return o",
    ),
    _attached(
        "functions of a module called by PyTorch",
        "import m, torch\nx = torch.ones(2, requires_grad=True)\nx.register_hook(m.f)\n(x * 2).sum().backward()\n"
        "print(sorted([x.detach()], key=m.f))\nfor f in (m.f, m.g):\n    try: print('ESCAPED',"
        " getattr(f, '__globals__'))\n"
        "    except AttributeError: pass",
        m="import torch\ndef f(x):\n    if type(x) is not torch.Tensor: print('ESCAPED', type(x))\n    return x\n"
        "g = lambda x: x.__class__.__mro__ if False else x",
    ),
    _attached(
        "modules that import each other for ever",
        "import a",
        a="import b\nprint(b)",
        b="import a\nimport c",
        c="import b",
    ),
    _attached("a module that calls itself for ever", "import a", a="def f(): f()\nf()"),
    _attached(
        "names of files that are elsewhere",
        "print(open('../../../..' + 'SECRET').read())",
        m="print(1)",
    ),
    _attached("a module that changes PyTorch", "import m", m="import torch\ntorch.ones = 3\nprint('ESCAPED')"),
    _attached(
        "a module in the place of another one of Python's",
        "import random, os, math",
        random="import os\nprint(os.listdir('FOLDER'))",
        os="print(open('SECRET').read())",
        math="x = __import__('os')",
    ),
]

_ARCHIVES = {
    "files of the computer": (
        "import zipfile, tarfile\nfor name in ('SECRET', b'SECRET', 3, 'FOLDER/x.zip', None):\n"
        "    for act in (lambda: zipfile.ZipFile(name).namelist(), lambda: tarfile.open(name).getnames(), "
        "lambda: tarfile.open(fileobj=name).getnames(), lambda: zipfile.ZipFile(name, 'a'), "
        "lambda: tarfile.open(name, 'w:gz')):\n"
        "        try: print('LEARNED', act())\n        except (OSError, TypeError, AttributeError): pass\n"
        "print(zipfile.is_zipfile('SECRET'), tarfile.is_tarfile('SECRET'))"
    ),
    "others that are said to be archives": (
        "import zipfile, tarfile\nclass A:\n    _members = {'a': 'b'}\n    _read = print\n    _name = _size = 3\n"
        "for cls in (zipfile.ZipFile, zipfile.ZipInfo, tarfile.TarInfo):\n    for name in dir(cls):\n"
        "        for thing in (A(), 'x', None, cls):\n"
        "            try: print('ESCAPED', name, getattr(cls, name)(thing))\n"
        "            except (AttributeError, TypeError, KeyError, OSError, ValueError): pass"
    ),
    "an archive with a reader of its own": (
        "import zipfile, tarfile, io\nclass M(type): pass\nclass F:\n    def __init__(self, give): self.give = give\n"
        "    def read(self, *n):\n        found, self.give = self.give, b''\n        return found\n"
        "    def seek(self, *n): print('ESCAPED')\n    tell = seek\n"
        "class B(bytes):\n    def __getitem__(self, k): print('ESCAPED')\n    def count(self, *k): print('ESCAPED')\n"
        "    def startswith(self, *k): print('ESCAPED')\n"
        "for give in (B(b'PK\\5\\6' + bytes(18)), b'PK', 'text', 3, None, [1], bytearray(600), "
        "b'\\x1f\\x8b' + bytes(9)):\n"
        "    for act in (lambda: zipfile.ZipFile(F(give)).namelist(), "
        "lambda: tarfile.open(fileobj=F(give)).getnames()):\n"
        "        try: act()\n        except Exception: pass"
    ),
    "what holds the bytes of an archive": (
        "import zipfile, io\nz = zipfile.ZipFile(io.BytesIO(b'PK\\5\\6' + bytes(18)))\n"
        "for name in ('_members', '_read', 'fp', 'filename', 'NameToInfo', 'filelist', '_fileobj', 'debug'):\n"
        "    for act in (lambda: getattr(z, name), lambda: setattr(z, name, print)):\n"
        "        try: print('ESCAPED', name, act())\n        except AttributeError: pass\n"
        "print(type(z.namelist()), z.namelist(), [str(e) for e in z])"
    ),
    "names that are no text": (
        "import zipfile, io\nz = zipfile.ZipFile(io.BytesIO(b'PK\\5\\6' + bytes(18)))\nclass S(str):\n"
        "    def __hash__(self): print('ESCAPED')\n    def __eq__(self, o): print('ESCAPED', o)\n"
        "class K:\n    def __hash__(self): return 1\n    def __eq__(self, o): print('ESCAPED', o)\n"
        "for name in (S('a'), K(), 3, None, ('a',)):\n"
        "    for act in (z.read, z.open, z.getinfo, z.extract, lambda n: z.extractall(n, [n]), "
        "lambda n: z.extractall(members=n)):\n        try: act(name)\n        except Exception: pass"
    ),
}

_AROUND_GAMES = {
    "methods of wrappers and several games for other things": (
        "import gymnasium as gym\nclass A: _spaces = _over = _bounds = _source = _key = env = envs = gym\n"
        "W, V, M = gym.wrappers, gym.vector.SyncVectorEnv, gym.spaces.MultiDiscrete\n"
        "kinds = [W.RecordEpisodeStatistics, W.RecordVideo, gym.ActionWrapper, gym.RewardWrapper, V, M]\n"
        "for kind in kinds:\n    for name in ('reset', 'step', 'close', 'sample', 'action', 'reward'):\n"
        "        try: print('ESCAPED', getattr(kind, name)(A()))\n        except (AttributeError, TypeError): pass\n"
        "    for act in (lambda: setattr(kind, 'step', print), lambda: kind.__dict__, lambda: kind.__init__(gym, 1)):\n"
        "        try: act(); print('ESCAPED', kind)\n        except (AttributeError, TypeError): pass"
    ),
    "arrays that wrappers and several games hand out": (
        "import gymnasium as gym, numpy as np\n"
        "def look(o, d=0):\n    if isinstance(o, (tuple, list, dict)) and d < 5:\n"
        "        for x in (o.values() if isinstance(o, dict) else o): look(x, d + 1)\n"
        "    elif 'numpy' in str(type(o)):\n        try: print('ESCAPED', o.base, o.ctypes)\n        except "
        "AttributeError: pass\nclass E:\n    def __sub__(self, o): look(o); return o\n"
        "    __add__ = __mul__ = __rsub__ = __truediv__ = __radd__ = __rmul__ = __rtruediv__ = __sub__\n"
        "    def __float__(self): return 1.0\n"
        "def f(): return gym.wrappers.RecordEpisodeStatistics(gym.make('Pendulum-v1', max_episode_steps=2))\n"
        "v = gym.vector.SyncVectorEnv([f, f])\nlook(v.reset(seed=1))\n"
        "for t in range(4): look(v.step(v.action_space.sample()))\nw = v.envs[0]\n"
        "look([v.observation_space.low, list(w.return_queue), w.unwrapped.state])\n"
        "for act in (lambda: setattr(w, 'episode_returns', E()), lambda: w.return_queue.append(E()), "
        "lambda: v.step(v.action_space.sample())):\n    try: look(act())\n    except (AttributeError, TypeError): pass"
    ),
    "games that lie, several at once": (
        "import gymnasium as gym, numpy as np\n"
        "class D:\n    _source = _n = _low = property(lambda s: print('ESCAPED'))\n"
        "    shape, dtype, low, high, n = (2,), 'O', 0, 1, 2\nclass G(gym.Env):\n    told = {}\n    seen = [1, 2]\n"
        "    def __init__(self): self.action_space = self.observation_space = D()\n"
        "    def reset(self, **k): return self.seen, self.told\n"
        "    def step(self, a):\n        if type(a) is not type(np.ones(1)[0]): print(type(a))\n"
        "        return self.seen, 1, 0, 0, self.told\nloop = {}\nloop['a'] = loop\n"
        "for G.seen, G.told in (([1], {'a': gym}), ([D()], {}), ('x' * 10, {D: D}), ([[1], [2, 3]], {}), ([1], loop), "
        "([1], {'b': np.ones((2, 2)), 'c': 'text', 'd': [D()]})):\n    for n in (1, 2, 10**6):\n"
        "        try:\n            v = gym.vector.SyncVectorEnv([G] * n)\n"
        "            v.reset(seed=[1] * n); v.step([1] * n)\n"
        "        except (TypeError, ValueError, AttributeError, RecursionError): pass"
    ),
    "the table of a log, and of other things": (
        "import wandb, gymnasium as gym, math\nC, R = type(wandb.config), type(wandb.run)\n"
        "for thing in (gym, math, wandb, len, 3):\n    for act in (lambda: C.__setattr__(thing, 'a', 1), lambda: "
        "C.__getattr__(thing, 'a'), lambda: R.__enter__(thing), lambda: wandb.init(config=thing), lambda: "
        "setattr(wandb, 'log', thing)):\n        try: print('ESCAPED' if act() is not wandb.run else '')\n"
        "        except (TypeError, AttributeError, ValueError): pass\n"
        "for name in ('__globals__', '__class__', '__dict__', '__init_subclass__', '__reduce_ex__'):\n"
        "    for thing in (wandb.config, wandb.run, wandb.init, wandb.log):\n"
        "        try: print('ESCAPED', getattr(thing, name))\n        except AttributeError: pass"
    ),
    "words and lines of texts": (
        "import torchtext, tyro\nfrom torchtext.vocab import Vocab, build_vocab_from_iterator as build\n"
        "class S(str):\n    def lower(self): print('ESCAPED')\n    def __str__(self): return 'SECRET'\n"
        "class A: _words = _numbers = {}\n"
        "t = torchtext.data.utils.get_tokenizer('basic_english')\nprint(t(S('A b')), len(build([[S('a')]])), "
        "Vocab([S('a')])[S('a')])\n"
        "for act in (lambda: Vocab.lookup_token(A(), 0), lambda: Vocab([1]), lambda: "
        "torchtext.datasets.WikiText2('/etc', '/etc/passwd'), lambda: t(open), lambda: Vocab([])._words, "
        "lambda: setattr(Vocab, '__call__', print), lambda: tyro.cli(Vocab)):\n"
        "    try: print('ESCAPED', act())\n    except (TypeError, ValueError, AttributeError): pass"
    ),
}

DOOR: list[Attack] = [
    *listed("The folder of a run: names of real files", _NAMES),
    *listed("The folder of a run: objects made of bytes", _BYTES),
    *listed("The folder of a run: what lies behind it", _BEHIND),
    *listed("The folder of a run: too much of it", _STRAIN),
    *listed("The folder of a run: archives", _ARCHIVES),
    *listed("Questions about names and modules", _QUESTIONS),
    *listed("Helpers of scripts", _HELPERS),
    *listed("Stand-ins: sklearn", _SKLEARN),
    *listed("Names of code and methods", _NAMES_OF_CODE),
    *listed("Packages inside: torchvision and PIL", _VISION),
    *listed("Stand-ins: games", _GAMES),
    *listed("Stand-ins: around games and scripts", _AROUND_GAMES),
    *_ATTACHED,
]
