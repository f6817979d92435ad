"""Classes with `__torch_function__` in a snippet: what it is asked with and what it may answer, so that neither NumPy's
objects nor what the engine keeps come to the snippet, and no answer of a snippet's comes to NumPy."""

from __future__ import annotations

import pytest

from tests.worker.conftest import Runner

ASKED = """
import numpy as np, torch
class Asked(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        {body}
        return super().__torch_function__(func, types, args, kwargs or {{}})
x = Asked([1., 2.])
"""


def test_a_function_is_asked_under_the_name_by_which_the_snippet_knows_it(run: Runner) -> None:
    body = "if func in (torch.Tensor.add, torch.Tensor.sum, torch.mean, torch.nn.functional.relu): return 'mine'"
    text = ASKED.format(body=body) + "print(x + 1, x.sum(), torch.mean(x), torch.nn.ReLU()(x), torch.add(x, 1))"
    assert run(text).printed() == "mine mine mine mine Asked([2., 3.])\n"


@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        ("[3]", "x.shape"),
        ("(2, 'a')", "x.size()"),
        ("np.float32", "x.dtype"),
        ("True", "x.ndim"),
        ("1", "x.requires_grad"),
        ("'cpu'", "x.device"),
    ],
)
def test_facts_about_a_tensor_are_of_their_own_type(run: Runner, answer: str, asked: str) -> None:
    outcome = run(ASKED.format(body=f"if func.__name__ in ('__get__', 'size'): return {answer}") + asked)
    assert "__torch_function__: for torch.Tensor." in outcome.done.detail.sentence


def test_an_answer_does_not_become_a_type_of_numpy(run: Runner) -> None:
    evil = "class Evil:\n    np = ['a']\n    def __getattr__(self, name): return self\n"
    outcome = run(
        evil + ASKED.format(body="if func.__name__ == '__get__': return Evil()") + "torch.optim.SGD([x]).step()"
    )
    assert outcome.status == "raised"


@pytest.mark.parametrize(
    "body",
    [
        "shape = property(lambda self: [9])",
        "dtype = 3",
        "def requires_grad(self): return 1",
        "_data = 1",
        "__torch_function__ = print",
        "__torch_function__ = 3",
        "def __torch_dispatch__(self): pass",
        "__slots__ = ('a',)",
    ],
)
def test_a_class_does_not_take_the_place_of_what_the_engine_reads(run: Runner, body: str) -> None:
    outcome = run(f"import torch\nclass T(torch.Tensor):\n    {body}\nprint(T([1.]).shape, T([1.]).sum())")
    assert outcome.status in ("refused", "raised") and "torch.Size" not in outcome.printed()


@pytest.mark.parametrize("name", ["shape", "dtype", "grad", "device"])
def test_a_finished_class_does_not_either(run: Runner, name: str) -> None:
    """An optimizer would have asked the element type of a state of a snippet's object."""
    outcome = run(f"import torch\nclass T(torch.Tensor): pass\nT.{name} = property(print)\nT([1.]).{name}")
    assert f"'{name}' of a tensor can't be replaced" in outcome.done.detail.sentence


def test_no_method_of_a_class_is_called_inside_of_a_function(run: Runner) -> None:
    text = """
import torch
class T(torch.Tensor):
    def sum(self, *a, **k): print('sum'); return super().sum(*a, **k)
    def __mul__(self, other): print('mul'); return super().__mul__(other)
x = T([1., 2.]).requires_grad_()
torch.nn.functional.mse_loss(x, torch.zeros(2)).backward()
torch.var(x), torch.nn.functional.cross_entropy(x, torch.tensor(0)), torch.cosine_similarity(x, x, 0)
print(x.grad, x * 2)
"""
    assert run(text).printed() == "mul\ntensor([1., 2.]) T([2., 4.], grad_fn=<AliasBackward0>)\n"


def test_what_asks_in_place_of_a_tensor_takes_tensors_only(run: Runner) -> None:
    text = ASKED.format(body="global f; f = func") + "x.grad\ntry: f(3)\nexcept TypeError as e: print(e)"
    expected = "descriptor 'grad' for 'torch._C.TensorBase' objects doesn't apply to a 'int' object\n"
    assert run(text).printed() == expected
    outcome = run(ASKED.format(body="global f; f = func") + "x.grad\nf._act")
    assert "no attribute '_act'" in outcome.done.detail.sentence


def test_the_next_run_asks_again(run: Runner) -> None:
    run("import torch\ntorch._C.DisableTorchFunctionSubclass().__enter__()")
    assert run(ASKED.format(body="print(func.__name__)") + "x + 1").printed() == "add\n"


def test_classes_between_are_not_shown(run: Runner) -> None:
    assert run("import torch\nclass T(torch.Tensor): pass\nprint([c.__name__ for c in T.__mro__])").printed() == (
        "['T', 'Tensor', 'object']\n"
    )


def test_what_is_asked_with_is_the_snippets_or_pytorchs(run: Runner) -> None:
    """Nothing of NumPy's, and nothing that the engine makes for itself, as the memo of a copy that is saved."""
    body = "for each in (func, *args, *(kwargs or {}).values()): seen.add(str(type(each)))"
    text = (
        f"seen = set()\n{ASKED.format(body=body)}"
        + """
import copy
from torch import nn
for act in (lambda: torch.save(x, 'a'), lambda: copy.deepcopy(x), lambda: nn.init.xavier_uniform_(x.view(1, 2)),
            lambda: torch.optim.Adam([x.requires_grad_()]).step(), lambda: torch.distributions.Normal(x, 1.).sample(),
            lambda: torch.testing.assert_close(x, x), lambda: nn.utils.clip_grad_norm_([x], 1.), lambda: x.shape):
    try: act()
    except (RuntimeError, ValueError, TypeError): pass
print([each for each in sorted(seen) if 'gradviz' in each or 'numpy' in each], "<class 'method-wrapper'>" in seen)
"""
    )
    assert run(text).printed() == "[] True\n"


def test_a_mode_is_no_object_of_another_class(run: Runner) -> None:
    text = "import torch\nclass A: pass\ntry: torch.overrides.TorchFunctionMode.__enter__(A())\n"
    assert run(text + "except TypeError: print('refused')\nprint(torch.ones(1) + 1)").printed() == (
        "refused\ntensor([2.])\n"
    )
