import torch

a = torch.tensor([1.0009765625, 3.14159], dtype=torch.float16)
print(a, a * a)
b = torch.tensor([1.01, 3.14159], dtype=torch.bfloat16)
print(b, b * b, b + 1)
print(torch.tensor([70000.0]).half())
print(torch.finfo(torch.float16).max, torch.finfo(torch.float32).eps, torch.iinfo(torch.int8).max)
