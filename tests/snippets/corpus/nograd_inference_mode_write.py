import torch

with torch.inference_mode():
    a = torch.ones(2)
    b = a * 2
print(a.is_inference(), b.requires_grad)
print(b + 1)
try:
    b.requires_grad_()
except RuntimeError as e:
    print(e)
b.add_(1)
