import torch

z = torch.tensor([1 + 1j, 0.5 - 2j])
print(z)
print(z.real, z.imag)
print(z.abs(), z.angle())
print(z.conj() * z)
print(torch.view_as_real(z))
w = torch.tensor(1 + 2j, requires_grad=True)
loss = (w * w.conj()).real
loss.backward()
print(loss, w.grad)
