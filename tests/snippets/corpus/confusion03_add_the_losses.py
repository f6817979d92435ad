import torch

x = torch.tensor([0.5, -1.0], requires_grad=True)
trunk = torch.tanh(x)
loss_a = trunk.sum()
loss_b = (trunk**2).sum()
(loss_a + loss_b).backward()
print(x.grad)

x2 = x.detach().clone().requires_grad_()
trunk = torch.tanh(x2)
trunk.sum().backward(retain_graph=True)
(trunk**2).sum().backward()
print(x2.grad)
print(torch.allclose(x.grad, x2.grad))
