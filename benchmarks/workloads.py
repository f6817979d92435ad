"""The workloads in PyTorch's words. Each is a function of the module that it is to use as `torch` (real PyTorch or
GradViz's own) and of its `problems.py` arrays; it prepares what is not to be timed and returns the round. Only names
that both have are used, so that both run the same lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.problems import HEADS, RATE, SCALAR_OPERATIONS, STEPS, TRAINING_STEPS, Problem, Round


def chain(torch: Any, operations: int) -> Callable[[], Any]:
    """A chain of operations on numbers, half of them products, half sums; the round returns its end."""
    w = torch.tensor(0.5, requires_grad=True)
    c = torch.tensor(0.999)

    def one_round() -> Any:
        w.grad = None
        x = w
        for _ in range(operations // 2):
            x = x * c + w
        x.backward()
        return x, w.grad

    return one_round


def scalars(torch: Any, problem: Problem) -> Round:
    one_round = chain(torch, SCALAR_OPERATIONS)
    return lambda: list(one_round())


def _training(torch: Any, model: Any, loss_of: Callable[[], Any], arrays: list[Any], steps: int) -> Round:
    """Steps of plain gradient descent. `arrays` are the first values of the model's parameters, in their order."""
    parameters = list(model.parameters())
    with torch.no_grad():
        for parameter, array in zip(parameters, arrays, strict=True):
            parameter.copy_(torch.tensor(array))
    optimizer = torch.optim.SGD(parameters, lr=RATE)

    def one_round() -> list[Any]:
        for _ in range(steps):
            optimizer.zero_grad()
            loss = loss_of()
            loss.backward()
            optimizer.step()
        return [loss, *(each.grad for each in parameters)]

    return one_round


def small_mlp(torch: Any, problem: Problem) -> Round:
    nn, x, y = torch.nn, torch.tensor(problem["x"]), torch.tensor(problem["y"])
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
    arrays = [problem[name] for name in ("w1", "b1", "w2", "b2")]
    return _training(torch, model, lambda: ((model(x) - y) ** 2).mean(), arrays, TRAINING_STEPS["small_mlp"])


def digits_mlp(torch: Any, problem: Problem) -> Round:
    nn, x, labels = torch.nn, torch.tensor(problem["x"]), torch.tensor(problem["labels"])
    model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
    loss = nn.CrossEntropyLoss()
    arrays = [problem[name] for name in ("w1", "b1", "w2", "b2")]
    return _training(torch, model, lambda: loss(model(x), labels), arrays, TRAINING_STEPS["digits_mlp"])


def cnn(torch: Any, problem: Problem) -> Round:
    nn, x, labels = torch.nn, torch.tensor(problem["x"]), torch.tensor(problem["labels"])
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(784, 10),
    )  # fmt: skip
    loss = nn.CrossEntropyLoss()
    arrays = [problem[name] for name in ("k1", "c1", "k2", "c2", "w", "b")]
    return _training(torch, model, lambda: loss(model(x), labels), arrays, TRAINING_STEPS["cnn"])


def block(torch: Any, problem: Problem) -> Round:
    x, y = torch.tensor(problem["x"]), torch.tensor(problem["y"])
    model = torch.nn.TransformerEncoderLayer(64, HEADS, 256, dropout=0.0, batch_first=True)
    arrays = [each for name, each in problem.items() if name not in "xy"]  # in the order of its parameters
    return _training(torch, model, lambda: (model(x) * y).mean(), arrays, TRAINING_STEPS["block"])


def rnn(torch: Any, problem: Problem) -> Round:
    w = torch.tensor(problem["w"], requires_grad=True)
    xs = list(torch.tensor(problem["x"]))

    def one_round() -> list[Any]:
        w.grad = None
        h = torch.zeros(4, 16)
        for t in range(STEPS):
            h = torch.tanh(h @ w + xs[t])
        loss = h.sum()
        loss.backward()
        return [loss, w.grad]

    return one_round


WORKLOADS: dict[str, Callable[[Any, Problem], Round]] = {
    each.__name__: each for each in (scalars, small_mlp, digits_mlp, cnn, block, rnn)
}
