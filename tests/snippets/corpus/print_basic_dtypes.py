import torch

print(torch.tensor(1))
print(torch.tensor(1.5))
print(torch.tensor([1, 2, 3]))
print(torch.tensor([True, False]))
print(torch.tensor([1.0, 2.0], dtype=torch.float64))
print(torch.tensor([1, 2], dtype=torch.int32))
print(torch.tensor([1.0, 2.0], dtype=torch.float16))
print(torch.tensor([1.0, 2.0], dtype=torch.bfloat16))
print(torch.tensor([1, 255], dtype=torch.uint8))
print(torch.tensor([1 + 2j, 3.5 - 1j]))
print(torch.tensor([]))
print(torch.zeros(0, 3))
