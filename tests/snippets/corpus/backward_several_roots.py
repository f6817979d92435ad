import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
a = (x**2).sum()
b = (3 * x).sum()
torch.autograd.backward([a, b])
print(x.grad)
x.grad = None
y = x**2
z = x**3
torch.autograd.backward([y, z], grad_tensors=[torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0])])
print(x.grad)
