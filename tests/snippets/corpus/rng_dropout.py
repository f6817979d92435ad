import torch
import torch.nn as nn

torch.manual_seed(0)
d = nn.Dropout(0.5)
x = torch.ones(8, requires_grad=True)
y = d(x)
print(y)
y.sum().backward()
print(x.grad)
d.eval()
print(d(x) is x)
