"""No addresses: what id, hash and a default repr give is the same in every run, and agrees with itself."""

from __future__ import annotations

import re
from typing import Any

import pytest

from gradviz.worker.objects.identity import Identities
from tests.worker.conftest import Runner, run_in

PRINTED = """
import torch, functools, collections
from dataclasses import dataclass
class A:
    def method(self): pass
class B(A):
    __slots__ = ("x",)
@dataclass
class C:
    x: object
class D(list): pass
class M(torch.nn.Module): pass
def f(): yield
a, things = A(), [A(), B(), object(), f, f(), lambda: 0, print, len, a_method := A().method, iter([]), map(str, [])]
print(a, repr(a), id(a), hash(a), f"{a} {a!r}", str(a), "%s" % a, "{} {!r}".format(a, a), [a], {a: a}, (a,))
print(things, C(a), D([a]), M())
for each in things:
    print(each, id(each), hash(each))
print({A(), A(), A()}, {"a", "b", "c", "d", "e"}, {torch.ones(1): 1})
print(hash(float("nan")), hash(None), hash((1, 2)), hash("a"), hash(3.5), functools.partial(f), torch.relu)
print(torch.utils.data.DataLoader([1]), hash(torch.ones(2)) > 0, collections.deque([a]))
try:
    {}[a]
except KeyError as error:
    print(error, repr(error))
raise ValueError(a, f)
"""


def test_what_is_printed_is_the_same_every_time(make_pool: Any) -> None:
    texts = []
    for _ in range(2):
        outcome = run_in(make_pool(), PRINTED)
        assert outcome.status == "raised", outcome
        texts.append(outcome.printed() + outcome.done.detail.traceback)
    assert texts[0] == texts[1]
    addresses = re.findall("0x[0-9a-f]+", texts[0])
    assert len(addresses) > 30
    assert all(0x10000000000 < int(each, 16) < 0x10000010000 for each in addresses)


ORDERS = """
import torch
layers = [torch.nn.Linear(1, i + 1) for i in range(40)]
tensors = [torch.tensor(i) for i in range(40)]
print([each.out_features for each in set(layers)], [each.item() for each in set(tensors)])
print([each.numel() for each in set(torch.nn.Sequential(*layers).parameters())])
print({torch.device("cpu"), torch.device("meta"), "a", "b"})
"""


def test_a_set_of_tensors_or_modules_has_the_same_order_wherever_they_lie(run: Runner) -> None:
    moved = "waste = [[[], {}, set(), object(), bytes(i * 8)] for i in range(997)][::2]\n"
    assert run(ORDERS).printed() == run(moved + ORDERS).printed() != ""


def test_the_numbers_agree_with_each_other(run: Runner) -> None:
    source = """
class A: pass
a, b = A(), A()
def f(): pass
print(id(a) == id(a) != id(b), hash(a) == hash(a) != hash(b), hex(id(a)) in repr(a), hex(id(f)) in repr(f))
print(hex(id(f)) in f"{f}", hex(id(f)) in str(f), hex(id(f)) in "%r" % f, hex(id(f)) in "{}".format(f))
print(a == a, a in {a}, {a: 1}[a], b in {a}, len({a, b, a}), hash(a) == A.__hash__(a), hash(1.0) == hash(1) == 1)
print(f"<it is at 0x{id(a):x}>", "<somewhere at 0x12>", "at 0xdeadbeef.")
print(hash("a") == hash("a"), hash(A) == hash(A), len({A: 1, f: 2}))
"""
    assert run(source).printed().splitlines() == [
        "True True True True", "True True True True", "True True 1 False 2 True True",
        "<it is at 0x10000000010> <somewhere at 0x12> at 0xdeadbeef.", "True True 2",
    ]  # fmt: skip


def test_methods_that_tell_of_an_object_hold_no_address(run: Runner) -> None:
    source = """
class A:
    def __repr__(self): return super().__repr__()
    def __hash__(self): return super().__hash__()
class B:
    __hash__ = object.__hash__
    def __eq__(self, other): return self is other
def f(): pass
a, b = A(), B()
print(hash(a) == id(a) // 16 == object.__hash__(a) == a.__hash__(), repr(a) == object.__repr__(a))
print(hash(b) == id(b) // 16, b in {b}, f.__hash__() == hash(f) == id(f) // 16, hex(id(f)) in f.__repr__())
print(hex(id(f)) in f.__str__(), hex(id(f)) in object.__str__(f), (1).__hash__(), "a".__str__(), int.__repr__(3))
"""
    assert run(source).printed() == "True True\nTrue True True True\nTrue True 1 a 3\n"


def test_a_method_without_brackets_shows_as_pytorchs(run: Runner) -> None:
    source = (
        "import re, torch\nx = torch.ones(1)\nfor each in (x.item, x.size, torch.nn.Parameter(x).detach, x.backward, "
        "torch.nn.Linear(1, 1).forward): print(re.sub(' 0x[0-9a-f]+', ' 0x', repr(each)))"
    )
    assert run(source).printed() == (
        "<built-in method item of Tensor object at 0x>\n<built-in method size of Tensor object at 0x>\n"
        "<built-in method detach of Parameter object at 0x>\n<bound method Tensor.backward of tensor([1.])>\n"
        "<bound method Linear.forward of Linear(in_features=1, out_features=1, bias=True)>\n"
    )


def test_hashes_of_what_is_equal_are_equal(run: Runner) -> None:
    source = """
import collections, functools
from dataclasses import dataclass
def f(): pass
@dataclass(frozen=True)
class D: x: object
P = collections.namedtuple("P", "x")
print(hash(P(f)) == hash((f,)), hash(P(1)) == hash((1,)), hash(D(f)) == hash(D(f)) != hash(D(print)), len({D(1), D(1)}))
a = (1, "a")
print(hash(a) == a.__hash__() == tuple.__hash__(a), hash(frozenset([f, 1])) == hash(frozenset([1, f])))
print(hash(list[int]) == hash(list[int]) != hash(list[str]), hash(((f,), 1)) == hash(((f,), 1)), hash(f) == hash(f))
class A:
    def __hash__(self): return 7
print(hash(A()), A().__hash__(), A.__hash__(A()), {A(): 1} and hash((A(),)) == hash((7,)))
try: hash([])
except TypeError as error: print(error)
"""
    assert run(source).printed().splitlines() == [
        "True True True 1", "True True", "True True True", "7 7 7 True", "unhashable type: 'list'",
    ]  # fmt: skip


def test_a_dataclass_has_its_own_repr_and_hash(run: Runner) -> None:
    source = """
from dataclasses import dataclass
@dataclass
class A: x: int = 1
@dataclass(frozen=True)
class B: x: int = 1
@dataclass(eq=False, repr=False)
class C: x: int = 1
print(A(), B(), hash(B()) == hash(B()), A.__hash__, str(C())[:22])
"""
    assert run(source).printed() == "A(x=1) B(x=1) True None <__main__.C object at \n"


def test_a_number_is_given_anew_once_its_object_is_gone() -> None:
    identities = Identities(lambda function: False)

    class A:
        pass

    first = A()
    number = identities.id(first)
    del first
    assert identities.id(A()) != number
    assert not identities._alive


@pytest.mark.parametrize("text", ["", "at 0x", "<a at 0x7f00>", "x at 0x7f0012345678y", "<a at 0x" + "f" * 40 + ">"])
def test_other_texts_stay(text: str) -> None:
    assert Identities(lambda function: False).local(text) == text


def test_storages_of_one_memory_have_one_identity(make_pool: Any) -> None:
    source = (
        "import torch\na, other = torch.arange(4.), torch.arange(4.)\nview, copy = a[1:], a.clone()\n"
        "same = [id(each.storage()) == id(a.storage()) for each in (view, view.T, copy, other)]\n"
        "print(same, id(view.untyped_storage()) == id(a.untyped_storage()), id(a) == id(view))"
    )
    outcome = run_in(make_pool(), source)
    assert (outcome.status, outcome.printed()) == ("ok", "[True, True, False, False] True False\n")
