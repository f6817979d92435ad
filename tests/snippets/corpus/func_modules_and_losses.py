import torch, torch.nn as nn, torch.nn.functional as F, functools
from torch.func import vmap, grad, jvp, hessian, jacrev, jacfwd, functional_call
import torch.autograd.forward_ad as fwAD


def tr(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


torch.manual_seed(0)
x = torch.randn(3)
X = torch.randn(2, 3)
# modules under vmap/forward ad
for m, s in (
    (nn.Linear(3, 2), (4, 3)),
    (nn.Conv2d(2, 3, 3, padding=1), (4, 1, 2, 5, 5)),
    (nn.Conv1d(2, 3, 2), (4, 2, 6)),
    (nn.GroupNorm(1, 2), (4, 1, 2, 3)),
    (nn.Embedding(5, 2), None),
    (nn.MultiheadAttention(4, 2, batch_first=True), None),
    (nn.GELU(), (4, 3)),
    (nn.MaxPool2d(2), (4, 1, 4, 4)),
    (nn.AvgPool2d(2), (4, 1, 4, 4)),
    (nn.AdaptiveAvgPool2d(1), (4, 2, 3, 3)),
    (nn.BatchNorm1d(3).eval(), (4, 2, 3)),
    (nn.BatchNorm1d(3, track_running_stats=False), (4, 2, 3)),
    (nn.BatchNorm1d(3), (4, 2, 3)),
    (nn.Dropout(0.5), (4, 3)),
    (nn.Softmax(-1), (4, 3)),
    (nn.GELU(), (4, 3)),
    (nn.PReLU(), (4, 3)),
    (nn.Bilinear(3, 3, 2), None),
    (nn.ConvTranspose2d(2, 3, 2), (4, 1, 2, 3, 3)),
    (nn.Flatten(), (4, 1, 2, 3)),
    (nn.Upsample(scale_factor=2), (4, 1, 2, 3, 3)),
    (nn.CosineSimilarity(0), None),
    (nn.Unfold(2), (2, 1, 1, 3, 3)),
    (nn.LocalResponseNorm(2), (3, 1, 2, 4)),
    (nn.Hardswish(), (4, 3)),
    (nn.Transformer(4, 2, 1, 1, 8, dropout=0.0, batch_first=True), None),
):
    if s is None:
        if isinstance(m, nn.Embedding):
            tr(lambda: vmap(m)(torch.tensor([[0, 1], [2, 3]])))
        continue
    z = torch.randn(*s)
    first = lambda o: o[0] if isinstance(o, tuple) else o
    tr(lambda: (type(m).__name__, vmap(lambda a: first(m(a)).abs().sum())(z).detach()))
    tr(
        lambda: (
            type(m).__name__,
            jvp(lambda a: first(m(a)).pow(2).sum(), (z[0],), (torch.ones_like(z[0]),))[1].detach().round(decimals=3)
            + 0.0,
        )
    )
    p = {k: v.detach() for k, v in m.named_parameters()}
    if p:
        tr(
            lambda: {
                k: (v.abs().sum((tuple(range(1, v.ndim)))) if v.ndim > 1 else v).round(decimals=2) + 0.0
                for k, v in vmap(grad(lambda p, a: first(functional_call(m, p, (a,))).pow(2).sum()), (None, 0))(
                    p, z
                ).items()
            }
        )
# losses
for L in (F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss):
    tr(lambda: (L.__name__, vmap(L)(X, X.sigmoid()), vmap(grad(L))(X, X.sigmoid())))
tr(lambda: vmap(F.cross_entropy)(torch.randn(3, 4, 5), torch.randint(0, 5, (3, 4))))
tr(lambda: vmap(F.nll_loss)(torch.randn(3, 4, 5), torch.randint(0, 5, (3, 4))))
tr(lambda: vmap(F.cosine_similarity, in_dims=(0, None))(torch.randn(3, 1, 4), torch.randn(1, 4)))
tr(lambda: vmap(F.embedding, in_dims=(0, None))(torch.tensor([[0, 1], [1, 2]]), torch.arange(6.0).view(3, 2)))
tr(lambda: vmap(F.cross_entropy, in_dims=(0, None))(torch.randn(3, 5), torch.tensor(1)))
tr(lambda: vmap(grad(F.cross_entropy))(torch.randn(3, 5), torch.tensor([0, 1, 2])))

# The gradient of a loss of a difference, to the last bit.
torch.manual_seed(3)
target = 20 * torch.randn(33)
for loss in (F.mse_loss, F.smooth_l1_loss, F.huber_loss):
    for reduction in ("mean", "sum", "none"):
        guess = torch.linspace(-20, 30, 33).requires_grad_()
        (loss(guess, target, reduction=reduction).sum() * 0.37).backward()
        print([each.hex() for each in guess.grad.tolist()])
