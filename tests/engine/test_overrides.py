"""`__torch_function__` where no program of the snippets reaches: memory that is shared, classes of the engine's own,
what happens after an error."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

import gradviz.torch as torch


class Marked(torch.Tensor):
    asked: ClassVar[list[str]] = []

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.asked.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs)


def test_another_class_looks_at_the_same_memory_with_the_same_history() -> None:
    x = torch.ones(2, requires_grad=True)
    y = (x * 2).as_subclass(Marked)
    y.data.fill_(3)
    y.sum().backward()
    assert type(y) is Marked and y.detach().tolist() == [3, 3] and x.grad is not None and x.grad.tolist() == [2, 2]


@pytest.mark.parametrize(
    ("cls", "said"), [(3, "cls must be a type (got int)"), (dict, "Creating a Tensor subclass from a class")]
)
def test_as_subclass_takes_classes_of_tensors(cls: Any, said: str) -> None:
    with pytest.raises(TypeError) as caught:
        torch.ones(2).as_subclass(cls)
    assert str(caught.value).startswith(said)


def test_a_tensor_is_of_its_class_again_after_an_error() -> None:
    x = Marked([1.0, 2.0])
    for wrong in (lambda: x.view(7), lambda: torch.mm(x, x), lambda: x + torch.ones(3), lambda: x.mT):
        with pytest.raises(RuntimeError):
            wrong()
        assert type(x) is Marked and type(x + 1) is Marked


def test_parameters_and_buffers_ask_nobody() -> None:
    assert type(torch.nn.Parameter(torch.ones(2)) + 1) is torch.Tensor
    assert type(torch.nn.Buffer(torch.ones(2)).sum()) is torch.Tensor

    class Scale(torch.nn.Parameter):
        pass

    assert type(Scale(torch.ones(2)).sum()) is torch.Tensor


def test_a_backward_pass_asks_nobody_inside() -> None:
    x = Marked([1.0, 2.0]).requires_grad_()
    loss = (x * x).tanh().sum().as_subclass(torch.Tensor)
    Marked.asked.clear()
    loss.backward()
    assert Marked.asked == [] and x._grad is not None
    with pytest.raises(RuntimeError):
        loss.backward()
    assert type(x + 1) is Marked and Marked.asked == ["add"]
