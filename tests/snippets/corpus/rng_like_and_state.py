import torch

torch.manual_seed(5)
a = torch.zeros(2, 2)
print(torch.rand_like(a))
state = torch.get_rng_state()
first = torch.randn_like(a)
torch.set_rng_state(state)
second = torch.randn_like(a)
print(torch.equal(first, second))
g = torch.Generator().manual_seed(1)
print(torch.rand(2, generator=g))
print(torch.initial_seed())
