import torch
import torch.nn as nn


class Scaled(nn.Module):
    def __init__(this, width, factor=2.0):
        super().__init__()
        this.weight = nn.Parameter(torch.arange(float(width)))
        this.factor = factor

    def forward(s, x):
        return (s.weight * x * s.factor).sum()


model = Scaled(3)
model(torch.ones(3)).backward()
print(model.weight.grad, model)
