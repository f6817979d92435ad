import math
import torch
import torch.nn as nn


class MyLinear(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_features, in_features))
        self.bias = nn.Parameter(torch.zeros(out_features))
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))

    def forward(self, x):
        return x @ self.weight.T + self.bias

    def extra_repr(self):
        return f"{self.weight.shape[1]} -> {self.weight.shape[0]}"


torch.manual_seed(0)
mine = MyLinear(3, 2)
torch.manual_seed(0)
theirs = nn.Linear(3, 2)
print(torch.equal(mine.weight, theirs.weight))
print(mine)
mine(torch.ones(1, 3)).sum().backward()
print(mine.weight.grad, mine.bias.grad)
