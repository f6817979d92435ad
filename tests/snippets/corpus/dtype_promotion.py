import torch

i = torch.tensor([1, 2])
f = torch.tensor([1.5, 2.5])
d = torch.tensor([1.0, 2.0], dtype=torch.float64)
b = torch.tensor([True, False])
h = torch.tensor([1.0, 2.0], dtype=torch.float16)
print((i + f).dtype, (f + d).dtype, (b + i).dtype, (h + f).dtype, (i / i).dtype)
print((i * 2.5).dtype, (f * 2).dtype, (h * 2.5).dtype, (b * 2).dtype)
print(torch.result_type(i, 1.0), torch.promote_types(torch.int32, torch.int64))
print((d.sum() + f).dtype, (f + torch.tensor(1.0, dtype=torch.float64)).dtype)
print(i // 2, i % 2, -i, i**2, 7 // i)
