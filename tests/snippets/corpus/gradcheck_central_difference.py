import torch


def numeric(f, x, eps=1e-3):
    g = torch.zeros_like(x)
    for i in range(x.numel()):
        d = torch.zeros_like(x)
        d[i] = eps
        g[i] = (f(x + d) - f(x - d)) / (2 * eps)
    return g


f = lambda x: (x**2).sum() + torch.exp(x[0])
x = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)
f(x).backward()
print(x.grad)
print(numeric(f, x.detach()))
print(torch.allclose(x.grad, numeric(f, x.detach()), atol=1e-5))
