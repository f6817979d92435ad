import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)
out = (w * x**2).sum()
(gx,) = torch.autograd.grad(out, x, create_graph=True)
penalty = (gx.norm() - 1) ** 2
penalty.backward()
print(gx)
print(penalty)
print(w.grad)
print(x.grad)
