"""Records the files beside it with a Python that has PyTorch and ml_dtypes: `before.gvtrace`, a backward pass through a
graph that was made before anything was recorded, in the second recording of that graph, `classified.gvtrace`, the same
of operations that make more than they show, `held.gvtrace`, modules that a list and an object hold, and some jobs.
`python -m tests.recorder.record_samples`"""

import subprocess
import sys
from pathlib import Path

import torch

import gradviz

HERE = Path(__file__).parent


def before() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x**3).softmax(-1)
    shared = torch.nn.functional.leaky_relu(y - 2, 0.5)
    loss = torch.add(shared, y, alpha=3).clamp(-9, 9).sum()
    with gradviz.record(HERE / "before.gvtrace"):
        loss.backward(retain_graph=True)
    x.grad = None
    cell = torch.nn.GRUCell(2, 2)
    with gradviz.record(HERE / "before.gvtrace"):
        loss.backward()
        cell(x[None])


def classified() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.LayerNorm(3))
    loss = torch.nn.functional.cross_entropy(net(torch.ones(2, 2)), torch.tensor([0, 2]))
    with gradviz.record(HERE / "classified.gvtrace"):
        loss.backward()


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = torch.nn.Linear(2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(x)  # type: ignore[no-any-return]


class Trainer:
    def __init__(self) -> None:
        self.actor, self.critic = Net(), Net()

    def train(self, x: torch.Tensor) -> None:
        (self.actor(x) + self.critic(x)).sum().backward()


def held() -> None:
    nets = [Net(), Net()]
    with gradviz.record(HERE / "held.gvtrace"):
        x = torch.ones(3, 2)
        (nets[0](x) + nets[1](x)).sum().backward()
        Trainer().train(x)


def job(name: str, *options: str) -> None:
    command = [sys.executable, "-m", "gradviz.record", *options, "-o", HERE / f"{name}.gvtrace", f"{name}.py"]
    status = subprocess.run(command, cwd=HERE / "jobs").returncode
    assert status == (name == "refused")  # which ends in an error of its own


if __name__ == "__main__":
    before()
    classified()
    held()
    job("parameters")
    job("retained_and_nested")
    job("lbfgs")
    job("cells")
    job("mlp_adam", "--steps", "0,3")
    job("refused")
