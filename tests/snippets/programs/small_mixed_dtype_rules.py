import torch

a, b = torch.ones(2, dtype=torch.int32), torch.ones(2, dtype=torch.float32)
print(
    (a + b).dtype,
    (a / 2).dtype,
    (a // 2).dtype,
    (b + torch.ones(2, dtype=torch.float64)).dtype,
    (b * 2.5).dtype,
    (a * 2.5).dtype,
    (torch.tensor(1) + torch.tensor(1.5, dtype=torch.float16)).dtype,
)
print(
    torch.result_type(a, b),
    torch.promote_types(torch.int8, torch.uint8),
    torch.can_cast(torch.float32, torch.int32),
    a.sum().dtype,
    a.float().mean().dtype,
    torch.arange(3).dtype,
    torch.arange(3.0).dtype,
    torch.linspace(0, 1, 2).dtype,
)
try:
    a.mean()
except RuntimeError as e:
    print(e)
try:
    a += b
except RuntimeError as e:
    print(e)
try:
    torch.nn.functional.cross_entropy(torch.randn(2, 3), torch.tensor([0, 1], dtype=torch.int32))
except RuntimeError as e:
    print(e)
try:
    torch.nn.Linear(2, 2)(torch.ones(1, 2, dtype=torch.float64))
except RuntimeError as e:
    print(e)
print(
    torch.tensor([1.9, -1.9]).int(),
    torch.tensor([0, 2]).bool(),
    torch.tensor(3.7).long(),
    torch.tensor([True]) + 1,
    b.half().dtype,
    b.type(),
    a.type(torch.float64).type(),
    b.is_floating_point(),
    torch.is_tensor(b),
    torch.finfo(torch.float32).eps,
    torch.iinfo(torch.int8).max,
    torch.get_default_dtype(),
)
torch.set_default_dtype(torch.float64)
print(torch.tensor(1.5), torch.zeros(1).dtype)
torch.set_default_dtype(torch.float32)
print(
    torch.tensor(300).to(torch.uint8),
    torch.tensor(1e10).to(torch.float16),
    torch.tensor([1, 2]).view(torch.int32),
    torch.tensor(2 + 3j).abs(),
    torch.complex(torch.tensor(1.0), torch.tensor(2.0)),
    torch.bitwise_and(torch.tensor(6), 3),
    torch.tensor(7) % 4,
    -torch.tensor(7) // 2,
    torch.floor_divide(torch.tensor(-7), 2),
    torch.remainder(torch.tensor(-7), 3),
    torch.fmod(torch.tensor(-7), 3),
)
