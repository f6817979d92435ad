import torch
from torch.autograd import functional as AF


def f(x):
    return (x**3).sum()


x = torch.tensor([1.0, 2.0, 3.0])
print(AF.hessian(f, x))
print(AF.jacobian(lambda x: x**2, x, vectorize=True))
print(AF.hvp(f, x, torch.ones(3)))
print(AF.vhp(f, x, torch.ones(3)))
print(AF.jvp(lambda x: x.exp(), x, torch.ones(3)))
print(AF.vjp(lambda x: x.exp(), x, torch.ones(3)))
print(AF.hessian(lambda a, b: (a * b).sum(), (x, x)))
print(AF.jacobian(lambda x: x.sum(), x, create_graph=True).grad_fn)
try:
    AF.jacobian(lambda x: (x, 5), x)
except Exception as e:
    print(type(e).__name__, e)
try:
    AF.jvp(lambda x: x**2, x)
except RuntimeError as e:
    print(e)
try:
    AF.vjp(lambda x: x**2, x, torch.ones(2))
except RuntimeError as e:
    print(e)
try:
    AF.hessian(lambda x: x**2, x)
except RuntimeError as e:
    print(e)
try:
    AF.jacobian(f, 3.0)
except TypeError as e:
    print(e)
