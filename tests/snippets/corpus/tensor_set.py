import torch

a = torch.ones(2)
b = torch.zeros(3)
print(a.set_(b) is a, a, a._version, b._version)
b.add_(1)
print(a, a._base, a.data_ptr() == b.data_ptr())
print(torch.ones(2).set_(torch.arange(6.0), 1, (2,), (2,)), torch.ones(2).set_())
try:
    a.set_(torch.ones(2).double())
except RuntimeError as error:
    print(error)

# a leaf that looks elsewhere is another leaf for the graphs that it is in
x = torch.ones(2, requires_grad=True)
y = x * 3
edge = torch.autograd.graph.get_gradient_edge(x)
try:
    x.set_(torch.zeros(2))
except RuntimeError as error:
    print(error)
with torch.no_grad():
    x.set_(torch.tensor([5.0, 6.0]))
print(x, x._version)
print(torch.autograd.grad(y.sum(), edge, retain_graph=True))
try:
    torch.autograd.grad(y.sum(), x)
except RuntimeError as error:
    print(error)
