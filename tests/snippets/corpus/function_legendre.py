import torch


class LegendrePolynomial3(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return 0.5 * (5 * input**3 - 3 * input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * 1.5 * (5 * input**2 - 1)


P3 = LegendrePolynomial3.apply
x = torch.linspace(-1, 1, 5, requires_grad=True)
y = P3(x)
print(y)
y.sum().backward()
print(x.grad)
