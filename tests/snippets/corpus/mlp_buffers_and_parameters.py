import torch
import torch.nn as nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(2.0))
        self.register_buffer("offset", torch.tensor(1.0))
        self.plain = torch.tensor(5.0)

    def forward(self, x):
        return x * self.scale + self.offset + self.plain


m = Scaled()
print([n for n, _ in m.named_parameters()], [n for n, _ in m.named_buffers()])
print(m.state_dict())
out = m(torch.tensor(3.0))
print(out)
out.backward()
print(m.scale.grad)
try:
    m.scale = torch.tensor(1.0)
except TypeError as e:
    print(e)
try:
    m.missing
except AttributeError as e:
    print(e)
