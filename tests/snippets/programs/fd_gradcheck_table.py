import torch
from torch.autograd import gradcheck, gradgradcheck


def numerical(f, x, eps=1e-6):
    g = torch.zeros_like(x)
    flat = x.view(-1)
    for i in range(flat.numel()):
        old = flat[i].item()
        flat[i] = old + eps
        up = f(x).item()
        flat[i] = old - eps
        down = f(x).item()
        flat[i] = old
        g.view(-1)[i] = (up - down) / (2 * eps)
    return g


funcs = {
    "square": lambda x: (x * x).sum(),
    "norm": lambda x: x.norm(),
    "logsumexp": lambda x: torch.logsumexp(x, 0).sum(),
    "prod": lambda x: x.prod(),
    "softplus": lambda x: torch.nn.functional.softplus(x).sum(),
    "gelu": lambda x: torch.nn.functional.gelu(x).mean(),
    "det": lambda x: torch.det(x),
    "trace inv": lambda x: torch.inverse(x).trace(),
}
torch.manual_seed(3)
print(f"{'function':<12}|{'max abs diff':>14}|{'ok':>6}")
print("-" * 34)
for name, f in funcs.items():
    x = torch.rand(3, 3, dtype=torch.double) + torch.eye(3, dtype=torch.double)
    want = numerical(f, x.clone())
    x.requires_grad_()
    (got,) = torch.autograd.grad(f(x), x)
    print(f"{name:<12}|{'<1e-6' if (got - want).abs().max() < 1e-6 else '!!':>14}|{str(torch.allclose(got, want)):>6}")
x = torch.randn(4, 3, dtype=torch.double, requires_grad=True)
print(gradcheck(torch.sigmoid, (x,)), gradgradcheck(torch.sigmoid, (x,)))
print(gradcheck(lambda a: a.detach() * a, (x,), raise_exception=False))
lin = torch.nn.Linear(3, 2).double()
print(gradcheck(lin, x, eps=1e-6, atol=1e-4))
