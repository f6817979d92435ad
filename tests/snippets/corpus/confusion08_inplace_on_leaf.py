import torch

w = torch.tensor(5.0, requires_grad=True)
loss = (w - 1) ** 2
loss.backward()
w -= 0.1 * w.grad
