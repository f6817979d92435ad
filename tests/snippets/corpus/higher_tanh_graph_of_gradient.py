import torch

x = torch.tensor(0.5, requires_grad=True)
y = torch.tanh(x)
(g,) = torch.autograd.grad(y, x, create_graph=True)
print(g)
g.backward()
print(x.grad)
