import torch

z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
loss = (z.abs() ** 2).sum()
loss.backward()
print(loss)
print(z.grad)
z.grad = None
(z**2).sum().backward()
