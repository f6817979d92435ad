import torch

x = torch.ones(2, requires_grad=True)
try:
    x.detach().zero_()
    print(x)
    x.data.fill_(4)
    print(x, x._version)
    x.mul_(2)
except RuntimeError as e:
    print(e)
try:
    x.requires_grad = 1
except Exception as e:
    print(type(e).__name__, e)
y = x * 2
try:
    y.requires_grad = False
except RuntimeError as e:
    print(e)
try:
    y.grad_fn = None
except AttributeError as e:
    print(e)
try:
    x.is_leaf = False
except AttributeError as e:
    print(e)
try:
    x.grad = 5
except TypeError as e:
    print(e)
try:
    x.grad = torch.ones(3)
except RuntimeError as e:
    print(e)
try:
    x.grad = torch.ones(2, dtype=torch.double)
except RuntimeError as e:
    print(e)
try:
    x.grad = x
except RuntimeError as e:
    print(e)
x.grad = torch.ones(2)
print(x.grad)
del x.grad
print(x.grad)
try:
    x.data = torch.ones(2, dtype=torch.long)
except RuntimeError as e:
    print(e)
x.data = torch.zeros(3)
print(x, x.shape)
