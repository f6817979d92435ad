import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[input < 0] = 0
        return grad_input


x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
y = MyReLU.apply(x)
print(y)
(y * y).sum().backward()
print(x.grad)
print(y.grad_fn.next_functions)
