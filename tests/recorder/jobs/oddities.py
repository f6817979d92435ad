"""Modules that learn their shapes when they are first called, or whose parts can't be listed, hooks that return what is
no gradient, roots that are none, tensors with more elements than memory, and views that can't be asked."""

import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.LazyLinear(4), torch.nn.LazyBatchNorm1d(), torch.nn.ReLU(), torch.nn.LazyLinear(2))
first = net[0].weight
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    loss = net(torch.randn(6, 5)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), first.shape)

layer = torch.nn.Linear(2, 1)
for hook in (lambda *_: 3, lambda *_: (1.5,)):
    for attach in (layer.register_full_backward_hook, layer.register_full_backward_pre_hook):
        handle = attach(hook)
        try:
            layer(torch.ones(3, 2, requires_grad=True)).sum().backward()
        except (RuntimeError, TypeError) as error:
            print(type(error).__name__, error)
        handle.remove()
x = torch.ones(2, requires_grad=True)
y = x * 2
y.register_hook(lambda grad: 3)
try:
    y.sum().backward()
except (RuntimeError, TypeError) as error:
    print(type(error).__name__, error)


odd = torch.nn.Sequential(torch.nn.Linear(2, 2))
odd._modules[torch.nn.Linear] = torch.nn.Linear(2, 1)
print(odd(torch.ones(1, 2)).item())
del odd._modules[torch.nn.Linear]

for call in (lambda: torch.autograd.backward([3]), lambda: torch.autograd.grad(y.sum(), [3])):
    try:
        call()
    except (RuntimeError, TypeError, AssertionError) as error:
        print(type(error).__name__, error)

far = torch.tensor([0.5], requires_grad=True).expand(2**40)
print(far.shape, (far[5] * 2).item())

base = torch.ones(2)
with torch.no_grad():
    part, _ = base.unbind()
base.requires_grad_()
whole = base * 2
with torch.no_grad():
    first, second = whole.unbind()
whole.mul_(3)
for call in (lambda: first.grad_fn, lambda: first.is_leaf, lambda: first + 1, lambda: first.detach()):
    try:
        print(call())
    except RuntimeError as error:
        print(type(error).__name__, error)
