import torch

w = torch.tensor([1., -1.], requires_grad=True)
losses = []
for t in torch.tensor([[1., 2.], [3., 4.], [5., 6.]]):
    losses.append((w @ t - 1) ** 2)
total = torch.stack(losses).mean()
print(total, len(losses))
total.backward()
print(w.grad)
print(torch.tensor([l.item() for l in losses]))
