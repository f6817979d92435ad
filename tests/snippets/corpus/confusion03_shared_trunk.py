import torch

x = torch.tensor([0.5, -1.0], requires_grad=True)
trunk = torch.tanh(x)
loss_a = trunk.sum()
loss_b = (trunk**2).sum()
loss_a.backward()
print(x.grad)
loss_b.backward()
