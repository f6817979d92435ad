import torch


class Binarize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return (x > 0).float()

    @staticmethod
    def backward(ctx, g):
        return g


x = torch.tensor([-0.5, 0.2, 3.0], requires_grad=True)
y = Binarize.apply(x)
print(y)
(y * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
print(x.grad)
