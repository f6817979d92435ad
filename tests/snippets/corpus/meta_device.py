"""Tensors on the meta device: sizes, types and strides without numbers."""

import copy

import torch
from torch import nn


def attempt(action):
    try:
        print(action())
    except (RuntimeError, NotImplementedError, TypeError) as error:
        print(type(error).__name__, error)


a = torch.empty(2, 3, device="meta")
print(a, a.device, a.is_meta, a.is_cpu, a.stride(), a.numel(), a.dtype)
b = a @ torch.empty(3, 4, device="meta")
print(b.shape, b.device, (a + 1).device, a.sum(), a.t().stride(), a.view(6).shape, torch.cat([a, a]).shape)
print(a.to(torch.float64), a.clone().device, a.new_zeros(2), torch.zeros_like(a), a[0], a > 0, a.argmax(1))
torch.manual_seed(0)
before = torch.get_rng_state()
print(torch.randn(2, device="meta"), nn.init.normal_(torch.empty(2, device="meta")), torch.rand_like(a).shape)
with torch.device("meta"):
    net = nn.Sequential(nn.Linear(100, 50), nn.BatchNorm1d(50), nn.ReLU(), nn.Dropout(0.5), nn.Linear(50, 10))
    print(torch.get_default_device(), torch.arange(3), torch.ones(2, device="cpu"))
net[3].eval()
print(torch.equal(before, torch.get_rng_state()), torch.get_default_device(), torch.ones(1))
print({name: (p.device.type, tuple(p.shape)) for name, p in net.named_parameters()}, net[1].running_mean)
out = net(torch.empty(5, 100, device="meta"))
print(out, out.requires_grad)
out.sum().backward()
print(net[0].weight.grad.shape, net[0].weight.grad.device)
for layer, given in {
    nn.Conv2d(3, 8, 3, padding=1, device="meta"): (1, 3, 8, 8),
    nn.LSTM(3, 4, device="meta"): (5, 2, 3),
    nn.TransformerEncoderLayer(16, 2, device="meta", batch_first=True): (2, 5, 16),
    nn.GroupNorm(2, 4, device="meta"): (2, 4, 3),
}.items():
    made = layer(torch.empty(given, device="meta"))
    made = made[0] if isinstance(made, tuple) else made
    print(made.shape, made.is_meta)
attempt(lambda: a.item())
attempt(lambda: a[0, 0].item())
attempt(lambda: a.numpy())
attempt(lambda: a.tolist())
attempt(lambda: a.cpu())
attempt(lambda: a + torch.ones(2, 3))
attempt(lambda: torch.ones(2, 3) + a)
attempt(lambda: bool(a.sum() > 0))
attempt(lambda: float(a.sum()))
attempt(lambda: a + torch.tensor(1.0))
attempt(lambda: a.copy_(torch.ones(2, 3)))
attempt(lambda: torch.ones(2, 3).copy_(a))
attempt(lambda: net.to("cpu"))
attempt(lambda: a.view(5))
attempt(lambda: nn.Linear(3, 2)(a))
real = nn.Linear(3, 2, device="meta").to_empty(device="cpu")
print(real.weight.device, real.weight.shape)
small = nn.Linear(2, 2, device="meta")
print(small.weight, small.bias.is_meta)
small.load_state_dict({"weight": torch.ones(2, 2), "bias": torch.zeros(2)}, assign=True)
print(small(torch.ones(1, 2)), torch.ones(2).to("meta"), torch.as_tensor([1.0], device="meta"))
models = [nn.Linear(2, 3) for _ in range(3)]
parameters, buffers = torch.func.stack_module_state(models)
base = copy.deepcopy(models[0]).to("meta")
stacked = torch.func.vmap(lambda p, b, x: torch.func.functional_call(base, (p, b), (x,)), in_dims=(0, 0, None))
print(stacked(parameters, buffers, torch.ones(4, 2)).shape, base.weight)
