import torch


class SumDiff(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a + b, a - b

    @staticmethod
    def backward(ctx, g_sum, g_diff):
        print("got", g_sum, g_diff)
        return g_sum + g_diff, g_sum - g_diff


a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 5.0], requires_grad=True)
s, d = SumDiff.apply(a, b)
print(s, d)
d.sum().backward()
print(a.grad, b.grad)
