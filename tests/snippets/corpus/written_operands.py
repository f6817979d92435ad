"""An operand that is its own target, memory that overlaps, and random writes: refused or cut off as PyTorch does."""

import torch


def attempt(name, action):
    x = torch.tensor([3.0, 2.0], requires_grad=True)
    y = x * 2
    try:
        action(y)
        y.sum().backward()
    except RuntimeError as error:
        print(name, error)
    else:
        print(name, type(y.grad_fn).__name__, y.tolist(), x.grad.tolist())


attempt("y *= y", lambda y: y.mul_(y))
attempt("y /= y", lambda y: y.div_(y))
attempt("y += y", lambda y: y.add_(y))
attempt("y -= y", lambda y: y.sub_(y))
attempt("y.pow_(y)", lambda y: y.pow_(y))
attempt("y.atan2_(y)", lambda y: y.atan2_(y))
attempt("y.addcmul_(y, y)", lambda y: y.addcmul_(y, y))
attempt("y.mul_(y.detach())", lambda y: y.mul_(y.detach()))
attempt("y[0] *= y[1]", lambda y: y[0].mul_(y[1]))
attempt("y.copy_(y)", lambda y: y.copy_(y))
torch.manual_seed(0)
attempt("y.normal_()", lambda y: y.normal_())
attempt("y.uniform_()", lambda y: y.uniform_())
attempt("y.bernoulli_(0.5)", lambda y: y.bernoulli_(0.5))
attempt("y[0].normal_()", lambda y: y[0].normal_())

for action in (
    lambda x: x[1:].copy_(x[:-1]),
    lambda x: x[1:].add_(x[:-1]),
    lambda x: x.view(2, 2).mul_(x.view(2, 2).t()),
    lambda x: x[:2].add_(x[2:]),
    lambda x: x.add_(x),
    lambda x: x.expand(2, 4).add_(1),
    lambda x: x[::2].copy_(x[1::2]),
):
    x = torch.arange(4.0)
    try:
        print(action(x).tolist(), x.tolist())
    except RuntimeError as error:
        print(error)
