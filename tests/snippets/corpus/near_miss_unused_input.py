import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
y = a**2
print(torch.autograd.grad(y, [a, b], allow_unused=True, retain_graph=True))
print(torch.autograd.grad(y, [a, b], materialize_grads=True, retain_graph=True))
torch.autograd.grad(y, [a, b])
