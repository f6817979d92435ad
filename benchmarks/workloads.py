"""What is timed. Each workload is a function of the module it is to use as `torch` (real PyTorch or GradViz's own) that
prepares what is not to be timed and returns the round: a function that builds a graph and runs it backward. Only names
that both have are used, so that all contenders run the same lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SCALAR_OPERATIONS = 10_000

Round = Callable[[], Any]


def scalars(torch: Any) -> Round:
    """10,000 operations on numbers, one after the other: what an operation costs beyond its arithmetic."""
    w = torch.tensor(0.5, requires_grad=True)
    c = torch.tensor(0.999)

    def one_round() -> Any:
        w.grad = None
        x = w
        for _ in range(SCALAR_OPERATIONS // 2):
            x = x * c + w
        x.backward()
        return w.grad

    return one_round


def small_mlp(torch: Any) -> Round:
    """A learner's network, 16-32-1 on a batch of 8: ten training steps."""
    return _training(torch, sizes=(16, 32, 1), batch=8, steps=10)


def digits_mlp(torch: Any) -> Round:
    """A network for images of digits, 784-256-10 on a batch of 64: one training step."""
    return _training(torch, sizes=(784, 256, 10), batch=64, steps=1)


def _training(torch: Any, sizes: tuple[int, int, int], batch: int, steps: int) -> Round:
    torch.manual_seed(0)
    inputs, hidden, outputs = sizes
    model = torch.nn.Sequential(torch.nn.Linear(inputs, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, outputs))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.randn(batch, inputs)
    y = torch.randn(batch, outputs)

    def one_round() -> Any:
        for _ in range(steps):
            optimizer.zero_grad()
            loss = ((model(x) - y) ** 2).mean()
            loss.backward()
            optimizer.step()
        return loss

    return one_round


def recurrent(torch: Any) -> Round:
    """A recurrent net of 16 units over 100 time steps: one weight used many times."""
    torch.manual_seed(0)
    w = (torch.randn(16, 16) * 0.2).requires_grad_()
    xs = [torch.randn(4, 16) for _ in range(100)]

    def one_round() -> Any:
        w.grad = None
        h = torch.zeros(4, 16)
        for x in xs:
            h = torch.tanh(h @ w + x)
        h.sum().backward()
        return w.grad

    return one_round


WORKLOADS: dict[str, Callable[[Any], Round]] = {
    "scalars": scalars,
    "small_mlp": small_mlp,
    "digits_mlp": digits_mlp,
    "recurrent": recurrent,
}
