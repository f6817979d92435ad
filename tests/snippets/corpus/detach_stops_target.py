import torch

w = torch.tensor(0.5, requires_grad=True)
target = (w * 4).detach()
loss = (w - target) ** 2
loss.backward()
print(w.grad)
w.grad = None
loss = (w - w * 4) ** 2
loss.backward()
print(w.grad)
