"""Subclasses with and without a __torch_function__ of their own and a mode of functions, both of which say what they are
asked, a nested tensor, a channels-last convolution, complex numbers, float8."""

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

torch.manual_seed(0)


class Named(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print("told", func.__name__, func == torch.Tensor.grad.__get__, func == torch.Tensor.grad.__set__)
        return super().__torch_function__(func, types, args, kwargs or {})


class Plain(torch.Tensor):
    pass


class Told(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        print("mode", func.__name__)
        return func(*args, **(kwargs or {}))


a = torch.randn(2, 3).as_subclass(Named).requires_grad_()
a.register_hook(lambda grad: grad * 2)
b = (a * 2).sum()
b.backward()
print(type(b).__name__, a.grad.sum().item())
a.grad = None
for wrong in (3, torch.ones(4)):
    try:
        a.grad = wrong
    except (RuntimeError, TypeError) as error:
        print(error)
a.grad = torch.ones(2, 3)
del a.grad
p = torch.randn(3).as_subclass(Plain).requires_grad_()
with Told():
    (p * 2).sum().backward()
    p.grad *= 2
    print(type(p * 2).__name__, type(p.grad).__name__, p.grad)
    torch.optim.SGD([p]).step()
    p.grad = None
nt = torch.nested.nested_tensor([torch.randn(2, 3), torch.randn(4, 3)], layout=torch.jagged, requires_grad=True)
out = (nt * 2).values().sum()
out.backward()
print(out.item())
conv = nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last)
y = conv(torch.randn(2, 3, 6, 6).to(memory_format=torch.channels_last))
y.mean().backward()
print(y.stride(), conv.weight.grad.norm().item())
z = torch.randn(4, dtype=torch.complex64, requires_grad=True)
loss = torch.fft.ifft(torch.fft.fft(z) * 2).abs().sum()
loss.backward()
print(loss.item(), z.grad.abs().sum().item())
f = torch.randn(4).to(torch.float8_e4m3fn)
print(f.float().sum().item())
q = torch.quantize_per_tensor(torch.randn(4), 0.1, 0, torch.qint8)
print(q.dequantize().sum().item())
