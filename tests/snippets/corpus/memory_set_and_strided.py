"""Tensors that come to look at other memory, and tensors with gaps; what a node is an instance of."""

import torch
from torch.autograd.graph import Node


def tell(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(name, type(error).__name__, error)


weight = torch.nn.Parameter(torch.arange(4.0))
tell("a leaf", lambda: weight.set_(weight[1:]))
for _ in range(2):
    with torch.no_grad():
        print(weight.set_(weight[1:]) is weight, weight)
        weight.grad = None
    torch.cat((weight, weight * 2)).sum().backward()
    print(weight.grad)
t = torch.ones(3)
print(t.set_(), t.set_(torch.tensor([2.0, 3.0])))
tell("another type", lambda: t.set_(torch.ones(2, dtype=torch.double)))

gaps = torch.empty_strided((2, 3), (6, 2)).copy_(torch.arange(6.0).view(2, 3)).requires_grad_()
print(gaps, gaps.stride(), gaps.is_contiguous())
gaps.sum().backward()
print(gaps.grad.stride())
gaps.grad = None
(gaps * torch.arange(3.0)).sum().backward()
print(gaps.grad, gaps.grad.stride())
print(torch.empty_strided((2, 2), (1, 2), dtype=torch.double, requires_grad=True).stride())
print(torch.empty_strided((0, 2), (2, 1)).shape)
tell("not as many", lambda: torch.empty_strided((2, 2), (1,)))
r = torch.rand(2)
r.resize_((2,)).resize_((1, 2)).resize_as_(torch.ones(2))
print(r.shape)

node = gaps.exp().grad_fn
print(isinstance(node, Node), issubclass(type(node), Node), isinstance(None, Node), issubclass(Node, Node), Node)
print(isinstance(node.next_functions[0][0], Node), issubclass(torch.autograd.function.BackwardCFunction, Node))
tell("made by hand", lambda: Node())
