import torch


def numeric(f, x, h=1e-4):
    g = torch.zeros_like(x)
    for i in range(x.numel()):
        up, down = x.clone(), x.clone()
        up[i] += h
        down[i] -= h
        g[i] = (f(up) - f(down)) / (2 * h)
    return g


f = lambda v: (v.sin() * v).sum()
x = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)
f(x).backward()
print(torch.allclose(x.grad, numeric(f, x.detach()), atol=1e-6), x.grad)
