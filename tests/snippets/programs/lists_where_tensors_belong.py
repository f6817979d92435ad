import torch

x = torch.arange(3)


def tried(call):
    try:
        print(call())
    except (TypeError, RuntimeError) as error:
        print(type(error).__name__, error)


for given in ([1, 2], (1, 2), 1, 1.0, True, "a", None, x):
    tried(lambda: torch.isin(given, x))
    tried(lambda: torch.isin(x, given))
tried(lambda: torch.isin(1, 2))
for given in ([1, 2, 0], (1, 2, 0), 2, 1.5, torch.tensor([1, 2, 0]), torch.tensor(2)):
    tried(lambda: x.repeat_interleave(given))
    tried(lambda: torch.repeat_interleave(x, given, dim=0))
tried(lambda: torch.repeat_interleave(x))
