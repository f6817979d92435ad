import torch

x = torch.zeros(2, requires_grad=True)
try:
    x += 1
except RuntimeError as e:
    print(e)
try:
    x[:] += 1
except RuntimeError as e:
    print(e)
try:
    x[0] = 5
except RuntimeError as e:
    print(e)
print(x, x._version)
