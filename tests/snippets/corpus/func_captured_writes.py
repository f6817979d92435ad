import torch
import torch.autograd.forward_ad as fwAD, torch.nn.functional as F
from torch.func import grad, vmap, jvp


def tr(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, repr(str(e)))


with fwAD.dual_level():
    d = lambda t: fwAD.make_dual(t, torch.ones_like(t))
    tr(lambda: F.embedding_bag(torch.tensor([[0, 1]]), d(torch.ones(3, 2))))
    tr(lambda: F.soft_margin_loss(d(torch.ones(3)), torch.ones(3)))
    tr(lambda: torch.cdist(d(torch.ones(3, 2)), torch.zeros(3, 2)))
    tr(lambda: torch.cdist(d(torch.ones(3, 2)), torch.zeros(3, 2), p=1.0))
    tr(lambda: F.ctc_loss(d(torch.randn(5, 1, 3)), torch.tensor([[1, 2]]), torch.tensor([5]), torch.tensor([2])))
    tr(lambda: F.multi_margin_loss(d(torch.ones(3)), torch.tensor(1)))
    tr(lambda: F.multilabel_margin_loss(d(torch.ones(3)), torch.tensor([1, -1, 0])))
c = torch.zeros(3)
tr(lambda: grad(lambda x: (c.add_(x), x.sum())[1])(torch.ones(3)))
tr(lambda: grad(lambda x: (c.mul_(2), x.sum())[1])(torch.ones(3)))
tr(lambda: grad(lambda x: (c.copy_(x), x.sum())[1])(torch.ones(3)))
tr(lambda: grad(lambda x: (c.zero_(), x.sum())[1])(torch.ones(3)))
tr(lambda: grad(lambda x: (c.relu_(), x.sum())[1])(torch.ones(3)))
tr(lambda: grad(lambda x: (c.fill_(2.0), x.sum())[1])(torch.ones(3)))
tr(lambda: grad(lambda x: (c.clamp_(0, 1), x.sum())[1])(torch.ones(3)))
tr(lambda: jvp(lambda x: c.add_(x), (torch.ones(3),), (torch.ones(3),)))
tr(lambda: vmap(lambda x: c.add_(1) + x)(torch.ones(2, 3)))
tr(lambda: grad(lambda x: (x.clone().add_(x).mul_(2)).sum())(torch.ones(3)))
tr(lambda: grad(lambda x: x.add_(1).sum())(torch.ones(3)))
tr(lambda: grad(lambda x: (torch.zeros(3).add_(x)).sum())(torch.ones(3)))


def f(x):
    o = torch.empty_like(x)
    o[0] = x[1] * 2
    o[1:] = x[1:] ** 2
    return o.sum()


tr(lambda: grad(f)(torch.arange(3.0)))
tr(lambda: vmap(grad(f))(torch.arange(6.0).view(2, 3)))
tr(lambda: jvp(f, (torch.arange(3.0),), (torch.ones(3),)))
tr(lambda: torch.func.hessian(f)(torch.arange(3.0)))
tr(lambda: torch.func.jacrev(f)(torch.arange(3.0)))
l = []
tr(lambda: grad(lambda x: (l.append(x), x.sum())[1])(torch.ones(2)))
print(l[0].shape)
print(torch.is_grad_enabled())
