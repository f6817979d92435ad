import torch
from torch.autograd.functional import hessian, jacobian, vjp, jvp, hvp, vhp


def rosen(v):
    x, y = v
    return (1 - x) ** 2 + 100 * (y - x**2) ** 2


p = torch.tensor([0.5, -0.3])
print(jacobian(rosen, p))
print(hessian(rosen, p))
print(vjp(rosen, p))
print(jvp(rosen, p, torch.tensor([1.0, 0.0])))
print(hvp(rosen, p, torch.tensor([1.0, 2.0])))
print(vhp(rosen, p, torch.tensor([1.0, 2.0]))[1])
f = lambda a, b: (a.sin() * b).sum() + a.pow(3).sum()
H = hessian(f, (torch.tensor([0.1, 0.2]), torch.tensor([1.0, 2.0])))
for row in H:
    for block in row:
        print(block)
q = p.clone().requires_grad_()
val = rosen(q)
(g,) = torch.autograd.grad(val, q, create_graph=True)
rows = [torch.autograd.grad(gi, q, retain_graph=True)[0] for gi in g]
print(torch.stack(rows))
evals, evecs = torch.linalg.eigh(torch.stack(rows).round())
print(evals.round(decimals=1))
x = torch.tensor(2.0, requires_grad=True)
y = x**4
ds = [y]
for k in range(5):
    y = torch.autograd.grad(y, x, create_graph=True)[0]
    ds.append(y)
    print(k + 1, y.item(), y.requires_grad, y.grad_fn.name() if y.grad_fn else None)
J = jacobian(lambda t: t.outer(t), torch.arange(3.0))
print(J.shape)
print(J[1])
print(jacobian(torch.relu, torch.tensor([-1.0, 0.0, 2.0]), create_graph=True))
print(jacobian(lambda a: a @ a.T, torch.eye(2), vectorize=True).shape)
print(hessian(lambda a: (a**3).sum(), torch.tensor([1.0, 2.0]), strict=False, outer_jacobian_strategy="reverse-mode"))
