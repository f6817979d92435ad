import torch


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -ctx.lam * g, None


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Reverse.apply(x, 0.5)
print(y)
(y * 4).sum().backward()
print(x.grad)
