import torch
from torch.autograd.function import once_differentiable


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * g * x


x = torch.tensor(3.0, requires_grad=True)
w = torch.tensor(1.0, requires_grad=True)
y = Square.apply(x) * w
(g,) = torch.autograd.grad(y, x, create_graph=True)
print(g)
g.backward()
