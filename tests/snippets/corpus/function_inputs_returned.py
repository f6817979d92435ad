# what a custom Function returns that is one of its inputs, a list, or no tensor, with and without gradients
import torch
from torch.autograd import Function


class Increment(Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 3


class Same(Function):
    @staticmethod
    def forward(ctx, x, other):
        return x, other

    @staticmethod
    def backward(ctx, g, _):
        return g * 5, None


class InList(Function):
    @staticmethod
    def forward(ctx, x):
        return [x, x * 2]

    @staticmethod
    def backward(ctx, g):
        return g


leaf = torch.ones(2, requires_grad=True)
with torch.no_grad():
    print(Increment.apply(leaf), leaf, leaf._version)
    same, other = Same.apply(leaf, [leaf])
    print(same, other, same is leaf, same._is_view())
try:
    Increment.apply(leaf)
except RuntimeError as e:
    print(e)
plain = torch.zeros(2)
print(Increment.apply(plain) is plain, plain)
middle = leaf * 1
print(Increment.apply(middle) is middle, middle)
middle.sum().backward()
print(leaf.grad)
same, other = Same.apply(leaf, 3)
print(same, other)
found = InList.apply(leaf)
print(type(found).__name__, found)
try:
    found[1].sum().backward()
except RuntimeError as e:
    print(e)
