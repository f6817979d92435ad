import torch
import torch.nn as nn

torch.manual_seed(0)
conv = nn.Conv1d(2, 3, kernel_size=2)
x = torch.arange(8.0).reshape(1, 2, 4)
y = conv(x)
print(y.shape)
print(y)
y.mean().backward()
print(conv.weight.grad)
