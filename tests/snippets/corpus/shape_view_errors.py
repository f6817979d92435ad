import torch

x = torch.arange(6.0)
try:
    x.view(4, 2)
except RuntimeError as e:
    print(e)
try:
    x.reshape(-1, -1)
except RuntimeError as e:
    print(e)
try:
    x.view(2, 3).t().view(6)
except RuntimeError as e:
    print(e)
try:
    x.view(-1, 4)
except RuntimeError as e:
    print(e)
print(x.view(2, 3).t().reshape(6))
x.expand(2, 5)
