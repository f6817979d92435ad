import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
w.grad = torch.tensor([10.0, 10.0])
(w * 2).sum().backward()
print(w.grad)
try:
    w.grad = torch.ones(3)
except RuntimeError as e:
    print(e)
try:
    w.grad = torch.ones(2, dtype=torch.float64)
except RuntimeError as e:
    print(e)
try:
    w.grad = 3
except TypeError as e:
    print(e)
