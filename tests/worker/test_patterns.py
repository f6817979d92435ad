"""Class patterns read attributes past the hooks: ordinary ones work, and none reads what is not for a snippet."""

from __future__ import annotations

import pytest

from tests.worker.conftest import Runner

NODES = (
    "class Tree:\n    __match_args__ = ('row', 'format')\n"
    "    def __init__(self, name, next=None): self.name, self.next, self.row, self.format = name, next, 7, 'png'\n"
    "class Leaf(Tree): pass\n"
)
ORDINARY = {
    "a keyword": ("match Tree('a'):\n    case Tree(name=n): print(n)", "a"),
    "several within each other": (
        "match Tree('a', Leaf('b')):\n    case Leaf(): print(0)\n"
        "    case Tree(name='a', next=Leaf(name=str(n), next=None)): print(n)",
        "b",
    ),
    "another value": ("match Tree('a'):\n    case Tree(name='b'): print(1)\n    case Tree(next=None): print(2)", "2"),
    "another class": ("match 5:\n    case Tree(name=n): print(n)\n    case _: print('none')", "none"),
    "an alternative": ("match Leaf('a'):\n    case Leaf(name='z') | Tree(format='png'): print('either')", "either"),
    "places": ("match Tree('a'):\n    case Tree(r, f, name=n): print(r, f, n)", "7 png a"),
    "places and names of a dataclass": (
        "import dataclasses\n@dataclasses.dataclass\nclass P:\n    name: str\n    stack: list\n"
        "match P('a', [1]):\n    case P(n, stack=[s]): print(n, s)",
        "a 1",
    ),
    "a text of its own": (
        "class S(str):\n    name = 5\nmatch S('x'):\n    case S(text, name=n): print(text, n)",
        "x 5",
    ),
    "in functions and loops": (
        "def f(*trees):\n    for each in trees:\n        match each:\n"
        "            case Tree(next=None, name=n): yield n\n"
        "            case Tree(next=Tree(name=n)): yield from (n, f)\n"
        "print([str(each)[:1] for each in f(Tree('a'), Tree('b', Tree('c')))])",
        "['a', 'c', '<']",
    ),
    "one in another": (
        "match Tree('a', Tree('b')):\n    case Tree(next=t):\n        match t:\n"
        "            case Tree(name=n): print(n)",
        "b",
    ),
    "a member of an Enum": (
        "import enum\nclass E(enum.Enum): A = 3\nmatch E.A:\n    case E(name=n, value=v): print(n, v)",
        "A 3",
    ),
    "a file": ("import pathlib\nmatch pathlib.Path('a/b'):\n    case pathlib.Path(name=n): print(n)", "b"),
    "a tensor": (
        "import torch\nmatch torch.ones(2):\n    case torch.Tensor(dtype=torch.float32, data=d): print(d.shape)",
        "torch.Size([2])",
    ),
    "an array": (
        "import numpy as np\nmatch np.ones(2):\n    case np.ndarray(dtype=d, shape=s): print(d, s)",
        "float64 (2,)",
    ),
    "what is no class": (
        "Tree = 5\ntry:\n    match 1:\n        case Tree(name=n): pass\nexcept TypeError as e: print(str(e)[:20])",
        "called match pattern",
    ),
    "a class that is not there and not asked for": (
        "match Tree('a'):\n    case Tree(name=n): print(n)\n    case Wood(name=n): print(n)",
        "a",
    ),
    "in the body of a class": (
        "class A:\n    match Tree('a'):\n        case Tree(name=n): pass\n"
        "print([each for each in dir(A) if '__' not in each])",
        "['n']",
    ),
    "in the body of an Enum": (
        "import enum\nclass E(enum.Enum):\n    match Tree('a'):\n        case Tree(name=n): pass\n    A = 3\n"
        "print(sorted(each.name for each in E))",
        "['A', 'n']",
    ),
    "a class that changes": (
        "class A: name = 1\ndef f(thing, K):\n    match thing:\n        case K(name=n): return n\n"
        "print(f(A(), A), f(A(), Tree), f(Tree('a'), Tree), f(Tree('b'), Tree), f(Tree('c'), A))",
        "1 None a b None",
    ),
    "too many places": (
        "try:\n    match Tree('a'):\n        case Tree(a, b, c, name=n): pass\nexcept TypeError as e: print(e)",
        "Tree() accepts 2 positional sub-patterns (3 given)",
    ),
}
SHUT = {
    "an error's object": (
        "try: (1).nope\nexcept AttributeError as e:\n    match e:\n        case Exception(obj=o): print(o)"
    ),
    "format of a text": "match '{0.__class__}':\n    case str(format=f): print(f)",
    "format of a text of its own": "class S(str): pass\nmatch S('x'):\n    case S(format=f): print(f)",
    "format of a class of texts": "match str:\n    case object(format_map=f): print(f)",
    "a pattern's groups": "import re\nmatch re.compile('(?P<a>x)'):\n    case object(groupindex=g): print(g)",
    "a view's table": "match {}.keys():\n    case object(mapping=m): print(m)",
    "a node's": (
        "import torch\nmatch torch.ones(1, requires_grad=True).exp().grad_fn:\n    case object(saved=s): print(s)"
    ),
    "a dtype's": "import torch\nmatch torch.float32:\n    case torch.dtype(np=d): print(d)",
    "a Function's, by a class of its own": (
        "import torch\nclass A: pass\nclass F(A, torch.autograd.Function): pass\n"
        "match F():\n    case A(row=r): print(r)"
    ),
    "what a type in brackets forwards to": "match list[int]:\n    case object(register=r) | object(type=r): print(r)",
}


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_patterns_work(run: Runner, name: str) -> None:
    source, printed = ORDINARY[name]
    outcome = run(NODES + source)
    assert (outcome.status, outcome.printed().strip()) == ("ok", printed), outcome


@pytest.mark.parametrize("name", SHUT)
def test_no_pattern_reads_what_is_not_for_a_snippet(run: Runner, name: str) -> None:
    """It does not match, as if the object had no such attribute."""
    outcome = run(SHUT[name])
    assert (outcome.status, outcome.printed()) == ("ok", ""), outcome


def test_what_a_class_has_instead_is_not_taken_away_before_the_reading(run: Runner) -> None:
    outcome = run(
        "import torch\nclass F(torch.autograd.Function):\n    saved = 5\n    @property\n    def first(self):\n"
        "        del F.saved\nmatch F():\n    case F(first=None, saved=s): print(s)\n    case _: print('none')"
    )
    assert (outcome.status, outcome.printed()) == ("ok", "none\n"), outcome


def test_a_text_that_runs_meanwhile_has_patterns_of_its_own(run: Runner) -> None:
    """At the same place: the class of a pattern is in a variable beside those of the snippet."""
    text = "\\n\\nmatch 1:\\n    case int(name=n): pass"
    outcome = run(
        f"class A: name = 3\ndef f(): exec('{text}'); return A()\nmatch f():\n    case A(name=n): print(n)\n"
        "print([each for each in [*globals(), *locals(), *dir()] if '<' in each])"
    )
    assert (outcome.status, outcome.printed()) == ("ok", "3\n[]\n"), outcome


@pytest.mark.parametrize("name", ["_x", "__class__", "_modules"])
def test_a_private_name_is_refused(run: Runner, name: str) -> None:
    outcome = run(f"match 1:\n    case object({name}=x): print(x)")
    assert outcome.status == "refused", outcome


@pytest.mark.parametrize(
    "given", ["('__dict__',)", "('_x', 'y')", "['x']", "('x', 5)", "'xy'", "(type('', (str,), {}),)"]
)
def test_places_that_a_class_can_not_have(run: Runner, given: str) -> None:
    outcome = run(f"class A:\n    __match_args__ = {given}\nprint('made')")
    assert outcome.status == "raised" and "made" not in outcome.printed(), outcome
