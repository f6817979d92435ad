"""Under which names functions are refused that a class says nothing about, and small refusals beside them."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode


class Silent:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


def tell(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


s = Silent()
for one in (torch.exp, torch.norm, torch.atleast_1d, torch.linalg.det, torch.linalg.norm, torch.special.expit, torch.fft.fft, F.relu):
    tell(lambda one=one: one(s))
for two in (F.linear, F.conv1d, F.avg_pool1d, F.avg_pool2d, F.mse_loss, F.prelu, torch.split, torch.cdist):
    tell(lambda two=two: two(s, s))
for more in (F.gelu, F.softplus, F.one_hot, torch.block_diag, torch.softmax):
    tell(lambda more=more: more(s, dim=0) if more is torch.softmax else more(s))
tell(lambda: torch.einsum("i->", s))
tell(lambda: F.scaled_dot_product_attention(s, s, s))
tell(lambda: nn.Linear(2, 2)(s))
tell(lambda: torch.ones(2).add(s))

tell(lambda: TorchFunctionMode().__exit__(None, None, None))
tell(lambda: torch.tensor(torch.float32))
tell(lambda: torch.tensor(torch.device("cpu")))
tell(lambda: nn.ParameterDict().update(3))
tell(lambda: nn.ModuleDict().update(3))
tell(lambda: nn.ModuleDict([("a",)]))
tell(lambda: nn.ModuleDict([("a", nn.ReLU(), 3)]))
tell(lambda: nn.ModuleDict([3]))
tell(lambda: nn.ParameterDict([("a",)]))
tell(lambda: nn.ParameterDict([5]))
tell(lambda: nn.ModuleDict([["k", nn.ReLU()]]))

# a class that weighs nothing: zeros with the sign of its gradient, and NaN times nothing
weight = torch.tensor([1.0, 0.0, 2.0])
target = torch.tensor([1, 0, 2])
for reduction in ("none", "mean", "sum"):
    for ignored in (-100, 0, 1):
        x = torch.zeros(3, 3, requires_grad=True)
        F.nll_loss(x, target, weight, reduction=reduction, ignore_index=ignored).sum().backward()
        print(x.grad)
for value in (float("inf"), float("-inf"), float("nan"), 1.0, -1.0):
    full = torch.full((1, 3), value)
    print(F.nll_loss(full, torch.tensor([1]), weight, reduction="sum"))
    print(F.nll_loss(full, torch.tensor([1]), weight, reduction="none", ignore_index=1))
    print(F.nll_loss(full[..., None].expand(1, 3, 2), torch.tensor([[1, 0]]), weight, reduction="none"))

logs = torch.linspace(-2.0, -0.5, 12).view(3, 4).log_softmax(1)
tell(lambda: F.ctc_loss(logs, torch.tensor([1, 2, 1]), torch.tensor([3]), torch.tensor([5])))
tell(lambda: F.ctc_loss(logs, torch.tensor([1, 2]), torch.tensor(3), torch.tensor(2)))
