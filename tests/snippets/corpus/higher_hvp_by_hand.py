import torch

A = torch.tensor([[2., 1.], [1., 3.]])
x = torch.tensor([1., -1.], requires_grad=True)
v = torch.tensor([0.5, 2.])
f = 0.5 * x @ A @ x
g, = torch.autograd.grad(f, x, create_graph=True)
hv, = torch.autograd.grad(g @ v, x)
print(f, g, hv, A @ v)
