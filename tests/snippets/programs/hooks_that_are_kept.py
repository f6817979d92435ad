"""The dictionaries of a module's hooks hold the hooks themselves; pruning finds its methods there."""

import torch
from torch import nn
from torch.distributions import *
from torch.nn.utils import prune

torch.manual_seed(0)


def say(module, args):
    print("before", type(module).__name__)


def tell(module, args, kwargs, output):
    print("after", type(module).__name__, kwargs)


layer = nn.Linear(4, 3)
before = layer.register_forward_pre_hook(say)
after = layer.register_forward_hook(tell, with_kwargs=True, always_call=True)
print(
    [hook is say for hook in layer._forward_pre_hooks.values()],
    [hook is tell for hook in layer._forward_hooks.values()],
)
layer(torch.ones(1, 4))
try:
    layer("text")
except TypeError as error:
    print(error)
before.remove()
after.remove()
print(len(layer._forward_hooks), len(layer._forward_pre_hooks))
everywhere = nn.modules.module.register_module_forward_hook(lambda module, args, output: print("any", output.shape))
nn.Sequential(nn.Linear(2, 2), nn.Tanh())(torch.zeros(1, 2))
everywhere.remove()

prune.random_unstructured(layer, "weight", amount=0.3)
prune.l1_unstructured(layer, "bias", amount=1)
prune.ln_structured(layer, "weight", amount=0.5, n=2, dim=0)
for hook in layer._forward_pre_hooks.values():
    if isinstance(hook, prune.PruningContainer):
        break
print([type(method).__name__ for method in hook], layer.weight)
print([type(hook).__name__ for hook in layer._forward_pre_hooks.values()])


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * 3, x * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs, output[1])
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx, grad, _):
        return grad * 3


first, second = Doubled.apply(torch.tensor([1.0, 2.0], requires_grad=True))
print(first.grad_fn.saved_tensors, second.requires_grad)
print(Normal(0.0, 1.0), "transforms" in globals(), "constraints" in globals())
