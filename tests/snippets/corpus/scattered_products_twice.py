import torch, warnings

warnings.simplefilter("ignore")


def go(name, f, x, s):
    x = x.clone().requires_grad_()
    s = s.clone().requires_grad_()
    y = f(x, s)
    print(name, y.grad_fn.name(), y.tolist())
    g = torch.autograd.grad(y.sum(), (x, s), create_graph=True)
    print([t.tolist() for t in g], [None if t.grad_fn is None else t.grad_fn.name() for t in g])
    for i, t in enumerate(g):
        try:
            print(
                i,
                [
                    None if r is None else r.tolist()
                    for r in torch.autograd.grad(t.sum(), (x, s), retain_graph=True, allow_unused=True)
                ],
            )
        except Exception as e:
            print(i, type(e).__name__, e)

    def walk(n, d=0):
        if n is None or d > 3:
            return
        print(" " * d + n.name())
        for m, _ in n.next_functions:
            walk(m, d + 1)

    walk(g[1].grad_fn)


i = torch.tensor([0, 0, 1, 2, 2])
x = torch.tensor([2.0, 3.0, 4.0])
for nm, s in (
    ("nozero", torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0])),
    ("onezero", torch.tensor([0.0, 2.0, 3.0, 4.0, 5.0])),
    ("two", torch.tensor([0.0, 0.0, 3.0, 4.0, 5.0])),
):
    go("sr " + nm, lambda a, b: a.scatter_reduce(0, i, b, "prod"), x, s)
    go("sr ns " + nm, lambda a, b: a.scatter_reduce(0, i, b, "prod", include_self=False), x, s)
    go("ir " + nm, lambda a, b: a.index_reduce(0, i, b, "prod"), x, s)
go(
    "sr selfzero",
    lambda a, b: a.scatter_reduce(0, i, b, "prod"),
    torch.tensor([0.0, 3.0, 4.0]),
    torch.tensor([0.0, 2.0, 3.0, 4.0, 5.0]),
)
go(
    "ir selfzero",
    lambda a, b: a.index_reduce(0, i, b, "prod"),
    torch.tensor([0.0, 3.0, 4.0]),
    torch.tensor([0.0, 2.0, 3.0, 4.0, 5.0]),
)
go(
    "ir selfzero1",
    lambda a, b: a.index_reduce(0, i, b, "prod"),
    torch.tensor([0.0, 3.0, 4.0]),
    torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0]),
)
