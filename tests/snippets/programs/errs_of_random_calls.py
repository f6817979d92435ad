"""Calls that were drawn at random from PyTorch's signatures: which check comes first, what `out=` may do, which numbers
are too complex."""

import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F


def tell(call):
    torch.manual_seed(0)
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error)[:200])


a = torch.arange(6.0).reshape(2, 3)
tell(lambda: torch.nn.utils.prune)
tell(lambda: torch.tril_indices(-3, -3, requires_grad=False))
tell(lambda: torch.tril_indices(3, 3, requires_grad=False))
for bounds in ((1j, torch.tensor(2.0)), (torch.tensor(2.0), 1j), (1j, 2.0), (1j,)):
    tell(lambda bounds=bounds: a.clip(*bounds))
for given in ((1j, 2.5), (1, 2j), (1, 2, 1j), (1 + 0j, 3), (1, 3, 1 + 0j)):
    tell(lambda given=given: torch.arange(*given))
tell(lambda: F.rrelu_(a - 3, 1.5, generator=torch.Generator()))
tell(lambda: F.rrelu_(a - 3, 0.1, generator=torch.Generator()))
tell(lambda: a.cholesky_solve(a.half()))
tell(lambda: torch.tensor([1, 2, 3]).take_along_dim(torch.ones(2, 3, 4), dim=-3))
tell(lambda: torch.lu_solve(a, torch.tensor([[1, 0, 2], [0, 1, 1]]), torch.arange(3)))
tell(lambda: torch.lu_solve(a, a, a))
tell(lambda: a.addbmm(torch.tensor(1.0), a.detach().requires_grad_()))
tell(lambda: torch.ones(1, 3, 4, 4).masked_scatter_(torch.ones(3).bool(), torch.zeros(0)))
tell(lambda: torch.ones(4).masked_scatter(torch.ones(3).bool(), torch.zeros(0)))
tell(lambda: F.avg_pool2d(torch.ones(1, 2, 2), 2, out=torch.ones(0)))
tell(lambda: F.gelu(torch.ones(4), approximate="tanh", out=torch.ones(4)))
tell(lambda: F.gelu(torch.ones(4), approximate="reduce", out=torch.ones(4)))
tell(lambda: torch.bitwise_not(input=a, out=torch.ones(2, 3)))
tell(lambda: torch.gcd(input=a, other=a, out=torch.ones(2, 3)))
tell(lambda: torch.tensor([True]).histc(0))
tell(lambda: torch.tensor([1j]).histc(0))
tell(lambda: F.scaled_dot_product_attention(torch.ones(2, 3), torch.ones(4, 4), torch.ones(3, 3), enable_gqa=True))
tell(lambda: a.addbmm(torch.tensor(1.0), a))
tell(lambda: torch.arange(3).log_normal_())
tell(lambda: torch.arange(3).cauchy_())
tell(lambda: torch.mm(a, a.T, torch.float32))
tell(lambda: torch.addmm(torch.ones(2), a, a.T, out_dtype=torch.float32))
tell(lambda: F.adaptive_avg_pool1d(a, None))
tell(lambda: F.adaptive_max_pool2d(None, 2))
tell(lambda: F.lp_pool2d([1], 2, 2))
tell(lambda: F.multilabel_soft_margin_loss(torch.ones(4, 6), torch.ones(3), reduction="foo"))
tell(lambda: F.multilabel_soft_margin_loss(torch.ones(4, 6), torch.ones(4, 6), reduction="foo"))
tell(lambda: F.bilinear(torch.tensor([1, 2]), torch.ones(2, 2, 8), torch.ones(1, 4, 4)))
indices = torch.ones(3, requires_grad=True)
tell(lambda: F.embedding_bag(indices, torch.ones(6, 6, requires_grad=True), torch.tensor([1]), mode="sum"))
tell(lambda: nn.LSTMCell(6, 4)(torch.ones(6), torch.zeros(2, 4)))
tell(lambda: torch.func.jvp(lambda x: x * x, (torch.tensor([True]),), (torch.tensor([True]),)))
normed = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2))
tell(lambda: torch.func.jacrev(lambda x: normed(x).sum(0))(a).shape)
batch = nn.BatchNorm1d(3)
tell(lambda: torch.func.jacrev(lambda x: batch(x).sum(0))(a).shape)
tell(lambda: torch.scatter(torch.ones(3), 0, torch.zeros(2).long(), torch.ones(3), reduce="add"))
tell(
    lambda: (
        torch.zeros(2, 0).t_().stride(),
        torch.zeros(2, 0, 3).permute(2, 0, 1).stride(),
        torch.zeros(0, 3).T.stride(),
    )
)
tell(lambda: torch.margin_ranking_loss(torch.ones(3), torch.zeros(2, 3), torch.ones(3)))
tell(lambda: torch.triplet_margin_loss(torch.ones(2, 3), torch.zeros(2, 3), torch.ones(2, 3), margin=-1))
tell(lambda: F.triplet_margin_loss(torch.ones(2, 3), torch.zeros(2, 3), torch.ones(2, 3), margin=-1))
tell(lambda: torch.ones(3).bernoulli_(torch.ones(2)))
tell(lambda: torch.ones(3).bernoulli_(torch.ones(2, 3)))
tell(lambda: torch.group_norm(torch.ones(2, 4), 0))
tell(lambda: F.group_norm(torch.ones(2, 4), 0))
tell(lambda: torch.histogram(torch.ones(3), -1, range=[1, 2], weight=torch.ones(2, 3, 4)))
tell(lambda: torch.histc(torch.arange(6), 3, min=2.0, max=1.0))
tell(lambda: torch.rrelu(a, 0.5, 1j))
tell(lambda: F.softshrink(a, 1j))
tell(lambda: F.dropout(a, 1j))
tell(lambda: torch.triangular_solve(torch.ones(3), torch.ones(3, 3)))
tell(lambda: torch.sort(torch.zeros(2, 1), dim=0, out=[]))
tell(lambda: torch.vmap(lambda x: x.item())(torch.ones(2, 3)))
tell(lambda: torch.compile(1))
# fills with a lower bound alone, comparisons of integers into other types, and what is refused in other words
torch.manual_seed(0)
for kind in (torch.float32, torch.int64, torch.int32, torch.bool, torch.float16, torch.uint8):
    print(torch.zeros(3, dtype=kind).random_(0 if kind is torch.bool else 7, None))
tell(lambda: torch.geqrf(torch.eye(3, requires_grad=True))[1].sum().backward())
tell(lambda: torch.eq(torch.ones(2, 3).long(), 1, out=torch.ones(3)))
tell(lambda: torch.binomial(torch.zeros(3), prob=torch.rand(2, 4)))
tell(lambda: torch.nn.functional.grid_sample(torch.ones(3), torch.tensor(2.0), align_corners=True))
tell(lambda: torch.nonzero(torch.ones(2), as_tuple=True, out=torch.ones(2)))
tell(lambda: torch.nn.functional.channel_shuffle(torch.ones(2, 3, 4), -3))
tell(lambda: torch.tensor([1, 2]).ldexp_(torch.tensor([1, 2])))
# without sizes, numbers as one of two operands, and gradients in batches without any
x = torch.tensor([0.5, 2.0, 3.0], requires_grad=True)
for call in (lambda: torch.ones(1).view(), lambda: torch.ones(()).repeat(), lambda: torch.ones(2).view(())):
    tell(call)
for y in (torch.xlogy(x, 2.0), torch.xlogy(2, x), x.xlogy(x), torch.special.xlogy(x, 0), x.clone().xlogy_(2)):
    print(y, [name for name in dir(y.grad_fn) if name.startswith("_saved")], torch.autograd.grad(y.sum(), x))
print(torch.xlogy(x, 2).grad_fn._saved_other, torch.xlogy(2.0, x).grad_fn._saved_self, torch.func.vmap(torch.xlogy)(x, x))
for roots in (x.sum(), torch.ones(1) * x[0], [torch.ones(()), x.sum()], x * 2, [x.sum(), torch.ones(())]):
    tell(lambda: torch.autograd.grad(roots, x, is_grads_batched=True))
# gradients of softmax in types of half the size are rounded once
for kind in (torch.float32, torch.float16, torch.bfloat16):
    h = (torch.arange(10.0).view(2, 5) / 3).to(kind).requires_grad_()
    w = (torch.arange(10.0).view(2, 5) % 3 - 0.7).to(kind)
    print(torch.autograd.grad(h.softmax(1), h, w), torch.autograd.grad(h.softmax(0), h, w))
    print(torch.autograd.grad(h.log_softmax(1), h, w), torch.autograd.grad(h.log_softmax(0), h, w))
# what is asked for first: sizes before groups, bounds before memory, the range before the weights
for call in (
    lambda: torch.group_norm(torch.ones(3), 0), lambda: torch.group_norm(torch.ones(()), 2),
    lambda: nn.GroupNorm(4, 4)(torch.ones(2, 3)), lambda: torch.norm_except_dim(torch.zeros(2, 0), 3, 2),
    lambda: torch.histogramdd(torch.ones(3, 3), 1, [1, 2], weight=torch.ones(2, 3).long()),
    lambda: torch.randint_like(torch.ones(3, 3), high=2, memory_format=torch.channels_last, dtype=torch.complex64),
    lambda: torch.tril_indices(-1, 1, pin_memory=True), lambda: torch.linspace(0, torch.ones(2), 3, pin_memory=True),
    lambda: torch.logspace(0, torch.ones(2), 1, out=torch.ones(2).long(), requires_grad=True),
    lambda: torch.arange(0, out=torch.zeros(2)), lambda: torch.arange(3, out=torch.zeros(4)),
    lambda: torch.view_as_complex(torch.zeros(3).half()), lambda: torch.binomial(torch.ones(2).half(), torch.ones(2).half()),
    lambda: torch.lgamma(torch.tensor([-float("inf"), -1.0, 0.5])), lambda: torch.std(torch.lgamma(torch.tensor([-float("inf"), 1.0]))),
    lambda: torch.topk(torch.arange(6).view(2, 3), 0, 1)[0].stride(),
):  # fmt: skip
    tell(call)
# any object may be asked whether it is a tensor
storage = torch.ones(2).untyped_storage()
for each in (nn.Sequential(), storage, [nn.Sequential()], object, torch.ones(2)):
    print(torch.is_tensor(each), torch.is_storage(each), torch.typename(each))
# a parameter without a shape can't be worked with
lazy = nn.LazyLinear(3)
for call in (
    lambda: lazy.weight.sum(), lambda: lazy.weight + 1, lambda: lazy.weight[0], lambda: lazy.weight.zero_(),
    lambda: lazy.weight == 1, lambda: lazy.requires_grad_(False), lambda: nn.init.zeros_(lazy.weight),
    lambda: sum(p.numel() for p in lazy.parameters()), lambda: lazy.weight.requires_grad, lambda: lazy.half().weight.dtype,
    lambda: torch.nn.utils.parameters_to_vector(lazy.parameters()),
):  # fmt: skip
    tell(call)
# sparse gradients of another kind, and gradients in batches of sparse ones
sparse = torch.ones((2, 2), dtype=torch.double, requires_grad=True).to_sparse()
def through(x, change):
    y = x.clone()
    y.register_hook(change)
    return y.to_dense()
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for change in (lambda g: g.to_dense().to_sparse(1), lambda g: g.to_dense()):
        for fast in (True, False):
            tell(lambda: torch.autograd.gradcheck(lambda x: through(x, change), (sparse,), masked=True, fast_mode=fast))
    try:
        torch.autograd.gradcheck(lambda x: x.to_dense(), (sparse,), masked=True, check_batched_grad=True)
    except RuntimeError as error:
        print(type(error).__name__, "failed while testing batched gradient computation" in str(error))
# memory is asked for before most arguments are looked at, which functions write `out=`, and functions inside of others
x, y, square = torch.ones(2, requires_grad=True), torch.ones(2), torch.ones(2, 2, requires_grad=True)
for call in (
    lambda: torch.eye(-1, pin_memory=True), lambda: torch.randint(5, 2, (3,), pin_memory=True),
    lambda: torch.zeros(-1, pin_memory=True), lambda: torch.linspace(0, 1, 3, dtype=torch.bool, pin_memory=True),
    lambda: torch.max(x, y, out=torch.ones(2)), lambda: torch.divide(input=x, other=y, out=torch.ones(2).long()),
    lambda: torch.linalg.inv(square, out=torch.ones(2, 2)), lambda: torch.linalg.eigvalsh(square, out=y),
    lambda: torch.true_divide(x, y, out=torch.ones(2)), lambda: torch.float_power(x, 2, out=torch.ones(2).double()),
    lambda: torch.linalg.vector_norm(x.detach(), out=torch.ones(3)), lambda: torch.linalg.vector_norm(y, dim=0, out=torch.ones(()).double()),
    lambda: torch.linalg.vecdot(y, y, out=torch.ones(())), lambda: torch.tensordot(y, y, 1, out=torch.ones(())),
    lambda: torch.chain_matmul(torch.ones(2, 2), torch.ones(2, 2), out=torch.ones(2, 2)),
    lambda: torch.tile(torch.ones(()), ()), lambda: torch.ones(()).repeat(()), lambda: y.map_(x, 0.5), lambda: y.cuda(-5), lambda: y.cuda("cpu"), lambda: y.cuda(5),
    lambda: F.max_pool2d(torch.ones(1, 1, 4, 4)), lambda: F.threshold(y), lambda: F.max_pool2d_with_indices(torch.ones(1, 1, 4, 4)),
    lambda: F.fractional_max_pool2d(torch.ones(1, 1, 4, 4)),
    lambda: F.prelu(torch.arange(3), torch.arange(1)), lambda: torch.ones(3).ldexp(torch.ones(2, 3)),
    lambda: torch.mm(torch.ones(2, 2), torch.ones(2, 2), torch.int64), lambda: F.binary_cross_entropy_with_logits(y, 1.0), lambda: F.adaptive_avg_pool2d(None, 2),
    lambda: F.adaptive_avg_pool2d(torch.ones(1, 1, 4, 4), 2.0), lambda: F.pairwise_distance(torch.ones(2, 3), 1.0),
):  # fmt: skip
    tell(call)
# shapes that do not go together, and ranges that go nowhere
for call in (
    lambda: nn.GRUCell(4, 2)(torch.ones(4), torch.zeros(2, 2)), lambda: torch.unbind(torch.tensor(2), 1),
    lambda: torch.slice_copy(torch.ones(3), end=1, step=-3), lambda: torch.slice_copy(torch.ones(3), 0, 0, 1, 0),
    lambda: torch.triangular_solve(torch.ones(2, 3), torch.ones(3, 3)),
):  # fmt: skip
    tell(call)
