"""Which functions make up a gradient that is differentiated again: numbers in formulas are no tensors, and the last
function of the second derivative."""

import torch
import torch.nn.functional as F

x = torch.tensor([0.3, -0.8, 1.4], dtype=torch.double, requires_grad=True)
FUNCTIONS = {
    "erf": torch.erf,
    "erfc": torch.erfc,
    "silu": F.silu,
    "sqrt": lambda x: (x * x + 1).sqrt(),
    "rsqrt": lambda x: (x * x + 1).rsqrt(),
    "std": torch.std,
    "var": torch.var,
    "atan": torch.atan,
    "asinh": torch.asinh,
    "atanh": lambda x: (x / 2).atanh(),
    "asin": lambda x: (x / 2).asin(),
    "acos": lambda x: (x / 2).acos(),
    "tan": torch.tan,
    "expm1": torch.expm1,
    "log1p": lambda x: (x * x).log1p(),
    "log2": lambda x: (x * x).log2(),
    "log10": lambda x: (x * x).log10(),
    "logit": lambda x: x.sigmoid().logit(),
    "sinc": torch.sinc,
    "erfinv": lambda x: (x / 2).erfinv(),
    "lerp": lambda x: x.lerp(x**2, x),
    "logaddexp": lambda x: torch.logaddexp(x, x.flip(0)),
    "renorm": lambda x: x[None].renorm(2, 0, 0.5),
    "entr": lambda x: torch.special.entr(x**2),
    "ndtr": torch.special.ndtr,
    "log_ndtr": torch.special.log_ndtr,
    "stack": lambda x: torch.stack([x, x**2]) ** 2,
    "repeat": lambda x: x.repeat(2) ** 2,
    "exp2": torch.exp2,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "mse": lambda x: F.mse_loss(x, torch.zeros(3).double()),
    "bce": lambda x: F.binary_cross_entropy(x.sigmoid(), torch.ones(3).double()),
}


def names(node):
    found, waiting, seen = [], [node], set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        found.append(node.name())
        waiting += [each for each, _ in reversed(node.next_functions)]
    return found


for name, function in FUNCTIONS.items():
    (first,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
    print(name, [f"{value:.5f}" for value in first.tolist()], *names(first.grad_fn))
    (second,) = torch.autograd.grad(first.sum(), x, create_graph=True, allow_unused=True)
    print(" ", [f"{value:.5f}" for value in second.tolist()], second.grad_fn.name())
