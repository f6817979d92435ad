"""Every option of torch.autograd.functional, and what each refuses."""

import torch
from torch.autograd import functional as AF


def tell(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(name, type(error).__name__, error)


x = torch.tensor([1.0, 2.0])
y = torch.tensor([0.5, -1.0])
ones = torch.ones(2)


def square(a):
    return a**2


def total(a):
    return (a**2).sum()


def cut(a):
    return (a.detach() * 2).sum()


def unrelated(a):
    return a.long().float().requires_grad_().clone().sum()


def linear(a):
    return (3 * a).sum()


for vectorize in (False, True):
    tell("jacobian", lambda: AF.jacobian(square, x, vectorize=vectorize))
    tell("two by two", lambda: AF.jacobian(lambda a, b: (a * b, a.sum()), (x, y), vectorize=vectorize))
    tell("hessian", lambda: AF.hessian(total, x, vectorize=vectorize))
tell("forward", lambda: AF.jacobian(square, x, strategy="forward-mode", vectorize=True))
tell("forward, tuples", lambda: AF.jacobian(lambda a, b: (a * b, a), (x, y), strategy="forward-mode", vectorize=True))
tell("forward, double", lambda: AF.jacobian(lambda a: a.double(), x, strategy="forward-mode", vectorize=True))
tell("outer forward", lambda: AF.hessian(total, x, outer_jacobian_strategy="forward-mode", vectorize=True).detach())

tell("forward alone", lambda: AF.jacobian(square, x, strategy="forward-mode"))
tell("forward with a graph", lambda: AF.jacobian(square, x, strategy="forward-mode", create_graph=True, vectorize=True))
tell("forward strict", lambda: AF.jacobian(square, x, strategy="forward-mode", strict=True, vectorize=True))
tell("sideways", lambda: AF.jacobian(square, x, strategy="sideways"))
tell("outer sideways", lambda: AF.hessian(total, x, outer_jacobian_strategy="sideways"))
tell("strict vectorized", lambda: AF.jacobian(square, x, strict=True, vectorize=True))

for name in ("vjp", "jvp", "vhp", "hvp"):
    product = getattr(AF, name)
    for function in (cut, unrelated, linear):
        v = torch.tensor(1.0) if name == "vjp" else ones
        tell(f"{name} {function.__name__}", lambda: product(function, x, v))
        tell(f"{name} {function.__name__} strict", lambda: product(function, x, v, strict=True))
    tell(f"{name} without v", lambda: product(square if name[1] != "h" and name != "hvp" else total, x))
    tell(f"{name} v no tensor", lambda: product(total, x, 3))
    tell(f"{name} v twice", lambda: product(total, x, (ones, ones)))
for function in (cut, unrelated, linear):
    tell(f"hessian {function.__name__}", lambda: AF.hessian(function, x, strict=True))
tell("jacobian strict", lambda: AF.jacobian(lambda a, b: a * 2, (x, y), strict=True))
tell("graph strict", lambda: AF.jacobian(lambda a: a * 3, x.clone().requires_grad_(), create_graph=True, strict=True))
tell("hessian of two", lambda: AF.hessian(lambda a: (total(a), total(a)), x))
tell("hessian of a vector", lambda: AF.hessian(square, x))
tell("outputs in a list", lambda: AF.jacobian(lambda a: [a], x))
with torch.no_grad():
    print(AF.jacobian(square, x.clone().requires_grad_(), create_graph=True).requires_grad)
    print(AF.vhp(total, x, ones), AF.hvp(total, x, ones))
