"""What reaches an element that is NaN, through functions that compare."""

import torch
import torch.nn.functional as F

FUNCTIONS = {
    "maximum": lambda t: torch.maximum(t, torch.zeros(3)),
    "minimum": lambda t: torch.minimum(torch.zeros(3), t),
    "cummax": lambda t: t.cummax(0)[0],
    "cummin": lambda t: t.cummin(0)[0],
    "hardtanh": F.hardtanh,
    "relu6": F.relu6,
    "abs": torch.abs,
    "elu": F.elu,
    "sign": torch.sign,
    "sgn": torch.sgn,
    "clamp": lambda t: t.clamp(0, 2),
    "relu": F.relu,
    "leaky_relu": F.leaky_relu,
    "smooth_l1": lambda t: F.smooth_l1_loss(t, torch.zeros(3)),
}
for name, function in FUNCTIONS.items():
    x = torch.tensor([1.0, float("nan"), 3.0], requires_grad=True)
    y = function(x)
    y.sum().backward()
    print(name, y.detach(), x.grad)
print(torch.tensor([1.0, float("nan"), 0.5, float("nan"), 2.0]).cummin(0))
n = float("nan")
for row in ([n, 1.0, n, 3.0], [2.0, n, 1.0, n, 2.0, 1.0], [3.0, n, 2.0, 2.0, n, 1.0, n, 1.0, 2.0], [1.0, n, n], [n, 2.0, 2.0]):
    print(torch.tensor(row).mode(), torch.tensor(row).bfloat16().mode().indices)
