import torch
from torch import nn

x = torch.tensor([-2.0, -0.5, 0.0, 0.5, 2.0])
for act in (
    nn.ReLU(),
    nn.LeakyReLU(0.1),
    nn.ELU(),
    nn.GELU(),
    nn.SiLU(),
    nn.Sigmoid(),
    nn.Tanh(),
    nn.Softplus(),
    nn.Softmax(dim=0),
    nn.Hardtanh(),
    nn.ReLU6(),
    nn.Mish(),
    nn.PReLU(),
):
    v = x.clone().requires_grad_()
    out = act(v)
    out.sum().backward()
    print(type(act).__name__.ljust(10), [f"{o:.3f}" for o in out.tolist()], [f"{g:.2f}" for g in v.grad.tolist()])
