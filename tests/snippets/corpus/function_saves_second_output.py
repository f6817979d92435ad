import torch


class ExpAndSquare(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        e, s = x.exp(), x * x
        ctx.save_for_backward(x, e, s)
        return e, s

    @staticmethod
    def backward(ctx, ge, gs):
        x, e, s = ctx.saved_tensors
        print(e.requires_grad, s.requires_grad, s.grad_fn is not None)
        return ge * e + gs * 2 * s / x


x = torch.tensor([1.0, 2.0], requires_grad=True)
e, s = ExpAndSquare.apply(x)
(g,) = torch.autograd.grad((e + s).sum(), x, create_graph=True)
print(g)
(h,) = torch.autograd.grad(g.sum(), x)
print(h)
