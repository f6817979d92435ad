import torch

print(
    (torch.tensor([1, 2]) + 1.5).dtype,
    (torch.tensor([1]) / 2).dtype,
    (torch.tensor([True]) + 1).dtype,
    torch.tensor([1, 2.0]).dtype,
    (torch.ones(1) + torch.ones(1, dtype=torch.float64)).dtype,
    torch.tensor(1j).dtype,
)
print(
    torch.result_type(torch.tensor([1]), 1.0),
    torch.promote_types(torch.int32, torch.float16),
    torch.can_cast(torch.double, torch.int),
    torch.finfo(torch.float32).eps,
    torch.iinfo(torch.int8).max,
)
x = torch.tensor([1.7, -1.7])
print(
    x.int(),
    x.long(),
    x.bool(),
    x.to(torch.int8),
    x.double().dtype,
    torch.tensor([300]).to(torch.uint8),
    x.type(torch.int64),
)
for bad in (
    lambda: torch.tensor([1, 2], requires_grad=True),
    lambda: torch.ones(2) @ torch.ones(3),
    lambda: torch.cat([torch.ones(1, 2), torch.ones(1, 3)]),
    lambda: torch.ones(2, 3).view(4),
):
    try:
        bad()
    except RuntimeError as e:
        print(str(e).splitlines()[0])
