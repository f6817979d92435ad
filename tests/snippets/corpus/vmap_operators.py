import torch
from torch.func import vmap


def tr(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


x = torch.arange(6.0).view(2, 3)


def setitem(x):
    z = torch.zeros(3)
    z[0] = x[0]
    return z


def copy(x):
    z = torch.zeros(3)
    z.copy_(x)
    return z


def fill(x):
    z = torch.zeros(3)
    z.fill_(x[0])
    return z


def mul(x):
    z = torch.zeros(3)
    z.mul_(x)
    return z


def iadd(x):
    z = torch.zeros(3)
    z += x
    return z


def okset(x):
    z = torch.zeros_like(x)
    z[0] = x[1]
    z[1:] += 1
    return z


def newz(x):
    z = x.new_zeros(3)
    z[0] = x[1]
    return z


def inp(x):
    x.add_(1)
    return x


for f in (setitem, copy, fill, mul, iadd, okset, newz, inp):
    tr(lambda: vmap(f)(x))
    print(x)
for rnd in ("same", "different"):
    torch.manual_seed(0)
    for f in (
        lambda x: x + torch.randn(3),
        lambda x: torch.rand(2),
        lambda x: torch.nn.functional.dropout(x),
        lambda x: torch.bernoulli(x.sigmoid()),
        lambda x: torch.randint(0, 10, (2,)),
        lambda x: torch.randperm(4),
        lambda x: torch.randn_like(x),
        lambda x: torch.rand_like(x),
        lambda x: torch.multinomial(x.exp(), 2),
        lambda x: torch.normal(x, 1.0),
        lambda x: torch.empty(3).normal_(),
        lambda x: x.clone().normal_(),
        lambda x: x.clone().uniform_(),
        lambda x: torch.bernoulli(torch.full((3,), 0.5)),
        lambda x: torch.normal(0.0, 1.0, (2,)),
        lambda x: torch.nn.functional.dropout(torch.ones(4)),
        lambda x: torch.zeros(3).bernoulli_(0.5),
        lambda x: torch.poisson(x),
    ):
        tr(lambda: vmap(f, randomness=rnd)(x))
    tr(lambda: torch.rand(1))
tr(lambda: vmap(lambda x: x, randomness="foo")(x))
for a in (
    (dict(in_dims=(0, 0)), (x,)),
    (dict(in_dims="a"), (x,)),
    (dict(in_dims=3), (x,)),
    (dict(in_dims=([0],)), (x,)),
    (dict(in_dims=(0.5,)), (x,)),
    (dict(), (3,)),
    (dict(), ()),
    (dict(in_dims=(None,)), (x,)),
    (dict(in_dims=(0, 1)), (x, x)),
    (dict(out_dims=(0, 1)), (x,)),
    (dict(out_dims="a"), (x,)),
    (dict(out_dims=5), (x,)),
    (dict(out_dims=None), (x,)),
    (dict(chunk_size=0), (x,)),
    (dict(in_dims=-1), (x,)),
    (dict(out_dims=-1), (x,)),
    (dict(out_dims=(1,)), (x,)),
):

    def f(*a):
        return a[0].sum() * a[0]

    tr(lambda: vmap(f, **a[0])(*a[1]))
tr(lambda: vmap(lambda x: 3)(x))
tr(lambda: vmap(lambda x: (x, 3), out_dims=(0, None))(x))
tr(lambda: vmap(lambda x: {"a": x, "b": (x, x.sum())}, out_dims={"a": 1, "b": 0})(x))
tr(lambda: vmap(lambda x: torch.ones(2))(x))
tr(lambda: vmap(lambda d: d["x"] * d["y"], in_dims=({"x": 0, "y": None},))({"x": x, "y": x[0]}))
tr(lambda: vmap(torch.dot)(x, x))
tr(lambda: vmap(torch.dot, in_dims=(0, None))(x, x[0]))
tr(lambda: vmap(vmap(torch.mul, (0, None)), (None, 0))(x[0], x[1]))
tr(lambda: vmap(lambda a, s=4.0: a * s)(x, s=x))
tr(lambda: vmap(lambda a: a**2, out_dims=1)(torch.arange(10.0).view(2, 5)))
tr(lambda: vmap(lambda x: x.sum(), chunk_size=2)(torch.arange(10.0).view(5, 2)))
tr(lambda: vmap(lambda x: x[torch.tensor([0, 2])])(x))
tr(lambda: vmap(lambda x, i: x[i])(x, torch.tensor([0, 2])))
tr(lambda: vmap(lambda x, i: torch.gather(x, 0, i))(x, torch.tensor([[0], [2]])))
tr(lambda: vmap(lambda x: torch.where(x > 2, x, -x))(x))
tr(lambda: vmap(lambda x: x.masked_fill(x > 2, 0.0))(x))
tr(lambda: vmap(lambda x: x.masked_select(x > 2))(x))
tr(lambda: vmap(lambda x: x.argmax())(x))
tr(lambda: vmap(lambda x: x.topk(2))(x))
tr(lambda: vmap(lambda x: x.sort(descending=True))(x))
tr(lambda: vmap(lambda x: torch.linalg.norm(x))(x))
tr(lambda: vmap(lambda x: torch.outer(x, x))(x))
tr(lambda: vmap(lambda x: torch.einsum("i,j->ij", x, x))(x))
tr(lambda: vmap(lambda x: x.view(3, 1).expand(3, 2))(x))
tr(lambda: vmap(lambda x: torch.cat([x, x]))(x))
tr(lambda: vmap(lambda x: x.chunk(3))(x))
tr(lambda: vmap(lambda x: torch.nn.functional.one_hot(x.long(), 7))(x))
tr(lambda: vmap(lambda x: torch.nn.functional.cross_entropy(x, torch.tensor(1)))(x))
tr(lambda: vmap(lambda x: torch.nn.functional.linear(x, torch.ones(2, 3)))(x))
tr(lambda: vmap(lambda x: torch.tril(x.expand(3, 3)))(x))
tr(lambda: vmap(lambda x: x.flip(0))(x))
tr(lambda: vmap(lambda x: x.roll(1))(x))
tr(lambda: vmap(lambda x: torch.diag(x))(x))
tr(lambda: vmap(lambda x: x.tolist())(x))
tr(lambda: vmap(lambda x: x.unique())(x))
tr(lambda: vmap(lambda x: torch.cumsum(x, 0))(x))
tr(lambda: vmap(lambda x: x.std())(x))
tr(lambda: vmap(lambda x: x.median())(x))
tr(lambda: vmap(lambda x: x.prod())(x))
tr(lambda: vmap(lambda x: torch.nn.functional.layer_norm(x, (3,)))(x))
tr(lambda: vmap(lambda x: x.clamp(1, 3))(x))
tr(lambda: vmap(lambda x: torch.nn.functional.softmax(x, -1))(x))
tr(lambda: vmap(lambda x: x.isnan().any())(x))
tr(lambda: vmap(lambda x: x.max())(x))
tr(lambda: vmap(lambda x: x.max(0))(x))
tr(lambda: vmap(lambda x: x.unsqueeze(0).repeat(2, 1))(x))
tr(lambda: vmap(lambda x: x.unbind()[1])(x))
tr(lambda: vmap(lambda x: [*x])(x))
tr(lambda: vmap(lambda x: x[1:])(x))
tr(lambda: vmap(lambda x: x[None, ..., ::2])(x))
tr(lambda: vmap(lambda x: x.numel())(x))
tr(lambda: vmap(lambda x: (x, str(x.dtype)), out_dims=(0, None))(x))
tr(lambda: vmap(lambda x: x + x.mean().item())(x))
tr(lambda: vmap(lambda x: f"{x.sum():.2f}", out_dims=None)(x))
tr(lambda: vmap(lambda x: torch.tensor([x.sum(), 1.0]))(x))
tr(lambda: vmap(lambda x: torch.zeros(3).scatter(0, x.long()[:1] * 0, 5.0))(x))
tr(lambda: vmap(lambda x: torch.searchsorted(torch.arange(5.0), x))(x))
tr(lambda: vmap(lambda x: max(x[0], x[1]))(x))
tr(lambda: vmap(lambda x: x.to(torch.float64))(x))
tr(lambda: vmap(lambda x: torch.stack([x, torch.ones(3)]))(x))
tr(lambda: vmap(lambda x: x.reshape(1, -1).t())(x))
tr(lambda: vmap(lambda x: torch.nn.functional.pad(x, (1, 1)))(x))
tr(lambda: vmap(lambda x: torch.nn.functional.conv1d(x.view(1, 1, 3), torch.ones(1, 1, 2)))(x))
tr(lambda: vmap(lambda x: torch.full((2,), 3.0) * x[0])(x))
tr(lambda: vmap(lambda x: x.new_tensor([1.0, 2.0]) + x[:2])(x))
tr(lambda: vmap(torch.inverse)(torch.eye(2).repeat(3, 1, 1)))
tr(lambda: vmap(torch.det)(torch.eye(2).repeat(3, 1, 1)))
tr(lambda: vmap(torch.linalg.solve)(torch.eye(2).repeat(3, 1, 1) * 2, torch.ones(3, 2)))
