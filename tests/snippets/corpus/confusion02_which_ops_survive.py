import torch

ops = {
    "add": lambda t: t + 1,
    "sub": lambda t: t - 1,
    "rsub": lambda t: 1 - t,
    "neg": lambda t: -t,
    "mul const": lambda t: t * 3,
    "div const": lambda t: t / 3,
    "pow": lambda t: t**2,
    "exp": torch.exp,
    "log": torch.log,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "relu": torch.relu,
    "abs": torch.abs,
    "sum": torch.sum,
    "mean": torch.mean,
    "view": lambda t: t.view(-1),
    "t": lambda t: t.t(),
    "clone": torch.clone,
    "select": lambda t: t[0],
    "expand": lambda t: t.expand(3, 2, 2),
    "cat": lambda t: torch.cat([t, t]),
    "where": lambda t: torch.where(t > 1, t, t),
    "clamp": lambda t: t.clamp(min=0),
    "max": torch.max,
}
for name, op in ops.items():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = op(x)
    g = torch.ones_like(y)
    y.backward(g)
    try:
        y.backward(g)
        print(f"{name:10s} survives")
    except RuntimeError:
        print(f"{name:10s} freed")
