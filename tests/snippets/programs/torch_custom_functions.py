import torch
from torch.autograd import Function, gradcheck


class Exp(Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result


class Linear(Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


class MulConstant(Function):
    @staticmethod
    def forward(tensor, constant):
        return tensor * constant

    @staticmethod
    def setup_context(ctx, inputs, output):
        tensor, constant = inputs
        ctx.constant = constant

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.constant, None


class StraightThrough(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_non_differentiable()
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g.clone()


linear = Linear.apply
x = torch.randn(2, 3, dtype=torch.double, requires_grad=True, generator=torch.Generator().manual_seed(1))
w = torch.ones(4, 3, dtype=torch.double, requires_grad=True)
print(gradcheck(linear, (x, w), eps=1e-6, atol=1e-4), gradcheck(Exp.apply, (x,)))
v = torch.tensor([0.4, 1.6], requires_grad=True)
StraightThrough.apply(v).sum().backward()
print(v.grad, MulConstant.apply(v, 3.0), MulConstant.apply(v, 3.0).grad_fn.name())


class MyLinear(torch.nn.Module):
    def __init__(self, i, o, bias=True):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.full((o, i), 0.1))
        if bias:
            self.bias = torch.nn.Parameter(torch.zeros(o))
        else:
            self.register_parameter("bias", None)

    def forward(self, input):
        return Linear.apply(input, self.weight, self.bias)

    def extra_repr(self):
        return f"in_features={self.weight.shape[1]}, bias={self.bias is not None}"


print(MyLinear(2, 3), MyLinear(2, 3, bias=False)(torch.ones(1, 2)))
