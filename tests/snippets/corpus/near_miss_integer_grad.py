import torch

try:
    torch.tensor([1, 2], requires_grad=True)
except RuntimeError as e:
    print(e)
t = torch.tensor([1, 2])
try:
    t.requires_grad = True
except RuntimeError as e:
    print(e)
t.requires_grad_()
