import torch
import torch.nn as nn

torch.manual_seed(0)
cell = nn.GRUCell(2, 3)
h = torch.zeros(1, 3)
for t in range(3):
    h = cell(torch.ones(1, 2), h)
print(h)
h.sum().backward()
print(cell.bias_hh.grad)
