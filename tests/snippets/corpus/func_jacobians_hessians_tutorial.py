import torch
import torch.nn.functional as F
from functools import partial

_ = torch.manual_seed(0)


def predict(weight, bias, x):
    return F.linear(x, weight, bias).tanh()


D = 4
weight = torch.randn(D, D)
bias = torch.randn(D)
x = torch.randn(D)


def compute_jac(xp):
    jacobian_rows = [torch.autograd.grad(predict(weight, bias, xp), xp, vec)[0] for vec in unit_vectors]
    return torch.stack(jacobian_rows)


xp = x.clone().requires_grad_()
unit_vectors = torch.eye(D)
jacobian = compute_jac(xp)
print(jacobian.shape)
print(jacobian[0])
from torch.func import vmap, vjp

_, vjp_fn = vjp(partial(predict, weight, bias), x)
(ft_jacobian,) = vmap(vjp_fn)(unit_vectors)
assert torch.allclose(ft_jacobian, jacobian)
from torch.func import jacrev

ft_jacobian = jacrev(predict, argnums=2)(weight, bias, x)
assert torch.allclose(ft_jacobian, jacobian)
from torch.func import jacrev, jacfwd, hessian

ft_jac_weight, ft_jac_bias = jacrev(predict, argnums=(0, 1))(weight, bias, x)
print(ft_jac_weight.shape, ft_jac_bias.shape)
print(jacfwd(predict, argnums=2)(weight, bias, x))
hess_api = hessian(predict, argnums=2)
print(hess_api(weight, bias, x))


def compute_batch_jacobian_naive(predict, weight, bias, x):
    jacobian_rows = []
    for xi in x:
        jacobian_rows.append(jacrev(predict, argnums=2)(weight, bias, xi))
    return torch.stack(jacobian_rows)


xb = torch.randn(3, D)
compute_batch_jacobian = vmap(jacrev(predict, argnums=2), in_dims=(None, None, 0))
print(torch.allclose(compute_batch_jacobian(weight, bias, xb), compute_batch_jacobian_naive(predict, weight, bias, xb)))
from torch.func import jvp

out, tang = jvp(lambda x: predict(weight, bias, x), (x,), (torch.ones(D),))
print(out, tang)
