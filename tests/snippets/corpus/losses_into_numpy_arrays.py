import numpy as np
import torch

torch.manual_seed(0)
w = torch.tensor(2.0, requires_grad=True)
losses, grid, counts = np.zeros(4), np.zeros((2, 2), dtype=np.float32), np.zeros(3, dtype=int)
for epoch in range(4):
    loss = (w * epoch - 3) ** 2
    losses[epoch] = loss
    loss.backward()
print(losses, losses.dtype, w.grad)
grid[1, 0], grid[-1, -1] = w, torch.tensor([0.5], requires_grad=True)
counts[torch.tensor(1)] = w
print(grid, counts)
for place in (slice(0, 1), [0], ...):
    try:
        losses[place] = w
    except RuntimeError as error:
        print(error)
losses[1] = torch.tensor(1.5)
print(losses[:2], losses.mean())
