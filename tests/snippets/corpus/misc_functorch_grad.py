import torch
from torch.func import grad, vmap

f = lambda x: torch.sin(x) ** 2
print(grad(f)(torch.tensor(1.0)))
print(grad(grad(f))(torch.tensor(1.0)))
print(vmap(grad(f))(torch.tensor([0.0, 1.0, 2.0])))
