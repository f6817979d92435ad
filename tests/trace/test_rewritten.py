"""A snippet that reports its names and regions does what it did before, to the last column of a traceback."""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import sys
import traceback

import pytest

from gradviz.trace.record.instrument import STACK, instrument
from gradviz.trace.record.location import WIDTH
from gradviz.trace.record.recorder import Recorder

FILENAME = "<snippet>"


def outcome(source: str, rewritten: bool) -> tuple[str, str, int]:
    """What a snippet prints, its traceback, and how high the stack is in the end."""
    parsed = ast.parse(source, FILENAME)
    recorder = Recorder(source, FILENAME)
    world = {"__name__": "__main__", "sys": sys, "inspect": inspect, "traceback": traceback, **recorder.hooks()}
    code = compile(instrument(parsed) if rewritten else parsed, FILENAME, "exec")
    error = ""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            exec(code, world)
        except Exception as found:  # noqa: BLE001  what a snippet raises is what is looked at
            places = [
                (part.name, part.lineno, part.end_lineno, part.colno, part.end_colno)
                for part in traceback.extract_tb(found.__traceback__)
                if part.filename == FILENAME
            ]
            error = f"{type(found).__name__}: {found} at {places}"
    return printed.getvalue(), error, len(world[STACK])


_SAME = r"""
### break
for i in range(9):
    if i == 3:
        break
else:
    print('no')
print(i)
### for else
for i in range(2):
    continue
else:
    print('else', i)
### while else
n = 2
while n:
    n -= 1
else:
    print('else', n)
### continue
for i in range(4):
    if i % 2:
        continue
    print(i)
### continue of the outer loop in an else
for i in range(2):
    for j in ():
        pass
    else:
        continue
    print('no')
print(i)
### return in a loop
def f():
    for i in range(9):
        while True:
            return i
print(f())
### finally after return
def f():
    for i in 1, 2:
        try:
            return i
        finally:
            print('out')
print(f())
### return of another value in finally
def f():
    try:
        return 1
    finally:
        return 2
print(f())
### nothing returned
def f():
    'doc'
print(f(), f.__doc__)
### recursion
def f(n):
    return n if n < 2 else f(n - 1) + f(n - 2)
print(f(12))
### recursion limit
def f():
    global n
    n += 1
    f()
n = 0
try:
    f()
except RecursionError:
    print(n)
### recursion limit with arguments
def following(k):  # the call of `f` itself is not held against the limit by Python 3.13.0 to 3.13.7 (gh-132744)
    return k + 1
def f(k, *more):
    for _ in 1,:
        return f(following(k))
try:
    f(0)
except RecursionError as error:
    print(type(error))
### locals
def f(a):
    for i in range(2):
        while a:
            a -= 1
    print(locals())
f(2)
### names
def f():
    for i in 1, 2:
        pass
print(f.__code__.co_varnames, f.__code__.co_freevars)
### nonlocal
def f():
    n = 0
    def g():
        nonlocal n
        n += 1
        return n
    return g() + g()
print(f())
### global
def f():
    'doc'
    global n
    n = 3
f()
print(n)
### generator
def f():
    for i in range(3):
        got = yield i
        print(got)
g = f()
print(next(g), g.send('a'))
g.close()
### generator left open
def f():
    while True:
        yield 1
for i in f():
    break
print(i)
### yield from
def f():
    for i in 1, 2:
        yield from [i, i]
print(list(f()))
### yield in an inner function only
def f():
    def g():
        yield 1
    for i in g():
        print(i)
f()
### async
async def f():
    for i in range(2):
        pass
    return i
try:
    f().send(None)
except StopIteration as stop:
    print(stop.value)
### class body
class C:
    'doc'
    names = []
    for i in range(3):
        names.append(i)
print(C.names, C.i, C.__doc__)
### class in a generator
def f():
    class C:
        for i in 1, 2:
            pass
    yield C.i
print(list(f()))
### lambda and comprehension
f = lambda n: [i for i in range(n) if i]
print(f(3), {i: i for i in f(2)})
### decorator
def twice(f):
    def g(*a, **k):
        return f(*a, **k) * 2
    return g
@twice
def f(x):
    return x
print(f(3))
### caught
def f():
    for i in 1, 2:
        1 / 0
for k in 1, 2:
    try:
        f()
    except ZeroDivisionError as e:
        print(k, e)
### raised
def f(x):
    for i in range(3):
        x = (x +
             1 / (2 - i))
    return x
print(f(1))
### raised in a header
def f():
    raise ValueError('no')
for i in range(
        f()):
    pass
### raised by an iterator
def f():
    yield 1
    raise ValueError('no')
for i in f():
    print(i)
### not iterable
def f():
    for a, b in 5:
        pass
f()
### not unpackable
for a, b in [(1, 2), 3]:
    print(a)
### raised in else
for i in 1,:
    pass
else:
    1 / 0
### raised again
def f():
    try:
        1 / 0
    except ZeroDivisionError:
        raise
f()
### raised from
def f():
    try:
        1 / 0
    except ZeroDivisionError as e:
        raise KeyError(1) from e
f()
### raised in finally
for i in 1, 2:
    try:
        1 / 0
    finally:
        [][i]
### with
class W:
    def __enter__(self):
        return 1
    def __exit__(self, *e):
        print(e[0])
        return True
for i in 1, 2:
    with W() as w:
        if i == 1:
            continue
        1 / 0
print(i)
### line of a caller
def f():
    return sys._getframe(1).f_lineno
for i in 1,:
    print(
        f())
### targets
class C: pass
c = C()
d = {}
for c.a, (d['k'], *rest) in [(1, (2, 3, 4))]:
    print(c.a, d, rest)
### match
for i in 1, 2:
    match i:
        case 1:
            continue
        case n:
            print(n)
### del of a variable
for i in 1, 2:
    del i
print('i' in globals())
### walrus
k = 3
while (n := k):
    k -= 1
print(n)
### annotations and defaults
def f(x: int = 3, *, k: 'str' = 'a') -> int:
    return x
print(f(), f.__annotations__, f.__kwdefaults__)
### a letter that takes two bytes
π = 'é'
for ä in 'é', 1 / 2, 1 // 0:
    print(ä)
"""

SAME = dict(part.split("\n", 1) for part in _SAME.split("### ")[1:]) | {
    "very many blocks": "".join(f"{' ' * i}for i{i} in 1,:\n" for i in range(18)) + " " * 18 + "print(i17)",
    "many ifs": "".join(f"{' ' * i}if 1:\n" for i in range(40)) + " " * 40 + "print(1)",
}


@pytest.mark.parametrize("source", SAME.values(), ids=SAME)
def test_a_rewritten_snippet_does_the_same_and_leaves_nothing_on_the_stack(source: str) -> None:
    *before, _ = outcome(source, rewritten=False)
    *after, height = outcome(source, rewritten=True)
    assert after == before and any(before)
    assert height == WIDTH
