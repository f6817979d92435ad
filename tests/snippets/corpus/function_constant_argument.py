import torch


class MulConstant(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensor, constant):
        ctx.constant = constant
        return tensor * constant

    @staticmethod
    def backward(ctx, grad_output):
        print(ctx.needs_input_grad)
        return grad_output * ctx.constant, None


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = MulConstant.apply(x, 5)
y.sum().backward()
print(y, x.grad)
