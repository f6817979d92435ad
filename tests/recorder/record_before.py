"""Records `before.gvtrace` with a Python that has PyTorch and ml_dtypes: a backward pass through a graph that was made
before anything was recorded, in the second recording of that graph. `python -m tests.recorder.record_before`"""

from pathlib import Path

import torch

import gradviz

FILE = Path(__file__).parent / "before.gvtrace"

if __name__ == "__main__":
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x**3).softmax(-1)
    shared = torch.nn.functional.leaky_relu(y - 2, 0.5)
    loss = torch.add(shared, y, alpha=3).clamp(-9, 9).sum()
    with gradviz.record(FILE):
        loss.backward(retain_graph=True)
    x.grad = None
    with gradviz.record(FILE):
        loss.backward()
