import torch
import torch.nn as nn

x = torch.tensor([-1.0, 2.0], requires_grad=True)
h = x * 2
out = nn.ReLU(inplace=True)(h)
print(h, out is h)
out.sum().backward()
print(x.grad)

h = x * 2
out = nn.ReLU(inplace=True)(h)
out.add_(1)
out.sum().backward()
