"""Doors that a fourteenth attack found: text of NumPy's whose letters are other numbers, which Python's encoders write
past their memory for, and docstrings of classes that are reached through something else, whose defaults are
evaluated; and a twentieth: what reads an array's memory as bytes, and so writes into it. And doors of a
twenty-first: functions of NumPy's that read elements of an array that has none, or count in other numbers than they
were asked about."""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

_WRITTEN = "\nfor _ in range(200): str(s).encode('ascii', 'xmlcharrefreplace')\nprint('ESCAPED', ord(str(s)[0]))"
_NO_LETTERS = {
    "numbers seen as text": "s = np.array([2**31 - 1] * 1000, 'i4').view('U1000')[0]",
    "a number seen as text": "s = np.complex128(2**31 - 1).view('U4')",
    "bytes read as text": "s = np.frombuffer(b'\\xff\\xff\\xff\\x7f' * 1000, 'U1000').tolist()[0]",
    "bytes of a file read as text": (
        "open('x', 'wb').write(b'\\xff\\xff\\xff\\x7f' * 1000)\ns = np.fromfile('x', 'U1000')[0]"
    ),
    "bytes of a file mapped as text": (
        "open('x', 'wb').write(b'\\xff\\xff\\xff\\x7f' * 1000)\ns = np.memmap('x', 'U1000', 'r')[0]"
    ),
    "letters in the other order": "s = np.array(['a' * 1000]).byteswap()[0]",
    "letters in the other order, in place": (
        "a = np.array(['a' * 1000])\ntry: a.byteswap(True)\nexcept TypeError: pass\ns = a.tolist()[0]\n"
        "if s.startswith('a'): raise TypeError"
    ),
    "letters of one text in the other order": "s = np.str_('a' * 1000).byteswap()",
    "text of another order": "s = np.array(['a' * 1000]).view('>U1000')[0]",
    "text that is written as numbers": "a = np.array(['a' * 1000])\na.view('i4')[...] = 2**31 - 1\ns = a.tolist()[0]",
    "text in an array's file": (
        "h = b\"{'descr': '<U1000', 'fortran_order': False, 'shape': (1,)}\" + b' ' * 20 + b'\\n'\n"
        "open('x.npy', 'wb').write(b'\\x93NUMPY\\x01\\x00' + bytes([len(h), 0]) + h + b'\\xff\\xff\\xff\\x7f' * 1000)\n"
        "s = np.load('x.npy')[0]"
    ),
    "text in a file of weights": (
        "import io, json, torch\n"
        "h = json.dumps({'tree': ['numpy', 0, True], 'arrays': [['<U1000', [], 4000]]}).encode()\n"
        "data = b'GRADVIZ-TENSORS-1\\n' + len(h).to_bytes(8, 'little') + h + b'\\xff\\xff\\xff\\x7f' * 1000\n"
        "s = torch.load(io.BytesIO(data), weights_only=False)"
    ),
}
_WRITTEN_OVER = {
    "by a tensor": "torch.frombuffer(a, dtype=torch.int32).fill_(2**31 - 1)\ns = a.item()",
    "by a tensor, as a list": "torch.frombuffer(a, dtype=torch.int32).fill_(2**31 - 1)\ns = a.tolist()[0]",
    "by a tensor, as a text": "torch.frombuffer(a, dtype=torch.int32).fill_(2**31 - 1)\ns = str(a)[2:-2]",
    "by a tensor, as a part of a text": (
        "a = np.array('a' * 1000)\ntorch.frombuffer(a, dtype=torch.int32).fill_(2**31 - 1)\ns = f'{a}'"
    ),
}
_PLACES = "import numpy as np\ntry: print(np.format_float_positional(5e-324, %s)[:0])\nexcept ValueError: pass"
_WRITTEN_LONG = {
    "by place": "2**31 - 1, True, False, '.', True, 10**6, 10**6, 10**6",
    "by name": "2**31 - 1, fractional=False, sign=True, pad_left=np.int64(10**6), pad_right=10**6, min_digits=10**6",
}
_BESIDE = (
    "import numpy as np\nfor n in (1, 2, 5):\n    junk = [np.full(k, 1e9) for k in (1, 2, 3, 8)] * 9\n    del junk\n"
    "    try: found = %s\n    except ValueError: continue\n"
    "    if np.any(found): print('ESCAPED', np.ravel(found)[:3])\n"
)
_NOT_THERE = {
    "to repeat by fractions": "np.repeat(np.zeros(4), [2.0**62] * 4)",
    "to repeat by texts": "np.zeros(4).repeat([str(2**62)] * 4)",
    "for a running product": "np.nancumprod(np.zeros((2, n)), out=np.zeros(()))",
    "for a running sum from the first on": "np.cumulative_sum(np.zeros(n), out=np.zeros(()))",
    "for a running product from the first on": "np.cumulative_prod(np.zeros(n), out=np.zeros(()))",
    "on a diagonal": "np.linalg.diagonal(np.zeros((2, n)), offset=-2**31)",
    "in a sum of a diagonal": "np.linalg.trace(np.zeros((2, n)), offset=-2**31)",
    "in an inverse transform": "np.fft.irfft(np.zeros((3, 0)), n)",
    "in an inverse transform of pictures": "np.fft.irfft2(np.zeros((3, 0)), (3, n))",
    "in an inverse transform of all dimensions": "np.fft.irfftn(np.zeros((3, 0)), (3, n), (0, 1))",
    "in a transform of half a signal": "np.fft.hfft(np.zeros((3, 0)), n)",
    "in a comparison with a number that is too large": "np.equal(np.zeros(3, 'u1'), -1, where=[True])",
    "under a drawn number": "np.random.randint([], size=n)",
    "over a drawn number": "np.random.randint(0, np.zeros((4, 0), int), size=(4, 1))",
    "around a number of another generator": "np.random.default_rng(0).integers([], [], size=(n,))",
}
_DESCRIBED = (
    "import inspect, functools\nclass A: __doc__ = 'A(x=sys.maxsize)' + chr(10) + '--' + chr(10) * 2\n%s\n"
    "try: print('ESCAPED', inspect.signature(thing))\nexcept ValueError: pass"
)
_DOCSTRINGS = {
    "of a class in a partial": "thing = functools.partial(A)",
    "of a class in a static method": "thing = staticmethod(A)",
    "of a class that is wrapped": "@functools.wraps(A)\ndef thing(): pass",
}

ENCODED_TEXTS: list[Attack] = [
    *listed(
        "Found: texts whose letters are none",
        {name: f"import numpy as np\n{source}{_WRITTEN}" for name, source in _NO_LETTERS.items()},
    ),
    *listed(
        "Found: texts whose letters are written over",
        {
            name: f"import torch, numpy as np\na = np.array(['a' * 1000])\n{source}{_WRITTEN}"
            for name, source in _WRITTEN_OVER.items()
        },
    ),
    *listed("Found: numbers with many places", {name: _PLACES % given for name, given in _WRITTEN_LONG.items()}),
    *listed("Found: elements that are not there", {name: _BESIDE % call for name, call in _NOT_THERE.items()}),
    *listed(
        "Found: docstrings that are evaluated", {name: _DESCRIBED % source for name, source in _DOCSTRINGS.items()}
    ),
]
