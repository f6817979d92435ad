import torch
import torch.nn as nn

torch.manual_seed(0)
lin = nn.Linear(3, 2)
print(lin.weight)
print(lin.bias)
conv = nn.Conv2d(1, 2, 2)
print(conv.weight.shape, conv.weight.flatten()[:4])
print(nn.Embedding(3, 2).weight)
