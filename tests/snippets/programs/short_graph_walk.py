import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor(3.0, requires_grad=True)
loss = ((x * w).relu() ** 2).mean()


def walk(fn, depth=0, seen=None):
    seen = set() if seen is None else seen
    if fn is None or fn in seen:
        return
    seen.add(fn)
    print("  " * depth + fn.name() + (" " + str(tuple(fn.variable.shape)) if hasattr(fn, "variable") else ""))
    for child, _ in fn.next_functions:
        walk(child, depth + 1, seen)


walk(loss.grad_fn)
print(loss.requires_grad, type(loss.grad_fn).__name__)
