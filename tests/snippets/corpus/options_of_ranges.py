import torch

options = {"layout": torch.strided, "pin_memory": False, "device": "cpu"}
print(torch.arange(3, dtype=float, **options), torch.linspace(0, 1, 3, dtype=float, **options))
print(torch.logspace(0, 1, 2, **options), torch.scalar_tensor(1.0, dtype=float, **options))
print(
    torch.full((2,), 3.0, **options), torch.zeros(2, **options), torch.zeros_like(torch.ones(2), layout=torch.strided)
)
for make in (torch.arange, torch.zeros, torch.scalar_tensor):
    try:
        print(make(2, pin_memory=True))
    except RuntimeError as error:
        print(str(error).splitlines()[0])
