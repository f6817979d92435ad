import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
assert x.sum() == 4, f"sum is {x.sum().item()}"
