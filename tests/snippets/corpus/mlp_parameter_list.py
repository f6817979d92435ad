import torch
import torch.nn as nn


class Poly(nn.Module):
    def __init__(self):
        super().__init__()
        self.coef = nn.ParameterList([nn.Parameter(torch.tensor(float(i))) for i in range(3)])

    def forward(self, x):
        return sum(c * x**i for i, c in enumerate(self.coef))


m = Poly()
y = m(torch.tensor(2.0))
print(y)
y.backward()
print([p.grad.item() for p in m.parameters()], [n for n, _ in m.named_parameters()])
