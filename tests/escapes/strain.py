"""Snippets that use up time, memory or output, whose objects are hostile when they are shown or compared, or that write
into the pipe to the program. Most of these no policy can see; the program's clock and limits end them."""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

_LOOPS = {
    "in Python": "while True: pass",
    "that catches everything": "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    "that catches in finally": "def f():\n    try: f()\n    finally: f()\nf()",
    "of a generator that does not close": (
        "def g():\n    while True:\n        try: yield\n        except GeneratorExit: pass\n"
        "x = g(); next(x); x.close()\n"
        "while True:\n    try: x.throw(GeneratorExit)\n    except BaseException: pass"
    ),
    "that catches the end of memory": (
        "kept = []\nwhile True:\n    try: kept.append(bytearray(10_000_000))\n    except MemoryError: kept = kept[:1]"
    ),
    "in sum": "sum(iter(int, 1))",
    "in a power": "9 ** 9 ** 9",
    "in three powers": "pow(3, 10 ** 7, 10 ** 500_000)",
    "in a factorial": "import math\nmath.factorial(10 ** 7)",
    "in a product of iterators": "import itertools\nfor _ in itertools.product(range(10 ** 6), repeat=9): pass",
    "in a search": "0.5 in iter(int, 1)",
    "in a sort whose key never ends": "sorted([1, 2], key=lambda x: sum(iter(int, 1)))",
    "in a sort whose order changes": (
        "class A:\n    def __lt__(self, other):\n        while True: pass\nsorted([A(), A()])"
    ),
    "in a regular expression": "import re\nre.match('(a+)+$', 'a' * 40 + 'b')",
    "in a nested regular expression": "import re\nre.fullmatch('((a|a)*)*', 'a' * 40 + 'b')",
    "in one product of matrices": "import numpy as np\na = np.ones((4000, 4000))\nwhile True: a @ a",
    "in NumPy's loop": "import numpy as np\na = np.arange(2e7)\nwhile True: np.sort(a[::-1])",
    "in one sum that runs on": "import numpy as np\na = np.ones(10 ** 7)\nwhile True: np.cumsum(a)",
    "in the engine's matmul": "import torch\na = torch.ones(3000, 3000)\nwhile True: a @ a",
    "in one convolution": (
        "import torch\nx, w = torch.ones(8, 8, 200, 200), torch.ones(64, 8, 9, 9)\n"
        "while True: torch.nn.functional.conv2d(x, w)"
    ),
    "in the backward pass": (
        "import torch\nx = torch.ones(1, requires_grad=True)\ndef hook(g):\n    while True: pass\n"
        "y = x * 2\ny.register_hook(hook)\ny.sum().backward()"
    ),
    "in text made from a number": "import sys\nsys.set_int_max_str_digits(0)\nstr(10 ** 10 ** 7)",
    "in a format": "'{:>1000000}'.format(1).join(['x'] * 10 ** 6)\nwhile True: pass",
    "in waiting": "import time\nwhile True: time.sleep(99)",
    "in input that nobody answers": "while True:\n    try: input()\n    except EOFError: pass",
    "in a class's order": "class A:\n    def __eq__(s, o): return s == o\nA() == A()\nwhile True: pass",
}
_MEMORY = {
    "a long text": "'a' * 10 ** 10",
    "a huge number": "x = 1 << 10 ** 11",
    "a huge power": "10 ** 10 ** 8",
    "a huge list": "[0] * 10 ** 10",
    "a huge range in a list": "list(range(10 ** 10))",
    "a huge tensor": "import torch\ntorch.ones(10 ** 6, 10 ** 6)",
    "a huge tensor by expanding": "import torch\ntorch.ones(1).expand(10 ** 10).clone()",
    "a huge array": "import numpy as np\nnp.ones(10 ** 11)",
    "a huge outer product": "import numpy as np\nnp.outer(np.ones(10 ** 6), np.ones(10 ** 6))",
    "a list that grows": "kept = []\nwhile True: kept.append(bytearray(1_000_000))",
    "a text that doubles": "x = 'a'\nwhile True: x += x",
    "a dictionary that grows": "d = {}\nn = 0\nwhile True:\n    d[n] = 'x' * 10_000 + str(n)\n    n += 1",
    "nested lists": "x = []\nwhile True: x = [x, x]",
    "a graph that grows": "import torch\nx = torch.ones(10_000, requires_grad=True)\nwhile True: x = x * 1.5",
    "a format with a width": "'{:>10000000000}'.format(1)",
    "a percent with a width": "'%10000000000d' % 1",
    "digits of a float": "'%.2000000000f' % 1.0",
    "bytes of a number": "(1).to_bytes(10 ** 11, 'big')",
    "tabs": "('\\t' * 10 ** 5).expandtabs(10 ** 8)",
    "a replaced text": "('a' * 10 ** 6).replace('a', 'b' * 10 ** 6)",
    "a queue that grows": "import collections\nd = collections.deque()\nwhile True: d.extend(range(10 ** 6))",
    "itertools that remember": "import itertools\na, b = itertools.tee(iter(int, 1))\nfor _ in a: pass",
    "a cache": (
        "import functools\n@functools.lru_cache(None)\ndef f(n): return 'x' * 100_000 + str(n)\nn = 0\n"
        "while True:\n    f(n)\n    n += 1"
    ),
}  # fmt: skip
_DEPTH = {
    "a function": "def f(): f()\nf()",
    "a function with a higher bound": "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(): f()\nf()",
    "a representation": "x = []\nfor _ in range(10 ** 6): x = [x]\nprint(x)",
    "a comparison": "a, b = [], []\nfor _ in range(10 ** 6): a, b = [a], [b]\na == b",
    "a copy": "import copy\nx = []\nfor _ in range(10 ** 5): x = [x]\ncopy.deepcopy(x)",
    "a hash": "x = ()\nfor _ in range(10 ** 6): x = (x,)\nhash(x)",
    "the end of nested lists": "x = []\nfor _ in range(10 ** 6): x = [x]\ndel x\nprint('ended')",
    "iterators in iterators": "x = iter([1])\nfor _ in range(10 ** 5): x = map(abs, x)\nnext(x)",
    "brackets in the text": "x = " + "(" * 5000 + ")" * 5000,
    "signs in the text": "x = " + "-" * 50_000 + "1",
    "attributes in the text": "x = a" + ".b" * 20_000,
    "a graph": (
        "import torch\nx = torch.ones(1, requires_grad=True)\ny = x\nfor _ in range(20_000): y = y * 1\n"
        "y.backward()"
    ),
    "modules in modules": (
        "import torch\nm = torch.nn.ReLU()\nfor _ in range(10_000): m = torch.nn.Sequential(m)\nprint(m)"
    ),
}  # fmt: skip
_FLOODS = {
    "print": "while True: print('x' * 1000)",
    "one huge print": "print('x' * 300_000_000)",
    "an empty print": "while True: print()",
    "warnings": "import warnings\nn = 0\nwhile True:\n    n += 1\n    warnings.warn('x' * 1000 + str(n))",
    "the error stream": "import sys\nwhile True: sys.stderr.write('x' * 1000)\n",
    "a long message of an error": "raise ValueError('x' * 300_000_000)",
    "a long chain of errors": (
        "e = None\nfor n in range(10_000):\n    try:\n        raise ValueError(n) from e\n"
        "    except ValueError as f: e = f\n"
        "raise e"
    ),
    "notes of an error": "e = ValueError()\nfor _ in range(10_000): e.add_note('x' * 10_000)\nraise e",
    "half characters": "print('\\ud800' * 100, '\\0\\x1b[2J\\u202e')\nraise ValueError('\\udfff')",
    "steps": "import torch\nx = torch.ones(1)\nwhile True: x = x + 1",
    "names": "import torch\nfor n in range(10 ** 6): exec(f'v{n} = torch.ones(1)')",
    "recorded values": "import torch\nwhile True: x = torch.rand(1000)",
    "questions": "while True:\n    try: input('x' * 100_000)\n    except EOFError: pass",
}
_HOSTILE = {
    "__str__ that raises": "class A:\n    def __str__(self): raise ValueError\nprint(A())",
    "__str__ that ends the program": "class A:\n    def __str__(self): raise SystemExit\nprint(A())",
    "__str__ that is no text": "class A:\n    def __str__(self): return 5\nprint(A())",
    "__repr__ that never ends": "class A:\n    def __repr__(self):\n        while True: pass\nprint([A()])",
    "__repr__ of itself": "class A:\n    def __repr__(self): return repr(self)\nprint(A())",
    "__eq__ that never ends": "class A:\n    def __eq__(self, o):\n        while True: pass\nprint(A() in [A()])",
    "__hash__ that never ends": "class A:\n    def __hash__(self):\n        while True: pass\n{A(): 1}",
    "equal hashes": (
        "class A:\n    def __hash__(self): return 1\n    def __eq__(self, o): return False\n"
        "{A(): n for n in range(10 ** 5)}"
    ),
    "__len__ that lies": "class A:\n    def __len__(self): return -1\nlen(A())",
    "__index__ that is huge": "class A:\n    def __index__(self): return 10 ** 30\n[0] * A()",
    "__bool__ that raises": "class A:\n    def __bool__(self): raise KeyboardInterrupt\nif A(): pass",
    "__format__ that raises": "class A:\n    def __format__(self, s): raise GeneratorExit\nf'{A()}'",
    "an error whose text raises": "class E(Exception):\n    def __str__(self): raise E\nraise E",
    "an error whose text is a BaseException": (
        "class E(Exception):\n    def __str__(self): raise BaseException\nraise E"
    ),
    "an error whose text never ends": "class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E",
    "an error in the text of another": (
        "class A:\n    def __repr__(self): raise RecursionError\nraise KeyError(A())"
    ),
    "an error of one's own kind": "class E(BaseException): pass\nraise E('gone')",
    "errors in a circle": (
        "a, b = ValueError(1), ValueError(2)\ntry:\n    raise a from b\nexcept ValueError: pass\nraise b from a"
    ),
    "a group of errors": "raise ExceptionGroup('x', [ValueError(n) for n in range(10_000)])",
    "a message that hides a line": "raise ValueError('a\\nTraceback (most recent call last):\\n  b')",
    "a syntax error of one's own": (
        "class A:\n    def __str__(self): return 1 / 0\nraise SyntaxError('m', ('f', A(), A(), A()))"
    ),
    "a name of an error's class": "E = type('x', (), {}) if 0 else ValueError\nclass F(E):\n    __doc__ = 5\nraise F",
    "an iterator that never ends in a tensor": (
        "import torch\nclass A:\n    def __len__(self): return 3\n    def __getitem__(self, n): return self\n"
        "torch.tensor([A()])"
    ),
    "a number that is none": "import torch\nclass A:\n    def __float__(self): raise MemoryError\ntorch.ones(1) * A()",
    "a loop left in finally": (
        "def g():\n    try: yield\n    finally:\n        while True: pass\nx = g(); next(x); x.close()"
    ),
    "exit": "raise SystemExit(10 ** 100)",
    "exit with an object": "class A:\n    def __str__(self): raise ValueError\nraise SystemExit(A())",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
}  # fmt: skip
_WRITE = (
    "import os, struct\ndef say(data):\n    for n in range(1, 20):\n        try: os.write(n, data)\n"
    "        except OSError: pass\n"
)
_FRAME = (
    _WRITE
    + "def frame(kind, header, payload=b'', size=None, version=VERSION, request=1):\n"
    + "    size = len(header) if size is None else size\n"
    + "    say(struct.pack('<2sBBIII', b'GV', version, kind, request, size, len(payload)) + header + payload)\n"
)
_PIPE = {
    "garbage": _WRITE + "say(b'x' * 100_000)\nwhile True: pass",
    "another version": _FRAME + "frame(4, b'{}', version=99)\nwhile True: pass",
    "an unknown kind": _FRAME + "frame(200, b'{}')\nwhile True: pass",
    "a length without end": _FRAME + "frame(4, b'', size=2 ** 32 - 1)\nwhile True: pass",
    "a header that is no JSON": _FRAME + "frame(4, b'not json')\nwhile True: pass",
    "a header that is no object": _FRAME + "frame(4, b'[1]')\nwhile True: pass",
    "a header that is deep": _FRAME + "frame(4, b'[' * 100_000)\nwhile True: pass",
    "a text that is none": _FRAME + "frame(4, b'{\"stream\": \"out\", \"text\": 5}')\nwhile True: pass",
    "an unknown stream": _FRAME + "frame(4, b'{\"stream\": \"SECRET\", \"text\": \"x\"}')\nwhile True: pass",
    "steps that are none": _FRAME + "frame(5, b'{\"rows\": {\"steps\": -1}}')\nwhile True: pass",
    "columns that are none": (
        _FRAME
        + "frame(5, b'{\"rows\": {\"steps\": 10}, \"columns\": 5}', b'x' * 7)\nwhile True: pass"
    ),
    "READY again": _FRAME + "frame(1, b'{\"layers\": {\"language\": \"on\"}}')\nwhile True: pass",
    "an early end": _FRAME + "frame(6, b'{\"status\": \"ok\"}')\nwhile True: pass",
    "an end with a status of its own": _FRAME + "frame(6, b'{\"status\": \"ESCAPE\"}')\nwhile True: pass",
    "half a message": _FRAME + "frame(4, b'{\"stream\"', size=100)\nwhile True: pass",
    "the end of the pipe": (
        "import os\nfor n in range(20):\n    try: os.close(n)\n    except OSError: pass\nwhile True: pass"
    ),
    "a program's own message": _FRAME + "frame(3, b'{\"source\": \"x\"}')\nwhile True: pass",
}  # fmt: skip

STRAIN: list[Attack] = [
    *listed("Endless loops", _LOOPS, True),
    *listed("Memory", _MEMORY, True),
    *listed("Depth", _DEPTH, True),
    *listed("Floods", _FLOODS, True),
    *listed("Hostile objects and errors", _HOSTILE, True),
    *listed("Messages on the pipe", _PIPE, True),
]
