"""A nineteenth attack by new ideas, which found no door: what Python's own parts do when they are entered again or when
something dies meanwhile, and the attributes that class patterns read past the hooks."""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

_GENERATORS = {
    "an iterator that raises, gone through": (
        "class A:\n    def __iter__(self): raise ValueError('no')\ndef g(): yield from A()\n"
        "for i in range(300):\n    try: list(g())\n    except ValueError: pass\n    try: next(g())\n"
        "    except ValueError: pass\nprint('ok')"
    ),
    "the same in what catches it": (
        "class A:\n    def __iter__(self): raise ValueError\ndef g(a):\n    k = [1, 2]\n    try:\n"
        "        for x in range(3):\n            try: yield from A()\n"
        "            except ValueError: yield x\n            finally: yield k\n"
        "    except GeneratorExit: return (yield from A())\nfor i in range(300):\n    h = g(i)\n    try:\n"
        "        for y in h: h.throw(KeyError) if y == 2 else None\n"
        "    except (KeyError, ValueError): pass\n    h = g(i); next(h)\n    try: h.close()\n"
        "    except (ValueError, RuntimeError) as e: pass\nprint('ok')"
    ),
    "an end with a value that is none": (
        "class S(StopIteration):\n    value = property(lambda s: 1/0)\n    args = 5\nclass I:\n"
        "    def __iter__(self): return self\n    def __next__(self): raise S(1, 2)\n"
        "def g(): print((yield from I()))\nfor i in range(100):\n    try: list(g())\n"
        "    except (ZeroDivisionError, RuntimeError, TypeError) as e: pass\n"
        "    a = [*I()]; b = (*I(), *I()); c = {*I()}; d = dict(I()); e = sorted(I()); f = max(I(), "
        "default=1); zip(*[I()] * 5)\nprint(a, b, c, d)"
    ),
    "errors that are made while others are": (
        "class E(Exception):\n    def __init__(self, *a):\n        try: raise KeyError(self)\n"
        "        except KeyError as e: self.k = e\n        raise ValueError(self)\nfor i in range(50):\n"
        "    try: raise E\n    except ValueError as e: print(type(e.args[0]).__name__)\n    def g():\n"
        "        try: yield\n        except E: pass\n    h = g(); next(h)\n    try: h.throw(E)\n"
        "    except (ValueError, TypeError, StopIteration) as e: pass"
    ),
    "kinds of errors that are none": (
        "class P(tuple): \n    def __iter__(self): return iter((KeyError,))\n"
        "    def __len__(self): return 0\n    def __getitem__(self, i): return 5\n"
        "for kinds in (P((KeyError,)), (P((KeyError,)), ValueError), ((KeyError, (KeyError, ())),), "
        "5, (5,), ((((),),),)):\n    try:\n        try: raise KeyError\n"
        "        except kinds: print('caught')\n    except (TypeError, KeyError) as e: print(type(e))"
    ),
    "a group of what is no list": (
        "class L(list):\n    def __len__(self): return 10**6\n    def __iter__(self):\n"
        "        self.clear()\n        yield ValueError()\n    def __getitem__(self, i):\n"
        "        self.clear()\n        return KeyError()\n"
        "for c in (L([ValueError()] * 5), range(3), 'abc', [1], (), [ValueError, 1], L()):\n    try:\n"
        "        g = ExceptionGroup('a', c)\n        print(g.exceptions, g)\n"
        "    except (TypeError, ValueError) as e: print(e)"
    ),
}
_CLASSES = {
    "a record of C code's": (
        "import time, sys\nfor k in (time.struct_time, type(sys.version_info), type(sys.float_info)):\n"
        "    try:\n        class S(k):\n            n_fields = n_sequence_fields = 1000\n"
        "            n_unnamed_fields = 0\n        s = S(range(1000))\n        S.n_fields = 10**6\n"
        "        print('ESCAPED', s)\n    except TypeError as e: print(e)"
    ),
    "slots by a class of texts": (
        "class S(str):\n    def __len__(self): return 0\n    def startswith(self, *a): return False\n"
        "    def isidentifier(self): return True\n"
        "for s in ((S('a'), S('__b'), S('_c__')), [S('x')] * 3, iter([S('q'), 'r']), 'abc', "
        "(S('__dict__'),), (S('__weakref__'), S('__dict__')), (S('1x'),), (5,), {S('k'): 'doc'}):\n"
        "    try:\n        class A:\n            __slots__ = s\n        a = A()\n"
        "        for n in ('a', 'x', 'q', 'k', 'abc'):\n"
        "            try: setattr(a, n, 1); print(n, getattr(a, n))\n"
        "            except AttributeError: pass\n    except (TypeError, AttributeError) as e: print(e)"
    ),
    "properties made of types": (
        "import torch\nclass A:\n    a = property(list, print, dict)\n    b = property(type)\n"
        "    c = property(iter)\n    d = property(super)\n    e = property(vars)\n    f = property(hash)\n"
        "    g = property(torch.nn.Module)\n    h = property(globals)\n    i = property(locals)\n"
        "    j = property(eval)\n    k = property(getattr)\n    l = property(object)\n"
        "    def __iter__(self): return iter([1])\na = A()\nfor n in 'abcdefghijkl':\n"
        "    try: print(n, getattr(a, n))\n"
        "    except (TypeError, AttributeError, RuntimeError) as e: print(n, type(e).__name__)\n"
        "    try: setattr(a, n, 5)\n    except (TypeError, AttributeError) as e: pass\n"
        "    try: delattr(a, n)\n    except (TypeError, AttributeError) as e: pass"
    ),
    "methods made of builtins": (
        "class A:\n    a = classmethod(len); b = classmethod(vars); c = staticmethod(super); d = "
        "classmethod(property(vars)); e = classmethod(getattr); f = classmethod(isinstance); g = "
        "classmethod(setattr); h = classmethod(type); i = classmethod(classmethod(repr)); j = "
        "classmethod(staticmethod(repr)); k = staticmethod(classmethod(repr)); l = "
        "classmethod(dict.fromkeys); m = classmethod(object); n = classmethod(str.join)\n"
        "for n in 'abcdefghijklmn':\n    for o in (A, A()):\n"
        "        for args in ((), ('x',), ('__class__',), ('x', 1), (A,)):\n"
        "            try: print(n, getattr(o, n)(*args))\n            except Exception as e: pass"
    ),
    "hashes that are no numbers": (
        "class B(int):\n    def __hash__(self): return self\nclass H:\n"
        "    def __init__(self, v): self.v = v\n    def __hash__(self): return self.v\n"
        "for v in (10**40, -1, True, B(5), 'x', None, 1.5, -10**40, 2**61 - 1):\n"
        "    for act in (hash, lambda h: {h}, lambda h: {h: 1}, lambda h: hash((h,)), lambda h: "
        "hash(frozenset([h])), lambda h: h in {}):\n        try: act(H(v))\n"
        "        except TypeError as e: pass\nprint(hash(B(7)), {B(3): 1}[3] if 3 in {B(3): 1} else 0)"
    ),
    "an order of bases that can't be": (
        "class A: pass\nclass B(A): pass\n"
        "for bases in ((A, B), (B, A, A), (A, A), (object, A), (B, object, A)):\n    try:\n"
        "        class C(*bases): pass\n        print(C.__mro__)\n    except TypeError as e: print(e)\n"
        "import typing\n"
        "for bases in ((list[int], list), (typing.Generic,), (typing.Generic[typing.TypeVar('T')], "
        "typing.Generic[typing.TypeVar('U')]), (typing.List[int], dict), (tuple[int], list[int])):\n"
        "    try:\n        class C(*bases): pass\n        print(C.__mro__)\n"
        "    except TypeError as e: print(e)"
    ),
}
_WHAT = {
    "a value that is stored over": (
        "import io\nclass S(io.StringIO):\n    def close(self):\n"
        "        for n in list(vars(o)): delattr(o, n)\n"
        "        for i in range(40): setattr(o, f'z{i}', i)\nclass O: pass\nfor k in range(20):\n"
        "    o = O()\n    for i in range(40): setattr(o, f'a{i}', i)\n    def put(o, v): o.a7 = v\n"
        "    for i in range(20): put(o, i)\n    put(o, S())\n    put(o, [1])\n    put(o, 3)\n"
        "print(len(vars(o)))"
    ),
    "values that change places": (
        "import io\nclass S(io.StringIO):\n    def close(self): act()\ndef act():\n"
        "    l.clear(); junk.append([0] * 3)\njunk = []\nfor k in range(300):\n"
        "    l = [S() for _ in range(5)]\n    try: l[0], l[1], l[2] = l[3], 5, 6\n"
        "    except IndexError: pass\n    l = [S() for _ in range(9)]\n"
        "    l.sort(key=lambda s: junk and None or 1)\n    l *= 0\n"
        "    l = [S() for _ in range(5)]; l.reverse(); l.pop(); l.pop(0) if l else 0\n"
        "    l = [S() for _ in range(5)]; l[1:4] = [S()]; l[::2] = l[::2]\n"
        "    l = [S() for _ in range(5)]; del l[1:3]; del l[::2]\n"
        "    l = [S() for _ in range(5)]; l.__init__([1]) if 0 else list.clear(l)\nprint('ok')"
    ),
    "in a list, a table and a set": (
        "import io\nclass S(io.StringIO):\n    def close(self):\n        for act in acts: act()\n"
        "for k in range(100):\n    l = [S() for i in range(20)]\n    d = {i: S() for i in range(20)}\n"
        "    s = {S() for i in range(20)}\n    t = (S(),) * 2\n"
        "    acts = [lambda: l.append(5), lambda: d.__setitem__(len(d), 1), lambda: s.add(len(s)), "
        "lambda: l.sort(), lambda: l.extend(l[:2])]\n"
        "    for f in (l.clear, d.clear, s.clear, lambda: l.__setitem__(slice(None), []), lambda: "
        "d.update({i: 1 for i in range(20)}), lambda: s.intersection_update([1]), lambda: "
        "s.difference_update(list(s)), lambda: l.__delitem__(slice(0, 9, 2)), lambda: d.popitem(), "
        "lambda: s.pop(), lambda: l.__init__([1]) if 0 else 0, lambda: l.__imul__(0), lambda: "
        "s.symmetric_difference_update({1})):\n        try: f()\n        except Exception: pass\n"
        "    acts = []\nprint('ok')"
    ),
    "what a sequence gone through backwards steps on": (
        "junk = []\nclass A:\n    def __len__(self): return 5\n    def __getitem__(self, i):\n"
        "        if i == 4 and not junk:\n            junk.append(1)\n"
        "            for k in range(10): next(r, None)\n        if i < 2: raise IndexError\n"
        "        return [i] * 4\nfor i in range(300):\n    junk.clear()\n    r = reversed(A())\n"
        "    list(r)\n    junk.append([1.5] * 9)\n    list(r)\nprint('ok')"
    ),
}
_SEARCHES = {
    "tuples of several kinds": (
        "import functools\nclass F(float):\n    def __lt__(self, o): return act(self, o)\nclass I(int):\n"
        "    def __lt__(self, o): return act(self, o)\nclass S(str):\n"
        "    def __lt__(self, o): return act(self, o)\ndef act(a, b):\n    big.clear()\n"
        "    big.extend([5] * 3)\n    return float.__lt__(float(len(str(a))), float(len(str(b))))\n"
        "for make in (lambda i: (F(i), i), lambda i: (I(i % 3), S(i)), lambda i: (i % 2, F(-i)), "
        "lambda i: ((i % 2,), [i, F(i)]), lambda i: (S(i),), lambda i: F(i) if i % 7 else i * 1.0, "
        "lambda i: (1.0 * i, 'é' * i, F(i)), lambda i: ('a', I(i)) if i % 5 else ('a', i)):\n"
        "    for n in (2, 10, 70, 300):\n        big = [make(i * 37 % 101) for i in range(n)]\n"
        "        try: big.sort()\n        except (ValueError, TypeError) as e: pass\n"
        "        big = [make(i * 37 % 101) for i in range(n)]\n"
        "        try: sorted(big, reverse=True), min(big), max(big)\n"
        "        except (ValueError, TypeError) as e: pass\n        big = list(range(n))\n"
        "        try: big.sort(key=make, reverse=True)\n        except (ValueError, TypeError) as e: pass\n"
        "print('ok')"
    ),
    "lists that change under a heap": (
        "import heapq, bisect\nclass K:\n    def __init__(self, n): self.n = n\n    def __lt__(self, o):\n"
        "        if on:\n            on.pop()\n            act()\n        return self.n < o.n\n"
        "    __gt__ = __le__ = __lt__\non, junk = [], []\n"
        "acts = [lambda: h.clear(), lambda: h.pop() if h else 0, lambda: h.extend([K(1)] * 100), "
        "lambda: h.__setitem__(slice(None), [K(3)] * 2), lambda: h.reverse(), lambda: "
        "heapq.heapify(h), lambda: h.insert(0, 5)]\nfor act0 in acts:\n    for depth in (1, 2, 3):\n"
        "        for f in (lambda: heapq.heappop(h), lambda: heapq.heappush(h, K(0)), lambda: "
        "heapq.heapreplace(h, K(50)), lambda: heapq.heappushpop(h, K(50)), lambda: heapq.heapify(h), "
        "lambda: heapq.nlargest(5, h), lambda: heapq.nsmallest(5, h), lambda: list(heapq.merge(h, "
        "h)), lambda: bisect.bisect(h, K(9)), lambda: bisect.insort(h, K(9)), lambda: "
        "bisect.bisect_left(h, K(9), 0, 10**6), lambda: bisect.insort_left(h, K(3), key=lambda k: "
        "K(3)), lambda: bisect.bisect(h, K(9), -5), lambda: bisect.bisect(h, K(9), 2**62, 2**63 - 1)):\n"
        "            def act():\n                act0()\n                junk.append([1.5] * 40)\n"
        "            h = [K(i) for i in range(40)]\n            on[:] = [1] * depth\n            try: f()\n"
        "            except (RuntimeError, IndexError, ValueError, TypeError, AttributeError): pass\n"
        "            on.clear()\nprint('ok')"
    ),
    "caches that call themselves": (
        "import functools\nfor size in (None, 0, 1, 2, 5, -3):\n    for typed in (True, False):\n"
        "        @functools.lru_cache(maxsize=size, typed=typed)\n        def f(n, *a):\n"
        "            if n > 0:\n                if n % 3 == 0: f.cache_clear()\n"
        "                f(n - 1, *a); f(n - 2); f.cache_info(); f(n // 2, 1.0)\n"
        "            return [n] * 3\n        for i in range(18): f(i), f(float(i))\n        class K:\n"
        "            def __init__(self, n): self.n = n\n            def __hash__(self):\n"
        "                f.cache_clear() if self.n % 5 == 0 else f(self.n % 3)\n"
        "                return self.n % 2\n"
        "            def __eq__(self, o): return self.n == getattr(o, 'n', 0)\n"
        "            def __sub__(self, o): return 0\n            def __gt__(self, o): return False\n"
        "        for i in range(60): f(K(i)), f(0, K(i)), f(0, K(i // 2))\n"
        "        print(f.cache_info()[3] >= 0, end=' ')"
    ),
    "a search in a search": (
        "import re\np = re.compile('(?P<k>a+)|(b)')\nout = []\ndef put(m):\n"
        "    out.append(m.expand(r'\\\\1\\\\g<k>'))\n    for x in it: out.append(x.lastgroup); break\n"
        "    p.sub(put, 'ab') if len(out) < 50 else None\n    return m.re.sub('z', 'aaa')\n"
        "it = p.finditer('aabbab' * 50)\nprint(len(p.sub(put, 'aabbab' * 20)), len(out))\n"
        "s = p.scanner('ab' * 100)\nprint([s.match() and s.search() for _ in range(5)][0])"
    ),
    "patterns that give nothing back": (
        "import re\n"
        "parts = ['a', 'b', 'c', '(', '(?:', '(?>', ')', ')', '|', '*', '+', '?', '*+', '++', '?+', "
        "'{1,3}', '{2}+', '{0,2}?', '(?=', '(?!', '(?<=', '(?<!', '\\\\1', '\\\\2', '(?(1)', '^', '$', "
        "'.', '[ab]', '(?P<n>', '(?P=n)', '(?i:', '\\\\b']\ns, ran, bad = 31337, 0, set()\n"
        "for i in range(3000):\n    t = ''\n    for k in range(9):\n"
        "        s = (s * 1103515245 + 12345) % 2**31\n        t += parts[(s >> 8) % len(parts)]\n"
        "    t += ')' * (t.count('(') - t.count(')'))\n    try: p = re.compile(t)\n"
        "    except (re.error, RecursionError, OverflowError): continue\n"
        "    for text in ('abcabcab', 'aabbcc', 'aaab'):\n"
        "        for f in (p.match, p.search, p.fullmatch):\n            try: m = f(text)\n"
        "            except Exception as e:\n                bad.add((type(e).__name__, str(e)))\n"
        "                continue\n            ran += 1\n            if m:\n"
        "                for g in range(p.groups + 1):\n                    a, b = m.span(g)\n"
        "                    if not (a == b == -1 or 0 <= a <= b <= len(text)): print('ESCAPED', t, "
        "text, g, a, b)\nprint(ran > 0, bad)"
    ),
}
_CLASS = {
    "the object of an error": (
        "try: (1).nope\nexcept AttributeError as e:\n    match e:\n        case Exception(obj=o): print('ESCAPED', o)"
    ),
    "format of a text of its own": (
        "class S(str): pass\nfor s in (S('{0.__class__}'), S, str):\n    match s:\n"
        "        case object(format=f) | object(format_map=f): print('ESCAPED', f(1))"
    ),
    "a node and a dtype": (
        "import torch\nnode = torch.ones(1, requires_grad=True).exp().grad_fn\n"
        "for thing in (node, torch.float32, torch.Generator()):\n    match thing:\n"
        "        case object(saved=x) | object(np=x) | object(plan=x) | object(row=x) | "
        "object(state_bytes=x): print('ESCAPED', x)"
    ),
    "a Function by another base class": (
        "import torch\nclass A: pass\nclass F(A, torch.autograd.Function): pass\nmatch F():\n"
        "    case A(row=x) | A(saved=x) | A(stack=x) | A(params=x): print('ESCAPED', x)"
    ),
    "what is taken away meanwhile": (
        "import torch\nclass F(torch.autograd.Function):\n    saved = 5\n    @property\n"
        "    def first(self):\n        del F.saved\nmatch F():\n"
        "    case F(first=None, saved=x): print('ESCAPED', x)"
    ),
    "tables behind a view and a search": (
        "import re\nfor thing in ({}.keys(), re.compile('(?P<a>x)'), list[int], [].append):\n"
        "    match thing:\n        case object(mapping=x) | object(groupindex=x) | object(register=x) | "
        "object(type=x): print('ESCAPED', x)"
    ),
    "names of NumPy's": (
        "import numpy as np, torch\n"
        "for thing in (np.ones(3), np.ones(3)[0], np.dtype('f4'), np.add, np.float32, torch.ones(2), "
        "np.random.default_rng(0)):\n    match thing:\n"
        "        case object(base=x) | object(ctypes=x) | object(flat=x) | object(bit_generator=x) | "
        "object(reduce=x): print(x)\n    match thing:\n"
        "        case object(type=x) | object(view=x) | object(fields=x) | object(subdtype=x) | "
        "object(metadata=x): print(x)"
    ),
    "a stand-in that the body of a class keeps": (
        "import enum\nclass A: name = 3\nclass B:\n    match A():\n        case A(name=n): pass\n"
        "class C(enum.Enum):\n    match A():\n        case A(name=n): pass\n"
        "for k in (B, C):\n    for n in dir(k):\n        for m in ('guard', 'of', 'names'):\n"
        "            try: print('ESCAPED', getattr(getattr(k, n), m))\n            except AttributeError: pass"
    ),
    "places that lead inside": (
        "import torch\ndef a(): \n    class A: __match_args__ = ('__dict__',)\ndef b():\n"
        "    class A: __match_args__ = ('_x', '__class__')\ndef c():\n    class S(str): pass\n"
        "    class A: __match_args__ = (S('np'),)\ndef d():\n    class A: __match_args__ = ('saved',)\n"
        "    class F(A, torch.autograd.Function): pass\n    match F():\n"
        "        case A(x): print('ESCAPED', x)\ndef e():\n    class L(tuple):\n"
        "        def __len__(self): return 9\n    class A: __match_args__ = L(('x',))\n"
        "for make in (a, b, c, d, e):\n    try: make()\n    except TypeError: continue\n"
        "    print('ESCAPED', make)"
    ),
    "places of offered classes": (
        "import torch, numpy as np, collections, datetime, dataclasses, functools, random, re\n"
        "def kinds():\n    for m in (torch, torch.nn, torch.optim, torch.utils.data, torch.autograd, "
        "torch.distributions, np, collections, datetime, functools, random, re):\n"
        "        for n in dir(m):\n            try: k = getattr(m, n)\n"
        "            except Exception: continue\n            if isinstance(k, type): yield k\n"
        "things = [torch.ones(2), torch.float32, torch.Size([1, 2]), torch.ones(2).max(0), "
        "torch.nn.Linear(1, 1), torch.ones(1, requires_grad=True).exp().grad_fn, np.ones(2), "
        "np.dtype('i4'), datetime.date(1, 1, 1), re.match('a', 'a'), torch.Generator(), "
        "torch.device('cpu')]\nfor C in kinds():\n    for t in things:\n        for n in (1, 2, 3):\n"
        "            try:\n                match t:\n"
        "                    case C(a, b, c) if n == 3: print('ESCAPED' if 'gradviz' in str(type(a)) "
        "else C, a)\n                    case C(a, b) if n == 2: a, b\n"
        "                    case C(a) if n == 1: a\n            except TypeError: pass\nprint('ok')"
    ),
    "texts and lists that lie": (
        "import collections\nclass L(list):\n    def __len__(self): return n[0]\n"
        "    def __getitem__(self, i):\n        self.clear()\n        if isinstance(i, slice): return 5\n"
        "        return i\n    def __iter__(self): return iter(range(3))\n"
        "for k in (-1, 0, 1, 3, 10**6, 2**62, 2**64, 'a'):\n    n = [k]\n"
        "    for o in (L([1, 2, 3]), L(), collections.deque([1])):\n        try:\n            match o:\n"
        "                case [a, b, c]: print(a, b, c)\n                case [a, *b]: print(a, b)\n"
        "                case [*a, b, c]: print(a)\n                case [_, *_]: pass\n"
        "        except Exception as e: print(type(e).__name__)"
    ),
}
_NUMBERS = {
    "divided": (
        "class I(int):\n    n = 0\n    def bit_length(self): return 5\n    def __neg__(self): return Q()\n"
        "    def __lt__(self, o):\n        I.n += 1\n        return I.n < 9\n"
        "    def __rshift__(self, o): return 'x'\n    def __invert__(self): return Q()\nclass Q(I):\n"
        "    def __eq__(self, o): return I.n > 5\n    def __add__(self, o): return []\n"
        "    __sub__ = __add__\nlong, other = 10**90_000, 7**50_000\nfor I.n in (0, 5, 8):\n"
        "    for b in (I(other), I(-other), other):\n        try: divmod(I(-long), b)\n"
        "        except Exception as e: print(type(e).__name__)"
    ),
}
ENTERED_AGAIN: list[Attack] = [
    *listed("Generators and errors at work", _GENERATORS),
    *listed("Classes whose layout is another one", _CLASSES),
    *listed("What dies at work", _WHAT),
    *listed("Searches, sorts and caches", _SEARCHES),
    *listed("Class patterns", _CLASS),
    *listed("Numbers with many places that lie", _NUMBERS),
]
