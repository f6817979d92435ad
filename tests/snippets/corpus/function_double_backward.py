import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * x


x = torch.tensor(3.0, requires_grad=True)
y = Square.apply(x)
(g,) = torch.autograd.grad(y, x, create_graph=True)
print(g)
(h,) = torch.autograd.grad(g, x)
print(h)
print(torch.autograd.gradcheck(Square.apply, torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)))
print(torch.autograd.gradgradcheck(Square.apply, torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)))
