"""What PyTorch's autograd promises and a snippet can't ask for: what is freed and when, how deep a graph may be, what
goes to standard error, what Python's own tools do with tensors. What a snippet can ask is in tests/snippets."""

from __future__ import annotations

import contextlib
import gc
import io
import pickle
import re
import warnings
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

import gradviz.torch as torch

DEEP = 150_000


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Only reference counts free what is dropped."""
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    yield
    if was_on:
        gc.enable()


class Passed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        return x + y

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad, grad


def chain_of_operations(x: Any) -> Any:
    for _ in range(DEEP):
        x = x * 1.0
    return x


def chain_with_two_ways(x: Any) -> Any:
    for _ in range(DEEP // 2):
        x = x + x * 1e-9
    return x


def chain_of_functions(x: Any) -> Any:
    for _ in range(DEEP // 5):
        x = Passed.apply(x, x) * 0.5
    return x


@pytest.mark.slow
@pytest.mark.parametrize("chain", [chain_of_operations, chain_with_two_ways, chain_of_functions])
def test_deep_graphs_are_built_run_and_freed(chain: Any) -> None:
    x = torch.ones(1, requires_grad=True)
    y = chain(x)
    y.backward()
    assert abs(x.grad.item() - 1) < 1e-3
    del y


@pytest.mark.slow
def test_deep_graphs_are_freed_without_a_pass() -> None:
    y = chain_with_two_ways(torch.ones(1, requires_grad=True))
    assert y.grad_fn is not None
    del y


def test_a_write_to_a_view_keeps_nothing_alive(no_collector: None) -> None:
    def kept() -> Any:
        copy = torch.ones(2, 2, requires_grad=True).clone()
        torch.nn.functional.relu(copy.view(4), inplace=True)
        return weakref.ref(copy.grad_fn)

    assert kept()() is None


def test_retained_gradients_and_hooks_keep_nothing_alive(no_collector: None) -> None:
    x = torch.ones(2, requires_grad=True)

    def made() -> Any:
        y = x * 2
        y.retain_grad()
        y.register_hook(lambda grad: grad * 3)
        return y / 2, weakref.ref(y)

    z, ref = made()
    assert ref() is None
    z.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_hooks_entered_during_a_pass_do_not_stay(no_collector: None) -> None:
    def scope() -> Any:
        def unpack(tensor: Any) -> Any:
            weak().__enter__()
            return tensor

        hooks = torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, unpack)
        weak = weakref.ref(hooks)
        with hooks:
            torch.ones(2, requires_grad=True).sin().sum().backward()
        return weakref.ref(unpack)

    assert scope()() is None
    plain = torch.ones(2, requires_grad=True).exp()
    plain.grad_fn._raw_saved_result.register_hooks(lambda tensor: tensor, lambda tensor: tensor)


def test_anomaly_mode_keeps_no_parent_alive(no_collector: None) -> None:
    class Mark:
        pass

    def made() -> Any:
        x = torch.ones(2, requires_grad=True)
        y = x.exp()
        with torch.autograd.set_detect_anomaly(True):
            torch.autograd.grad(y, x, torch.ones(2), create_graph=True)
        mark = Mark()
        y.grad_fn.metadata["mark"] = mark
        return y, weakref.ref(mark)

    y, ref = made()
    assert ref() is not None
    del y
    assert ref() is None


def test_anomaly_warnings_that_are_errors_are_printed() -> None:
    a = torch.ones(2, requires_grad=True)
    printed = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stderr(printed), torch.autograd.set_detect_anomaly(True):
        warnings.simplefilter("error")
        b = a + 1
        c = b**2
        b += 1
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            c.sum().backward()
    assert "Error detected in PowBackward0" in printed.getvalue()


@pytest.mark.parametrize("protocol", range(3))
def test_tensors_pickle(protocol: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch", torch)
    x, y = torch.ones(2, 2, requires_grad=True), torch.arange(3)
    again, whole = pickle.loads(pickle.dumps([x, y], protocol=protocol))
    assert again.tolist() == x.tolist() and again.requires_grad and again.is_leaf
    assert whole.tolist() == [0, 1, 2] and whole.dtype is torch.int64


def test_a_node_knows_what_arrives_at_it() -> None:
    var, _ = torch.var_mean(torch.ones(3, 4, requires_grad=True, dtype=torch.float64), dim=0)
    shapes = [(each.shape, each.dtype, str(each.device)) for each in var.grad_fn._input_metadata]
    assert shapes == [([4], torch.float64, "cpu")] * 2
    assert not var.grad_fn._input_metadata[0].is_nested_tensor


def test_edges_of_resized_tensors() -> None:
    x = torch.ones(4, requires_grad=True)
    y = torch.autograd._functions.Resize.apply(x, (2, 2))
    assert torch.autograd.grad(y.sum(), x)[0].tolist() == [1.0] * 4
    with pytest.raises(RuntimeError, match="requested resize to 3 "):
        torch.autograd._functions.Resize.apply(x, (3,))


def test_a_running_pass_tells_where_it_goes() -> None:
    a, b = torch.tensor(1.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
    c = b.sin()
    out = a.cos() * c
    seen: list[Any] = []

    def look(grad: Any) -> None:
        seen.append([torch._C._will_engine_execute_node(each.grad_fn) for each in (out, c)])
        if not torch.autograd.is_multithreading_enabled():
            seen.append([node.name().split("::")[-1] for node in torch._C._current_graph_task_execution_order()])

    out.register_hook(look)
    out.backward(retain_graph=True)
    out.backward(inputs=[a], retain_graph=True)
    with torch.autograd.set_multithreading_enabled(False):
        torch.autograd.grad(out, (a, b), retain_graph=True)
    order = ["MulBackward0", "CosBackward0", "AccumulateGrad", "SinBackward0", "AccumulateGrad"]
    assert seen == [[False, True], [False, False], [False, True], order]
    for ask in (torch._C._will_engine_execute_node, lambda node: torch._C._current_graph_task_execution_order()):
        with pytest.raises(RuntimeError, match="should only be called during the backward pass"):
            ask(out.grad_fn)
    with pytest.raises(RuntimeError, match="expects an grad_fn, but got Tensor"):
        torch._C._will_engine_execute_node(out)
    assert torch._C._current_graph_task_id() == -1 and torch._C._current_autograd_node() is None


def test_a_hook_that_comes_while_its_node_runs_sees_nothing_of_what_arrived() -> None:
    seen: list[Any] = []

    def unpack(tensor: Any) -> Any:
        if not seen:
            torch._C._current_autograd_node().register_hook(lambda given, arrived: seen.append(arrived))
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, unpack):
        torch.ones(2, requires_grad=True).sin().sum().backward()
    assert seen == [()]


def test_callbacks_run_at_the_end_of_their_own_pass() -> None:
    log: list[str] = []
    queue = torch.autograd.Variable._execution_engine.queue_callback

    def first() -> None:
        log.append("outer")
        queue(lambda: log.append("outer, later"))

    def hook(grad: Any) -> None:
        queue(first)
        with torch.enable_grad():
            inner = torch.ones(1, requires_grad=True)
            value = (inner * 5).sum()
        value.register_hook(lambda grad: queue(lambda: log.append("inner")))
        value.backward()
        log.append("between")

    x = torch.ones(1, requires_grad=True) * 1
    x.register_hook(hook)
    x.sum().backward()
    assert log == ["inner", "between", "outer", "outer, later"]
    with pytest.raises(RuntimeError, match="Final callbacks can only be installed during backward pass"):
        queue(first)


def test_functions_with_no_gradient_or_an_error_behind_them() -> None:
    seen: list[Any] = []

    class Seen(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            seen.append(grad.tolist())
            return grad

    x = torch.ones(2, requires_grad=True)
    torch._C._functions.UndefinedGrad()(Seen.apply(x)).sum().backward()
    assert seen == [[0.0, 0.0]]
    late = torch._C._functions.DelayedError("too late", 1)(x)
    assert late.grad_fn.name() == "torch::autograd::Error"
    with pytest.raises(RuntimeError, match="too late"):
        late.sum().backward()
    assert isinstance((x * 2).grad_fn.next_functions[0][0], torch._C._functions.AccumulateGrad)


def test_saving_that_is_cut_short_keeps_nothing_alive(no_collector: None) -> None:
    made: list[Any] = []

    class Kept(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x.clone()
            ctx.save_for_backward(y)
            made.append(weakref.ref(y))
            return y

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad + len(ctx.saved_tensors)

    x = torch.ones(2, requires_grad=True)
    torch.utils.checkpoint.checkpoint(Kept.apply, x, use_reentrant=False).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0] and len(made) == 2
    assert [ref() for ref in made] == [None, None]


def test_boxed_gradients_are_nobody_elses(no_collector: None) -> None:
    class Boxed(torch.autograd.Function):
        boxed_grads_call = True

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grads: Any) -> Any:
            ref = weakref.ref(grads[0])
            doubled = grads[0] * 2
            grads.clear()
            assert ref() is None
            return doubled

    x = torch.ones(2, requires_grad=True)
    Boxed.apply(x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_the_variable_of_old_programs() -> None:
    assert torch.autograd.Variable.__module__.endswith("torch.autograd.variable")
    x = torch.autograd.Variable(torch.ones(2), requires_grad=True)
    assert isinstance(x, torch.autograd.Variable) and x.requires_grad
    with pytest.raises(RuntimeError, match=r"torch\.autograd\.variable\(\.\.\.\) is deprecated, use torch\.tensor"):
        torch.autograd.variable(1.0)


def test_nothing_of_a_node_can_be_set() -> None:
    """As in PyTorch, whose nodes are made in C++."""
    node = (torch.ones(2, requires_grad=True) * 2).grad_fn
    assert node is not None
    kind: Any = type(node)
    for change, words in (
        (lambda: setattr(node, "foo", 3), "'MulBackward0' object has no attribute 'foo'"),
        (lambda: setattr(node, "name", 3), "'MulBackward0' object attribute 'name' is read-only"),
        (lambda: setattr(node, "metadata", {}), "attribute 'metadata' of 'MulBackward0' objects is not writable"),
        (lambda: delattr(node, "metadata"), "attribute 'metadata' of 'MulBackward0' objects is not writable"),
        (kind, "cannot create 'MulBackward0' instances"),
        (lambda: node("a"), "argument 0 is not a Variable"),
        (lambda: pickle.dumps(node), "cannot pickle 'MulBackward0' object"),
    ):
        with pytest.raises((AttributeError, TypeError), match=f"^{re.escape(words)}$"):
            change()
    node.metadata["mine"] = 1
    assert node.metadata == {"mine": 1}
