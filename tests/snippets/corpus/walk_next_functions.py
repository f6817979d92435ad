import torch

x = torch.tensor(1.0, requires_grad=True)
y = torch.tensor(2.0, requires_grad=True)
z = torch.sin(x) * y + 3


def walk(fn, depth=0):
    print("  " * depth + (fn.name() if fn is not None else "None"))
    for parent, index in fn.next_functions if fn is not None else ():
        walk(parent, depth + 1)


walk(z.grad_fn)
