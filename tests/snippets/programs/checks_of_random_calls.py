"""Calls drawn at random: which check comes first, and what a number, a size or a table may be."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd.graph import get_gradient_edge, increment_version
from torch.optim.swa_utils import SWALR
from torch.utils.data import ConcatDataset, IterableDataset


def tell(call):
    torch.manual_seed(0)
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error)[:250])


a = torch.arange(6.0).reshape(2, 3)
z = torch.tensor([1 + 2j, -1j], requires_grad=True)
three = torch.ones(3)
tell(lambda: nn.utils.parameters_to_vector([3]))
tell(lambda: nn.utils.parameters_to_vector([torch.ones(1), 3]))
tell(lambda: nn.utils.vector_to_parameters(torch.ones(2), [3]))
for given in (3, "a", torch.ones(1)):
    tell(lambda: get_gradient_edge(given))
for given in (3, None, "a", [3], [torch.ones(1), 2], torch.ones(2), (torch.ones(1),)):
    tell(lambda: increment_version(given))
for start, length in ((-1, -1), (-2, 2), (2, 5), (-9, 1), (0, -1)):
    tell(lambda: torch.narrow_copy(a, 1, start, length))
for given in (dict(max_norm=1.0), dict(), dict(per_sample_weights=three)):
    tell(lambda: F.embedding_bag(torch.arange(3), None, **given))
tell(lambda: F.embedding_bag(torch.arange(2), [1], max_norm=1))
tell(lambda: F.smooth_l1_loss(three, torch.ones(4), torch.rand(4), torch.rand(4), "x"))
tell(lambda: F.smooth_l1_loss(three, torch.ones(4), reduction="x"))
tell(lambda: F.smooth_l1_loss(three, three, reduction="x"))
tell(lambda: F.smooth_l1_loss(three, torch.zeros(3), size_average=False))
for limits in ((torch.ones(2), 0.5), (torch.tensor(1.0), 0.5), ("a", 0.5), (0.5, torch.ones(2)), (None, 1)):
    tell(lambda: F.threshold(a, *limits))
    tell(lambda: torch.threshold(a, *limits))
tell(lambda: F.threshold(a, torch.tensor(1.0, requires_grad=True), 0.5))
for weight, bias in ((None, torch.zeros(3)), (three, None), (torch.ones(4), torch.zeros(3)), (None, torch.zeros(4, 1))):
    tell(lambda: F.group_norm(torch.ones(2, 4, 4), 1, weight, bias).shape)
for size in (
    torch.tensor(2),
    torch.tensor(1.5),
    torch.tensor(2.0),
    torch.tensor([3]),
    torch.tensor([1, 2]),
    torch.tensor(True),
):
    tell(lambda: torch.split(three, size))
    tell(lambda: three.split(size))
tell(lambda: a.clone().as_strided_scatter(torch.arange(10.0, 16.0).reshape(2, 3), (2, 3), (1, 1)))
tell(lambda: a.clone().as_strided_scatter(torch.arange(10.0, 16.0).reshape(3, 2), (3, 2), (1, 1)))
tell(lambda: torch.lu_solve(torch.ones(2, 2), torch.ones(2, 2), torch.ones(2, requires_grad=True)))
tell(lambda: torch.linalg.lu_solve(a, torch.ones(2, requires_grad=True), a))
tell(lambda: F.multi_head_attention_forward(a, a, 3, 3, 1, None, None, None, None, False, 0.0, a, None))
tell(lambda: F.multi_head_attention_forward(a, 2, a, 3, 1, None, None, None, None, False, 0.0, a, None))
tell(lambda: int(z[0]))
optimizer = torch.optim.SGD([three.clone().requires_grad_()], lr=0.1)
tell(lambda: SWALR(optimizer, 0.1, anneal_strategy="x"))
tell(lambda: SWALR(optimizer, [0.1, 0.2]))


class Stream(IterableDataset):
    def __iter__(self):
        return iter([1])


tell(lambda: ConcatDataset([Stream()]))
tell(lambda: ConcatDataset([[1], Stream()]))


def saying(**said):
    class Said(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            for name, given in said.items():
                getattr(ctx, name)(*given)
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad

    return Said


for said in (
    dict(save_for_backward=[3]),
    dict(save_for_backward=["a", a]),
    dict(mark_dirty=[3]),
    dict(mark_non_differentiable=[3]),
    dict(save_for_backward=[3], mark_dirty=[3], mark_non_differentiable=[3]),
    dict(mark_dirty=[3], mark_non_differentiable=[3]),
    dict(save_for_backward=[3], mark_non_differentiable=[3]),
    dict(set_materialize_grads=[1]),
    dict(set_materialize_grads=[None]),
    dict(set_materialize_grads=[False]),
):
    for x in (torch.ones(2, requires_grad=True), torch.ones(2)):
        tell(lambda: saying(**said).apply(x))
x = torch.tensor([0.0, 1.0], requires_grad=True)
with torch.autograd.set_detect_anomaly(True, check_nan=False):
    y = x * 2
print(sorted(y.grad_fn.metadata), (x * 2).grad_fn.metadata)
