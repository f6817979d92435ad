import torch

w = torch.tensor([1.0, -1.0], requires_grad=True)
losses = []
for t in torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]):
    losses.append((w @ t - 1) ** 2)
total = torch.stack(losses).mean()
print(total, len(losses))
total.backward()
print(w.grad)
print(torch.tensor([l.item() for l in losses]))
