# what function transforms refuse inside of the function
import torch
from torch.func import grad, jacrev, jvp, vmap

x = torch.arange(3.0)


def attempt(f, *args):
    try:
        print(f(*args))
    except RuntimeError as e:
        print(e)


attempt(grad(lambda t: t.sum().backward()), x)
attempt(vmap(lambda t: t.sum().backward()), x)
attempt(jacrev(lambda t: torch.autograd.backward(t.sum())), x)
attempt(jvp, lambda t: t.sum().backward(), (x,), (x,))
attempt(vmap(lambda t: t[t > 0]), x)
attempt(vmap(lambda t: t[t > 0]), x.view(1, 3))
attempt(vmap(lambda t: torch.masked_select(t, t > 0)), x.view(1, 3))
attempt(vmap(lambda t: t if t > 0 else -t), x)
attempt(vmap(lambda t: t.tolist()), x)
attempt(grad(lambda t: t[t > 0].sum()), x)
attempt(grad(lambda t: torch.autograd.grad((t**2).sum(), t)[0].sum()), x)
