"""What a TorchFunctionMode is asked about: attributes and special methods of plain tensors, too, under the names that
`resolve_name` finds."""

import torch
import torch.nn as nn
from torch.overrides import TorchFunctionMode, resolve_name


class Log(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.names.append(resolve_name(func) or getattr(func, "__name__", "?"))
        return func(*args, **(kwargs or {}))


def seen(act):
    with Log() as log:
        try:
            act()
        except Exception as error:
            log.names.append(f"{type(error).__name__}: {error}")
    print(log.names)


def written(name, value):
    return lambda: setattr(y, name, value)


y = torch.arange(3.0)
seen(lambda: torch.initial_seed())
seen(lambda: torch.get_rng_state())
seen(lambda: torch.is_tensor(y))
seen(lambda: torch.is_storage(y))
seen(lambda: torch.set_printoptions())
seen(lambda: torch.is_grad_enabled())
seen(lambda: torch.get_default_dtype())
seen(lambda: torch.set_default_dtype(torch.float32))
seen(lambda: torch.numel(y))
seen(lambda: torch.is_complex(y))
seen(lambda: torch.is_floating_point(y))
seen(lambda: torch.promote_types(torch.int8, torch.int16))
seen(lambda: torch.result_type(y, 1))
seen(lambda: torch.can_cast(torch.int8, torch.int16))
seen(lambda: torch.finfo(torch.float32))
seen(lambda: torch.as_tensor(y))
seen(lambda: torch.arange(3))
seen(lambda: torch.eye(2))
seen(lambda: torch.randperm(3))
seen(lambda: torch.full((2,), 1))
seen(lambda: torch.empty(2))
seen(lambda: torch.linspace(0, 1, 3))
seen(lambda: torch.get_num_threads())
seen(lambda: torch.Size([1]))
seen(lambda: torch.tensor([y[0], y[1]]))
seen(lambda: torch.rand_like(y))
seen(lambda: torch.einsum('i->', y))
seen(lambda: nn.ReLU()(y.detach()))
seen(lambda: nn.Sequential(nn.ReLU(), nn.Softmax(0))(y.detach()))
seen(lambda: nn.functional.dropout(y.detach()))
seen(lambda: y.unbind())
seen(lambda: torch.where(y > 0))
seen(lambda: torch.where(y > 0, y, 0))
seen(lambda: y.detach().backward)
seen(lambda: y.detach()[0:2] + 1)
seen(lambda: y.detach()[:, None].T)
seen(lambda: y.detach().numpy().sum())
seen(lambda: [v for v in y.detach()])
seen(lambda: max(y.detach().tolist()))
seen(lambda: y.detach() @ y.detach() == 3)
seen(lambda: not y.detach()[0])
seen(lambda: y.detach().mean().item())
seen(lambda: torch.std_mean(y.detach()))
seen(lambda: y.shape[0])
seen(lambda: y.size(0))
seen(lambda: str(y.detach()))
seen(lambda: f"{y.detach()[0]:.1f}")
seen(lambda: torch.equal(y, y))
seen(lambda: torch.allclose(y, y))
seen(lambda: y is y)
seen(lambda: y.grad is None)
seen(lambda: len(y.shape))
seen(lambda: nn.CrossEntropyLoss()(torch.zeros(1, 2), torch.tensor([0])))
seen(lambda: y.detach().clone().add_(1).mul_(2))
seen(lambda: y.detach().new_zeros(2))
seen(lambda: y.detach().masked_fill(y > 0, 1))
seen(lambda: y.detach().requires_grad)
seen(lambda: y.is_cuda)
seen(lambda: y.mT if y.dim() > 1 else 0)
seen(lambda: y.real)
seen(lambda: y.itemsize)
seen(lambda: y.names)
seen(lambda: y.layout)
seen(lambda: y.is_sparse)
seen(lambda: y.device.type)
seen(lambda: y.dtype.is_floating_point)
seen(lambda: y.data.zero_())
seen(lambda: y.detach().clone().copy_(y))
seen(lambda: torch.Tensor.add(y, 1))
seen(lambda: torch.add(y, 1))
seen(lambda: y.__add__(1))
seen(lambda: 1 - y)
seen(lambda: 2 ** y)
seen(lambda: -y)
seen(lambda: abs(y))
seen(lambda: ~(y > 0))
seen(lambda: (y > 0) & (y < 1))
seen(lambda: y[y > 0])
seen(lambda: y.detach()[[0, 1]])
seen(lambda: y.detach().clone().__setitem__(0, 1))
seen(lambda: torch.stack([y, y]).sum(0))
seen(lambda: torch.cat([y, y]))
seen(lambda: y.view(-1))
seen(lambda: y.reshape(1, 3))
seen(lambda: y.permute(0))
y = torch.ones(2, requires_grad=True)
y.sum().backward()
seen(lambda: y.grad)
seen(written("grad", None))
seen(written("requires_grad", True))
seen(lambda: delattr(y, "grad"))
seen(lambda: y.grad_fn)
seen(lambda: y._version)
seen(lambda: list(y))
seen(lambda: str(y))


class Ones(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.zeros:
            return torch.ones(*args)
        if resolve_name(func) == "torch.Tensor.shape.__get__":
            return torch.Size([7])
        return func(*args, **(kwargs or {}))


with Ones():
    print(torch.zeros(2), y.shape, y.dtype)
with Ones(), Log() as inner:
    print(torch.zeros(1))
print(inner.names)


class Silent(TorchFunctionMode):
    def __repr__(self):
        return "<Silent>"

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return NotImplemented


for act in (lambda: torch.add(y, 1), lambda: y.sum()):
    try:
        with Silent():
            act()
    except Exception as error:
        print(type(error).__name__, error)
print(y.shape, y + 1, [*y])
