import torch


class Sq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


x = torch.tensor(2.0, requires_grad=True)
y = Sq.apply(x)
y.backward()
print(x.grad)
y.backward()
