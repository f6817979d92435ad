"""What torch.normal, torch.complex and torch.empty_permuted refuse, and with which words."""

import torch

x = torch.ones(2)
for arguments in (
    (x, 1, 1),
    (x, 1, (2,)),
    (0.0, 1.0),
    (0.0, 1.0, 2),
    (x, -1.0),
    (x, torch.tensor([-1.0, 1.0])),
    (x.long(), 1.0),
    (1.0, -1.5, (2,)),
    (x.long(), x),
    (0.0, x.long()),
    (x, torch.tensor([float("nan"), 1.0])),
):
    try:
        torch.normal(*arguments)
    except (TypeError, RuntimeError) as error:
        print(type(error).__name__, error)
for arguments in ((x, 1), (1, x), (x, x.double()), (x.long(), x.long())):
    try:
        torch.complex(*arguments)
    except (TypeError, RuntimeError) as error:
        print(type(error).__name__, error)
for layout in ((0,), (0, 5), (0, 0), (0, -1), (1, 0)):
    try:
        print(torch.empty_permuted((2, 3), layout).stride())
    except RuntimeError as error:
        print(error)
torch.manual_seed(0)
print(
    torch.normal(x, 1), torch.normal(0.0, 1.0, (2,)), torch.normal(x, x.long()), torch.normal(x), torch.normal(2.0, x)
)
