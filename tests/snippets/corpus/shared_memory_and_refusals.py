"""What is refused, counted and shared: versions, saved index tensors, complex gradients."""

import torch
import torch.autograd.forward_ad as forward_ad
from torch.autograd import graph


def tell(what, call):
    try:
        print(what, call())
    except Exception as error:
        print(what, type(error).__name__, error)


class Complex(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.clone()

    @staticmethod
    def setup_context(ctx, inputs, output):
        print("wanted", ctx.needs_input_grad)

    @staticmethod
    def backward(ctx, grad):
        return grad * (1 + 1j)


x = torch.ones(2, requires_grad=True)
tell("complex", lambda: Complex.apply(x).sum().backward())
print(torch.vmap(lambda y: y * 2)(torch.ones(2)))
turned = torch.arange(6.0).view(2, 3).t()
print((turned + torch.ones(3, 2)).stride())

with forward_ad.dual_level():
    dual = forward_ad.make_dual(torch.ones(2), torch.ones(2)).clone()
    dual.detach_()
    print(forward_ad.unpack_dual(dual * 2).tangent)

picked = torch.ones(2, 2, requires_grad=True)[:, torch.tensor([0, 1])]
none, kept = picked.grad_fn._raw_saved_indices
tell("nothing", lambda: none.register_hooks(lambda t: t, lambda t: t))
tell("indices", lambda: kept.register_hooks(lambda t: t, lambda t: t))

with torch.inference_mode():
    made = torch.ones(2)
tell("no version", lambda: graph.increment_version(made))
tell("all", lambda: graph.register_multi_grad_hook((made,), print))
print(torch.return_types.sort, isinstance(made.sort(), torch.return_types.sort))

weight = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.LBFGS([weight], lr=0.1, max_iter=2)


def closure():
    optimizer.zero_grad()
    loss = (weight**2).sum()
    loss.backward()
    return loss


optimizer.step(closure)
print(list(optimizer.state_dict()["state"][0]))
print(torch.nn.Linear(2, 2).weight._version)
tell("names", lambda: torch.iinfo(torch.bool))
tell("alpha", lambda: torch.add(torch.ones(3), torch.ones(2), alpha=1j))
tell("random", lambda: torch.tensor([1j]).geometric_(0.5))
tell("a scalar", lambda: torch.tensor(1.0).index_select(0, torch.tensor([0, 0])))
tell("trace", lambda: torch.ones(2, 2).bool().trace())
tell("ldexp", lambda: torch.ldexp(torch.ones(2), torch.tensor([True, False])))
