"""`__new__` of a snippet's classes of tensors: what it may call, and that it returns a tensor of its class."""

from __future__ import annotations

import pytest

from tests.worker.conftest import Runner

TAGGED = """
import torch
class Tagged(torch.Tensor):
    @staticmethod
    def __new__(cls, data, tag, *args, **named):
        {body}
    def __init__(self, data, tag): self.tag = tag
"""
MAKERS = (
    "return super().__new__(cls, data, *args, **named)",
    "return torch.Tensor.__new__(cls, data)",
    "return torch.Tensor._make_subclass(cls, torch.tensor(data))",
    "return torch.tensor(data).as_subclass(cls)",
)


@pytest.mark.parametrize("body", MAKERS)
def test_a_class_of_tensors_takes_more_than_data(run: Runner, body: str) -> None:
    text = TAGGED.format(body=body) + "x = Tagged([1., 2.], 'a')\nprint(x, x.tag, type(x + 1).__name__)"
    assert run(text).printed() == "Tagged([1., 2.]) a Tagged\n"


def test_classes_derive_from_such_classes_and_from_parameters(run: Runner) -> None:
    text = (
        TAGGED.format(body="print('one'); return super().__new__(cls, data)")
        + """
class More(Tagged):
    def __new__(cls, data): print('two'); return super().__new__(cls, data, 'b')
    def __init__(self, data): super().__init__(data, 'b')
class Named(torch.nn.Parameter):
    def __new__(cls, data, name):
        self = super().__new__(cls, data, requires_grad=True)
        self.name_ = name
        return self
print(More([1.]).tag, Tagged.__new__(Tagged, [2.], 'c'), Named(torch.ones(1), 'd').name_)
"""
    )
    assert run(text).printed() == "two\none\none\nb Tagged([2.]) d\n"


@pytest.mark.parametrize(
    "body",
    ["return torch.ones(2)", "return 5", "return None", "return {}", "return torch.nn.Linear(1, 1)", "return cls"],
)
def test_another_object_is_refused(run: Runner, body: str) -> None:
    outcome = run(TAGGED.format(body=body) + "print(Tagged([1.], 'a'))")
    assert "__new__() of Tagged has to return a Tagged" in outcome.done.detail.sentence


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    def __new__(cls): pass",
        "class A(torch.nn.Module):\n    def __new__(cls): pass",
        "class A(torch.Tensor):\n    @classmethod\n    def __new__(cls): pass",
        "class A(torch.Tensor):\n    @property\n    def __new__(cls): pass",
        "class A(torch.Tensor):\n    @lambda f: staticmethod(print)\n    def __new__(cls): pass",
        "import enum\nclass A(enum.Enum):\n    def __new__(cls): pass",
        "import typing\nclass A(typing.NamedTuple):\n    def __new__(cls): pass",
        "import typing\nclass A(typing.TypedDict):\n    def __new__(cls): pass",
        "class P:\n    def __new__(cls): pass\nclass A(P, torch.Tensor): pass",
    ],
)
def test_no_other_class_has_one(run: Runner, text: str) -> None:
    assert "a class can't define '__new__'" in run("import torch\n" + text).done.detail.sentence


@pytest.mark.parametrize(
    "made",
    [
        "torch.Tensor.__new__(torch.optim.SGD)",
        "torch.Tensor.__new__(torch.Tensor, [1.])",
        "torch.Tensor.__new__(torch.nn.Parameter, [1.])",
        "torch.Tensor.__new__(A)",
        "torch.Tensor.__new__(3)",
        "torch.Tensor.__new__(P, [1.])",
        "torch.nn.Parameter.__new__(T)",
        "T.__new__(U)",
        "torch.nn.Linear.__new__(torch.nn.Linear)",
        "object.__new__(T)",
        "type(torch.float32).__new__(T)",
        "A.__new__(A)",
        "(5).__new__(int)",
        "torch.Tensor.__new__.__closure__",
        "T.__new__.__globals__",
        "getattr(T, '__new__')",
        "setattr(T, '__new__', print)",
    ],
)
def test_nothing_else_is_made(run: Runner, made: str) -> None:
    text = (
        "import torch\nclass A: pass\nclass T(torch.Tensor):\n    def __new__(cls): return super().__new__(cls, [1.])\n"
        f"class U(torch.Tensor): pass\nclass P(torch.nn.Parameter): pass\nfound = {made}\nprint('found', found)"
    )
    outcome = run(text)
    assert outcome.status in ("raised", "refused") and "found" not in outcome.printed()


@pytest.mark.parametrize("of", ["object", "torch.nn.Linear", "A", "A()", "type(torch.float32)", "(5)", "torch.ones(1)"])
def test_no_other_is_read(run: Runner, of: str) -> None:
    outcome = run(f"import torch\nclass A: pass\n{of}.__new__")
    assert "the attribute '__new__' is not available" in outcome.done.detail.sentence


def test_a_finished_class_keeps_its_maker(run: Runner) -> None:
    assert run("import torch\nclass T(torch.Tensor): pass\nT.__new__ = print").status == "refused"


def test_it_gets_nothing_of_numpys(run: Runner) -> None:
    text = TAGGED.format(body="seen.append(type(data).__module__); return super().__new__(cls, data)")
    text += "import numpy as np, copy\nseen = []\nx = Tagged(np.ones(2, np.float32), 'a')\ncopy.copy(x)\n"
    assert run(text + "print(seen)").printed() == "['numpy']\n"


def test_a_copy_is_made_without_it(run: Runner) -> None:
    text = TAGGED.format(body="print('made'); return super().__new__(cls, data)")
    text += "import copy\nx = Tagged([1.], 'a')\nprint(copy.copy(x).tag, x.clone())"
    assert run(text).printed() == "made\na Tagged([1.])\n"
