"""A tensor subclass with __torch_function__, a nested tensor, a channels-last convolution, complex numbers, float8."""

import torch
from torch import nn

torch.manual_seed(0)


class Named(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        out = super().__torch_function__(func, types, args, kwargs or {})
        return out


a = torch.randn(2, 3).as_subclass(Named).requires_grad_()
b = (a * 2).sum()
b.backward()
print(type(b).__name__, a.grad.sum().item())
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
