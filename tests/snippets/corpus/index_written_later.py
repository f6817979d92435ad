import torch

x = torch.ones(3, requires_grad=True)
table = torch.ones(3, 2, requires_grad=True)
values = torch.ones(2, requires_grad=True)


def attempt(label, index, use):
    y = use(index)
    index[0] = 0
    try:
        y.sum().backward()
        print(label, "worked")
    except RuntimeError as error:
        print(label, error)


def assigned(mask):
    made = x * 1
    made[mask] = values
    return made


mask = [True, False, True]
attempt("a mask", torch.tensor(mask), lambda m: x[m])
attempt("an index", torch.tensor([2, 0]), lambda i: x[i])
attempt("a mask that is assigned to", torch.tensor(mask), assigned)
attempt("a mask and an index", torch.tensor([1, 0]), lambda i: table[torch.tensor(mask), i])
attempt("masked_fill", torch.tensor(mask), lambda m: x.masked_fill(m, 0.0))
attempt("another mask", torch.tensor(mask), lambda m: x[m.clone()])
half = torch.ones(3, dtype=torch.bfloat16, requires_grad=True)
attempt("bfloat16", torch.ones(3, dtype=torch.bfloat16), lambda w: half * w)
