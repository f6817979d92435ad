"""`__torch_function__` where no program of the snippets reaches: memory that is shared, classes of the engine's own,
what happens after an error."""

from __future__ import annotations

import copy
from typing import Any, ClassVar

import pytest

import gradviz.torch as torch
from gradviz.engine.kernel.state import begin_run
from gradviz.engine.run.overrides import modes


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


def test_a_mode_is_closed_after_an_error_and_leaves_the_operators_as_they_were() -> None:
    before = {name: vars(torch.Tensor)[name] for name in ("__add__", "__getitem__", "__eq__")}
    with pytest.raises(ZeroDivisionError), torch.overrides.BaseTorchFunctionMode():
        assert (torch.ones(2) + 1).tolist() == [2, 2]
        raise ZeroDivisionError
    assert {name: vars(torch.Tensor)[name] for name in before} == before
    assert torch.overrides.resolve_name(torch.Tensor.add) == "torch.Tensor.add"


def test_facts_that_a_mode_tells_are_of_the_type_that_the_engine_expects() -> None:
    class Lying(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return "two" if func.__name__ in ("__get__", "dim") else func(*args, **(kwargs or {}))

    x = torch.ones(2)
    with Lying():
        with pytest.raises(TypeError, match=r"for torch\.Tensor\.shape it must return Size in GradViz, not str"):
            x.shape  # noqa: B018
        with pytest.raises(TypeError, match=r"for torch\.Tensor\.dim it must return int"):
            x.dim()
        assert x.T == "two"
    assert x.shape == (2,)


def test_a_new_run_finds_no_mode() -> None:
    torch.overrides.BaseTorchFunctionMode().__enter__()
    begin_run()
    assert modes == [] and (torch.ones(2) + 1).tolist() == [2, 2]


@pytest.mark.parametrize("name", ["floor_divide_", "heaviside_"])
def test_the_error_of_an_in_place_function_names_it(name: str) -> None:
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match=f"^derivative for aten::{name} is not implemented$"):
        getattr(x * 1, name)(x).sum().backward()


def test_a_sum_of_complex_numbers_in_another_type_has_one_node() -> None:
    x = torch.ones(2, 3, dtype=torch.complex64, requires_grad=True)
    with pytest.warns(UserWarning, match="discards the imaginary part"):
        node = x.sum(dtype=torch.float32).grad_fn
    assert node is not None and node.next_functions[0][0].name() == "torch::autograd::AccumulateGrad"


def test_a_group_norm_of_permuted_memory_copies_it_first() -> None:
    x = torch.ones(2, 2, 3, 4).transpose(-1, -2).requires_grad_()
    assert torch.nn.functional.group_norm(x, 2).grad_fn.next_functions[0][0].name() == "CloneBackward0"


def test_a_function_that_returns_its_input_keeps_the_class() -> None:
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad

    x = Marked([1.0, 2.0]).requires_grad_()
    assert type(Same.apply(x)) is Marked and Same.apply(x).grad_fn.name() == "SameBackward"


def test_a_derived_parameter_prints_its_class_and_by_its_own_method() -> None:
    class Named(torch.nn.Parameter):
        pass

    class Short(torch.nn.Parameter):
        def __repr__(self) -> str:
            return "short"

    x = torch.ones(1)
    assert str(Named(x)) == "Parameter containing:\nParameter(Named([1.], requires_grad=True))"
    assert str(Short(x)) == f"{Short(x)}" == "short" and str(torch.nn.Parameter(x)).endswith(
        "tensor([1.], requires_grad=True)"
    )


def test_a_tensor_of_another_class_without_history() -> None:
    class Tagged(torch.Tensor):
        tag: int

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    made = torch.Tensor._make_subclass(Tagged, x * 2)
    assert type(made) is Tagged and made.grad_fn is None and not made.requires_grad and made._base is None
    leaf = torch.Tensor._make_subclass(Tagged, x, True)
    leaf.sum().backward()
    assert leaf.is_leaf and leaf.grad is not None and x.grad is None and leaf.data_ptr() == x.data_ptr()
    leaf.tag = 3
    assert copy.copy(leaf).tag == 3
    for wrong, error, words in (
        ((3, x), TypeError, "cls must be a type"),
        ((int, x), TypeError, "does not inherit from Tensor"),
        ((Tagged, 3), TypeError, "argument 'data' .position 2. must be Tensor, not int"),
        ((Tagged, x, 1), TypeError, "argument 'require_grad' .position 3. must be bool, not int"),
        ((Tagged, torch.arange(2), True), RuntimeError, "floating point and complex dtype can require gradients"),
    ):
        with pytest.raises(error, match=words):
            torch.Tensor._make_subclass(*wrong)
