"""Functions and loops on the stack of regions: which ones operations are in, whatever way a function or a loop is left.
That a rewritten snippet does what it did before is in `test_rewritten.py`."""

from __future__ import annotations

import pytest

from gradviz.trace.record.location import LONGEST
from gradviz.trace.table.regions import RegionKind
from tests.trace.running import run
from tests.trace.test_regions import tree

HEAD = "import torch\nx = torch.tensor(2., requires_grad=True)\n"
_TREES = """
### iterations are called after a variable
for t in range(5, 7):
    x.sin()
for word in 'a', 'b':
    x.cos()
for lr in 0.1, 1e-3:
    x.exp()
=>
for t in range(5, 7)
  t = 5: sin
  t = 6: sin
for word in 'a', 'b'
  word = 'a': cos
  word = 'b': cos
for lr in 0.1, 1e-3
  lr = 0.1: exp
  lr = 0.001: exp
### the first number of several variables
for y, (z, k), j in [(x, (x, 7), 8)]:
    y.sin()
for i, y in enumerate([x]):
    y.sin()
=>
for y, (z, k), j in [(x, (x, 7), 8)]
  k = 7: sin
for i, y in enumerate([x])
  i = 0: sin
### no number
for y in x, x:
    y.sin()
for _ in range(2):
    x.cos()
n = 1
while n:
    x.exp()
    n -= 1
=>
for y in x, x
  iteration 0: sin
  iteration 1: sin
for _ in range(2)
  iteration 0: cos
  iteration 1: cos
while n
  iteration 0: exp
### only iterations with operations
for i in range(100):
    if i == 97:
        x.sin()
for i in range(3):
    pass
=>
for i in range(100)
  i = 97: sin
### loops in loops
for i in range(2):
    x.sin()
    for j in range(i):
        x.cos()
    x.exp()
=>
for i in range(2)
  i = 0: sin exp
  i = 1: sin exp
    for j in range(i)
      j = 0: cos
### in the loop, in no iteration
for i in range(1):
    x.sin()
else:
    x.cos()
n = 1
while x.exp() and n:
    n = 0
else:
    x.tan()
=>
for i in range(1): cos
  i = 0: sin
while x.exp() and n: exp tan
  iteration 0: exp
### after break
for i in range(3):
    for j in range(3):
        x.sin()
        break
    x.cos()
    break
x.exp()
=>
for i in range(3)
  i = 0: cos
    for j in range(3)
      j = 0: sin
### functions
def layer(x):
    return x.sin()
def net(x):
    return layer(layer(x)).cos()
net(x).exp()
=>
net: cos
  layer: sin
  layer: sin
### after return in a loop
def f(x):
    for i in range(3):
        x.sin()
        return x.cos()
for k in range(2):
    f(x).exp()
=>
for k in range(2)
  k = 0: exp
    f
      for i in range(3)
        i = 0: sin cos
  k = 1: exp
    f
      for i in range(3)
        i = 0: sin cos
### after an exception
def f(x):
    for i in range(3):
        x.sin()
        1 / 0
for k in range(1):
    try:
        f(x)
    except ZeroDivisionError:
        x.cos()
x.exp()
=>
for k in range(1)
  k = 0: cos
    f
      for i in range(3)
        i = 0: sin
### recursion
def f(n):
    return x.sin() if n == 0 else f(n - 1) * x
f(2)
=>
f: mul
  f: mul
    f: sin
### a generator belongs to who asks
def f():
    for i in range(2):
        yield x.sin()
for y in f():
    y.cos()
=>
for y in f(): sin
  iteration 0: cos sin
  iteration 1: cos
### methods, but no special ones
class C:
    def __init__(self):
        x.sin()
    def __call__(self):
        x.cos()
    def run(self):
        x.exp()
        self()
C().run()
=>
run: exp cos
### closures and lambdas
def outer():
    def inner(y):
        return y.sin()
    return inner
f = outer()
(lambda: f(x).cos())()
=>
inner: sin
### class body
class C:
    for i in range(1):
        x.sin()
x.cos()
=>
for i in range(1)
  i = 0: sin
### a module that calls itself in a loop of its own
class M(torch.nn.Module):
    def forward(self, x, n):
        for i in range(1):
            x = x.sin()
            return self(x, n - 1) if n else x
M()(x, 1).cos()
=>
M
  for i in range(1)
    i = 0: sin
      M
        for i in range(1)
          i = 0: sin
### a custom function is an operation
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2
F.apply(x).backward()
=>
### what a backward pass makes
def f(x):
    for i in range(1):
        x = x.sin()
    return x
def g(y):
    return torch.autograd.grad(y, x, create_graph=True)[0]
g(f(x))
=>
f
  for i in range(1)
    i = 0: sin
g: cos mul
"""


def _trees() -> dict[str, tuple[str, list[str]]]:
    parts = [part.split("\n", 1) for part in _TREES.split("### ")[1:]]
    return {name: (source, expected.splitlines()) for name, text in parts for source, expected in [text.split("=>\n")]}


TREES = _trees()


@pytest.mark.parametrize(("source", "expected"), TREES.values(), ids=TREES)
def test_regions(source: str, expected: list[str]) -> None:
    assert tree(run(HEAD + source)) == expected


def test_rows_of_a_loop() -> None:
    trace = run(HEAD + "for t in range(4):\n    if t % 2:\n        x.sin()\n")
    regions = trace.regions
    assert regions.kind.tolist() == [RegionKind.LOOP, RegionKind.ITERATION, RegionKind.ITERATION]
    assert regions.index.tolist() == [0, 1, 3] and regions.parent.tolist() == [-1, 0, 0]
    assert trace.sites.source[regions.site].tolist() == ["for t in range(4)"] * 3
    assert trace.nodes.region.tolist() == [1, 2]


def test_place_of_a_function() -> None:
    trace = run(HEAD + "@torch.no_grad()\ndef layer(\n        y):\n    return y.sin()\nlayer(x)\n")
    assert trace.regions.kind.tolist() == [RegionKind.FUNCTION]
    assert trace.sites.source[trace.regions.site[0]] == "def layer" and trace.sites.line[trace.regions.site[0]] == 4


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("for  t  in  range( 2 )", "for t in range( 2 )"),
        ("for t in range(\n        2,\n    3)", "for t in range( 2, 3)"),
        (f"for t in range(1{'0' * 60})", f"for t in range(1{'0' * 23}…"),
    ],
)  # fmt: skip
def test_names_of_loops_are_their_source(header: str, name: str) -> None:
    trace = run(HEAD + f"{header}:\n    x.sin()\n    break\n")
    assert trace.regions.name[0] == name and len(name) <= LONGEST


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("10 ** 5000", "iteration 0"),
        ("-3", "i = -3"),
        ("True", "iteration 0"),
        ("None", "iteration 0"),
        ("'a' * 100", "i = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…"),
        ("'\\n'", "i = '\\n'"),
    ],
)
def test_names_of_iterations(value: str, name: str) -> None:
    trace = run(HEAD + f"for i in ({value},):\n    x.sin()\n")
    assert trace.regions.name[1] == name and len(name) <= LONGEST


def test_a_loop_variable_is_not_kept_alive() -> None:
    trace = run(HEAD + "for y in (f(x) for f in [torch.sin]):\n    del y\n    x.neg()\n    x.neg()\n")
    assert trace.nodes.op.tolist() == ["sin", "neg", "neg"] and trace.drops.node.tolist() == [0]
    assert trace.drops.step[0] < trace.nodes.step[1]


def test_too_many_blocks_leave_no_room_for_regions_of_loops() -> None:
    source = "".join(f"{' ' * i}for i{i} in 1,:\n" for i in range(5)) + " " * 5 + "x = torch.ones(1) * 2"
    assert len(run("import torch\n" + source).regions) == 10
    deep = "".join(f"{' ' * i}for i{i} in 1,:\n" for i in range(12)) + " " * 12 + "x = torch.ones(1) * 2"
    assert len(run("import torch\n" + deep).regions) == 0
