"""Expanded tensors with far more elements than any memory has: views, texts and gradients cost nothing."""

import torch

x = torch.tensor([0.5], requires_grad=True)
y = x.expand(2**40)
print(y.shape, y.stride(), y.numel(), y.storage_offset(), y.is_contiguous())
print(y.detach())
w = y.view(2**20, 2**20)
print(w.detach())
print(w.shape, w.stride(), w[3:5, 1:3].detach())
print(y[5], y[-1].item(), y[:3].tolist())
print(y.detach().index_select(0, torch.tensor([0, 2**39])))
print(y.detach().take(torch.tensor([-1, 2**39])))
print(y.detach().gather(0, torch.tensor([1, 2**40 - 1])))
print(w.t().shape, w.transpose(0, 1).stride(), w.unsqueeze(1).shape, w.reshape(2**30, 2**10).shape)
print([part.shape for part in y.chunk(4)], y.narrow(0, 2**39, 2).tolist())

deep = torch.arange(3.0).expand(2**10, 2**10, 2**10, 3)
print(deep)
windows = torch.arange(1000000.0).unfold(0, 100000, 1)
print(windows.shape, windows[900000, :3])
print(torch.full((1,), float("nan")).expand(2**40)[:2])

many = x.expand(2**20)
loss = many.sum()
loss.backward()
print(loss.item(), x.grad)
x.grad = None
torch.sin(x.expand(4)).sum().backward()
print(x.grad)

for wrong in (lambda: x.expand(2**62, 4), lambda: x.expand(-2, 1), lambda: x.detach().expand(2**40).add_(1)):
    try:
        wrong()
    except RuntimeError as error:
        print("RuntimeError:", error)
