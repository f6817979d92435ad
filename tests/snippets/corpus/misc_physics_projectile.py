import torch

v0 = torch.tensor(10.0, requires_grad=True)
angle = torch.tensor(0.7, requires_grad=True)
reach = v0**2 * torch.sin(2 * angle) / 9.81
reach.backward()
print(f"{reach:.4f} m, d/dv {v0.grad:.4f}, d/dangle {angle.grad:.4f}")
