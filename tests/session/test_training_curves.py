"""The curves of the training page: norms, updates and spreads as NumPy finds them, what is printed, and where steps
stand among the iterations."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

import numpy as np
import pytest

from gradviz.session.timeline import training_curves as module
from gradviz.session.timeline.training_curves import (
    Parameter,
    TrainingCurves,
    spread,
    training_curves,
    update_ratio,
)
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.trace import Trace
from tests.trace.running import run

T = TypeVar("T")

SGD = """
import torch
w = torch.tensor([3.0, 4.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.25)
for t in range(6):
    optimizer.zero_grad()
    loss = (w * w).sum()
    loss.backward()
    optimizer.step()
    print(f"step {t} loss {loss.item():.3f} norm of it {w.norm().item() * 2}")
"""


def end(work: Generator[float, None, T]) -> T:
    while True:
        try:
            assert 0 <= next(work) <= 1
        except StopIteration as stop:
            found: T = stop.value
            return found


def curves_of(source: str) -> tuple[Trace, TrainingCurves]:
    trace = run(source)
    assert not len(trace.errors), trace.errors.message
    found = training_curves(trace, len(trace))
    assert found is not None
    return trace, found


def only(curves: TrainingCurves) -> Parameter:
    (parameter,) = curves.parameters
    return parameter


def test_a_parameter_that_is_halved_each_time() -> None:
    trace, curves = curves_of(SGD)
    w = only(curves)
    halves = 5 * 0.5 ** np.arange(7)
    assert w.name == "w"
    np.testing.assert_allclose(w.norm.numbers, halves)
    np.testing.assert_allclose(w.gradient.numbers, 2 * halves[:6])
    np.testing.assert_allclose(end(update_ratio(trace, w)).numbers, 0.5)
    (loss,) = curves.losses
    assert loss.name == "loss"
    np.testing.assert_allclose(loss.numbers, halves[:6] ** 2)


def test_a_step_of_a_gradient_is_the_one_that_writes_it() -> None:
    trace, curves = curves_of(SGD)
    for step, value in zip(only(curves).gradient.steps.tolist(), only(curves).gradients.tolist(), strict=True):
        grad = trace.frame(step + 1).grad(only(curves).tensor)
        assert grad is not None and grad.array is not None
        np.testing.assert_array_equal(grad.array, trace.store.get(value).array)


def test_what_is_printed_has_its_name_and_neither_counters_nor_the_loss_again() -> None:
    _, curves = curves_of(SGD)
    assert [series.name for series in curves.others] == ["of it"]
    np.testing.assert_allclose(curves.others[0].numbers, 5 * 0.5 ** np.arange(6))


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("Epoch [3/20], Loss: 0.25", [("Epoch", 3), ("printed, number 2", 20), ("Loss", 0.25)]),
        ("val loss = 1e-3 | acc 91.5%", [("val loss", 0.001), ("acc", 91.5)]),
        ("99 12.5", [("printed, number 1", 99), ("printed, number 2", 12.5)]),
        ("loss tensor(0.5, grad_fn=<MseLossBackward0>)", [("loss", 0.5)]),
        ("fc1.weight: -.5", [("fc1.weight", -0.5)]),
        ("nothing", []),
    ],
)
def test_numbers_in_a_text(text: str, pairs: list[tuple[str, float]]) -> None:
    assert [(name, number) for name, number, _ in module._numbers_of(text)] == pairs


@pytest.mark.parametrize(
    ("numbers", "counts"),
    [([1, 2, 3, 4], True), ([5, 5, 5], True), ([0, 1, 2, 0, 1, 2], True), ([3, 1, 2], False), ([0.1, 0.2, 0.4], False)],
)
def test_counters(numbers: list[float], counts: bool) -> None:
    assert module._counts(np.array(numbers, float)) is counts


def test_in_nested_loops_the_iterations_are_those_in_which_backward_is_called() -> None:
    source = """
import torch
w = torch.tensor(1.0, requires_grad=True)
for epoch in range(4):
    for i in range(3):
        y = w
        for k in range(2):
            y = y * w
        y.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
"""
    _, curves = curves_of(source)
    assert len(curves.axis.bounds) == 13 and curves.axis.word == "iteration"
    steps = only(curves).gradient.steps
    assert np.floor(curves.axis.positions(steps)).tolist() == list(range(12))
    assert curves.axis.title(int(steps[0])) == "i = 0"
    assert curves.axis.title(int(steps[7])) == "iteration 7 (i = 1)"
    assert [curves.axis.step(float(curves.axis.positions(np.array([step]))[0])) for step in steps] == steps.tolist()


def test_without_a_loop_backward_calls_are_counted() -> None:
    source = "import torch\nw = torch.tensor(1.0, requires_grad=True)\n" + "(w * w).backward()\n" * 3
    _, curves = curves_of(source)
    assert curves.axis.word == "backward call" and len(curves.axis.bounds) == 4
    np.testing.assert_allclose(only(curves).gradient.numbers, [2, 4, 6])


def test_leaves_that_take_each_others_place_are_one_parameter() -> None:
    source = """
import torch
w = torch.tensor([2.0], requires_grad=True)
for t in range(5):
    (w * w).sum().backward()
    w = (w - 0.25 * w.grad).detach().requires_grad_()
"""
    trace, curves = curves_of(source)
    w = only(curves)
    np.testing.assert_allclose(w.gradient.numbers, 4 * 0.5 ** np.arange(5))
    np.testing.assert_allclose(w.norm.numbers[:5], 2 * 0.5 ** np.arange(5))
    np.testing.assert_allclose(end(update_ratio(trace, w)).numbers[:4], 0.5)


def test_gradients_that_autograd_grad_gives() -> None:
    source = """
import torch
w = torch.tensor([2.0], requires_grad=True)
for t in range(4):
    g, = torch.autograd.grad((w * w).sum(), [w])
    with torch.no_grad():
        w -= 0.25 * g
"""
    _, curves = curves_of(source)
    np.testing.assert_allclose(only(curves).gradient.numbers, 4 * 0.5 ** np.arange(4))


def test_a_learning_rate_that_changes_is_a_curve() -> None:
    source = SGD + "    optimizer.param_groups[0]['lr'] *= 0.5\n"
    _, curves = curves_of(source)
    rate = next(series for series in curves.others if series.name == "learning rate")
    np.testing.assert_allclose(rate.numbers, 0.25 * 0.5 ** np.arange(6))


@pytest.mark.parametrize(
    "source",
    ["x = 1", "import torch\nw = torch.ones(2, requires_grad=True)\n(w * w).sum().backward()", ""],
    ids=["nothing", "once", "empty"],
)
def test_where_nothing_is_trained_there_are_no_curves(source: str) -> None:
    trace = run(source)
    assert training_curves(trace, len(trace)) is None


WIDE = """
import torch
w = torch.arange(12.0).reshape(3, 4).requires_grad_()
for t in range(5):
    (w ** 2).sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
"""


def test_a_spread_has_the_quantiles_of_each_gradient() -> None:
    trace, curves = curves_of(WIDE)
    w = only(curves)
    found = end(spread(trace, w.gradient.steps, w.gradients))
    for row, value in enumerate(w.gradients.tolist()):
        array = trace.store.get(value).array
        assert array is not None
        np.testing.assert_allclose(found.levels[:, row], np.quantile(array, module.SHARES), rtol=1e-6)
    assert found.at(0) == "minimum 0, 5 % 1.1, 25 % 5.5, median 11, 75 % 16.5, 95 % 20.9, maximum 22"


def test_the_spread_of_a_single_number_is_that_number() -> None:
    trace, curves = curves_of(WIDE.replace("12.0).reshape(3, 4)", "1.0, 2.0)"))
    assert end(spread(trace, only(curves).gradient.steps, only(curves).gradients)).at(0) == "2"


def test_of_values_that_were_kept_as_summaries_mean_and_deviation_are_known() -> None:
    source = WIDE.replace("12.0).reshape(3, 4)", "70_000.0)").replace("w ** 2", "w")
    trace, curves = curves_of(source)
    w = only(curves)
    found = end(spread(trace, w.gradient.steps, w.gradients))
    np.testing.assert_allclose(found.levels, 1.0)
    assert len(found.levels) == 5 == len(found.words)
    assert np.isnan(end(update_ratio(trace, w)).numbers).all()


def test_of_a_long_course_only_so_many_elements_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    trace, curves = curves_of(WIDE)
    w = only(curves)
    monkeypatch.setattr(module, "MOST_ELEMENTS", 24)
    assert end(spread(trace, w.gradient.steps, w.gradients)).steps.tolist() == w.gradient.steps[::3].tolist()
    ratios = end(update_ratio(trace, w))
    np.testing.assert_allclose(ratios.numbers, 0.2, rtol=1e-5)
    assert len(ratios.steps) == 2


def test_numbers_that_are_not_finite_are_no_obstacle() -> None:
    source = """
import torch
w = torch.tensor([1.0, 0.0], requires_grad=True)
for t in range(4):
    loss = (w / 0).sum()
    loss.backward()
    with torch.no_grad():
        w -= w.grad
    print("loss", loss.item())
"""
    trace, curves = curves_of(source)
    assert not np.isfinite(curves.losses[0].numbers).any() and not curves.others
    assert not np.isfinite(only(curves).gradient.numbers).any()
    assert not np.isfinite(end(update_ratio(trace, only(curves))).numbers).any()
    assert not np.isfinite(end(spread(trace, only(curves).gradient.steps, only(curves).gradients)).levels).all()


def test_how_long_updates_of_a_job_took() -> None:
    """Recorded jobs know when each update was over; snippets do not."""
    trace, curves = curves_of(SGD)
    assert curves.times == ()
    updates = np.flatnonzero(trace.steps.kind == Kind.OPTIMIZER)
    when = 1e9 + np.cumsum(np.arange(1.0, len(updates) + 1))
    trace.clock.append({"step": updates, "seconds": when}, len(updates))
    found = training_curves(trace, len(trace))
    assert found is not None
    (times,) = found.times
    assert times.steps.tolist() == updates[1:].tolist() and times.numbers.tolist() == [2.0, 3.0, 4.0, 5.0, 6.0]
    with_too_few = training_curves(trace, int(updates[3]))
    assert with_too_few is not None and with_too_few.times == ()
