import torch


class Pair(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.set_materialize_grads(False)
        return a * 2, a * 3

    @staticmethod
    def backward(ctx, g1, g2):
        print(g1, g2)
        return g1 * 2 if g2 is None else g1 * 2 + g2 * 3


a = torch.tensor(1.0, requires_grad=True)
p, q = Pair.apply(a)
p.backward()
print(a.grad)
