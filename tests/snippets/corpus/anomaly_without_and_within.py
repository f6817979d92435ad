import warnings

import torch
from torch.autograd import Function


class Outer(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return Inner.apply(grad * x)


class Inner(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        return grad * float("nan")


def heads(caught):
    for each in caught:
        lines = str(each.message).strip().split("\n")
        print(" ", lines[0])


def first(inside):
    x = torch.ones(2, requires_grad=True)
    if not inside:
        (grad,) = torch.autograd.grad(Outer.apply(x).sum(), x, create_graph=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with torch.autograd.detect_anomaly():
                if inside:
                    (grad,) = torch.autograd.grad(Outer.apply(x).sum(), x, create_graph=True)
                grad.sum().backward()
        except RuntimeError as error:
            print(error)
    heads(caught)


first(inside=False)
first(inside=True)
