import torch

torch.manual_seed(0)
p = torch.tensor([0.1, 0.5, 0.9])
print(torch.bernoulli(p))
print(torch.bernoulli(torch.full((6,), 0.5)))
print(torch.multinomial(torch.tensor([0.0, 10.0, 3.0, 0.0]), 2))
