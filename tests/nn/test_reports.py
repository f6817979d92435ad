"""What modules, optimizers and clipping report to the observer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import gradviz.torch as torch
from gradviz.engine.kernel.state import set_observer
from gradviz.torch import nn


class Notes:
    """An observer that writes down what it hears."""

    def __init__(self) -> None:
        self.heard: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *args: self.heard.append((name, *args))

    def of(self, *names: str) -> list[tuple[Any, ...]]:
        return [each for each in self.heard if each[0] in names]


@pytest.fixture
def notes() -> Iterator[Notes]:
    found = Notes()
    set_observer(found)  # type: ignore[arg-type]
    yield found
    set_observer(None)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(2, 3)
        self.layers = nn.ModuleList([nn.Linear(3, 3), nn.Sequential(nn.ReLU(), nn.Linear(3, 1))])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.fc1(x)
        for layer in self.layers:
            x = layer(x)
        return x


def test_scopes_are_the_attribute_names(notes: Notes) -> None:
    net = Net()
    notes.heard.clear()
    net(torch.ones(1, 2))
    entered = [name for _, name in notes.of("enter")]
    assert entered == ["Net", "fc1", "layers.0", "layers.1", "layers.1.0", "layers.1.1"]
    assert len(notes.of("exit")) == len(entered)
    nn.MSELoss()(torch.ones(1), torch.ones(1))
    assert notes.of("enter")[-1] == ("enter", "MSELoss")


def test_scopes_end_when_forward_fails(notes: Notes) -> None:
    net = Net()
    notes.heard.clear()
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        net(torch.ones(1, 5))
    assert len(notes.of("exit")) == len(notes.of("enter")) == 2
    net(torch.ones(1, 2))
    assert notes.of("enter")[2] == ("enter", "Net")


def test_a_layer_reports_its_parameters_and_not_how_they_were_drawn(notes: Notes) -> None:
    layer = nn.Linear(2, 3)
    assert [each[1] for each in notes.heard if each[0] == "created"] == [layer.weight, layer.bias]
    assert {each[0] for each in notes.heard} == {"created"}


def test_filling_later_is_reported(notes: Notes) -> None:
    layer = nn.Linear(2, 3)
    notes.heard.clear()
    nn.init.zeros_(layer.weight)
    assert any(each[0] == "before_write" and each[1] is layer.weight for each in notes.heard)


def test_an_optimizer_step_is_one_report(notes: Notes) -> None:
    net = nn.Linear(2, 1)
    optim = torch.optim.Adam(net.parameters(), lr=0.1)
    net(torch.ones(1, 2)).sum().backward()
    notes.heard.clear()
    optim.step()
    assert [each[0] for each in notes.heard] == ["before_write", "before_write", "optimizer"]
    kind, name, params, groups, states = notes.heard[-1]
    assert (kind, name, params) == ("optimizer", "Adam", [net.weight, net.bias])
    assert groups == [optim.param_groups[0]] * 2 and states is optim.state
    notes.heard.clear()
    optim.zero_grad()
    assert notes.of("cleared") == [("cleared", net.weight, True), ("cleared", net.bias, True)]


def test_clipping_says_which_gradients_change(notes: Notes) -> None:
    w = torch.ones(2, requires_grad=True)
    w.grad = torch.tensor([3.0, 4.0])
    notes.heard.clear()
    nn.utils.clip_grad_norm_([w], 1.0)
    assert [each[0] for each in notes.heard] == ["before_write", "clipped"]
    assert notes.heard[0][1] is w.grad and notes.heard[1][1] == "clip_grad_norm_"
