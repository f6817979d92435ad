import torch

x = torch.tensor(3.0, requires_grad=True)
for i in range(5):
    f = x**2 - 2 * torch.log(x)
    (g,) = torch.autograd.grad(f, x, create_graph=True)
    (h,) = torch.autograd.grad(g, x)
    with torch.no_grad():
        x -= g / h
    print(f"{i} x={x.item():.5f} f={f.item():.5f}")
