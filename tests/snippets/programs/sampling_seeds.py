import torch
import torch.nn as nn

torch.manual_seed(42)
print(torch.rand(2, 3))
print(torch.randn(5))
print(torch.randint(0, 10, (7,)))
print(torch.randperm(10))
print(torch.multinomial(torch.tensor([0.1, 0.2, 0.7]), 10, replacement=True))
print(torch.bernoulli(torch.full((3, 3), 0.3)))
print(torch.normal(0.0, 1.0, size=(2, 2)), torch.normal(torch.arange(3.0), torch.ones(3)))
print(torch.rand_like(torch.zeros(2)), torch.randn_like(torch.zeros(2)), torch.randint_like(torch.zeros(3), 5))
print(
    torch.empty(3).uniform_(-1, 1),
    torch.empty(3).normal_(2, 0.5),
    torch.empty(3).exponential_(),
    torch.empty(3).bernoulli_(0.5),
)
print(
    torch.empty(2).log_normal_(), torch.empty(2).cauchy_(), torch.empty(3).geometric_(0.5), torch.empty(3).random_(10)
)
print(torch.poisson(torch.tensor([1.0, 5.0, 20.0])))
print(nn.Dropout(0.5)(torch.ones(10)))
print(nn.functional.dropout(torch.ones(6), p=0.2, training=True))
print(nn.Linear(2, 2).weight)
for init in (
    nn.init.xavier_uniform_,
    nn.init.xavier_normal_,
    nn.init.kaiming_uniform_,
    nn.init.kaiming_normal_,
    nn.init.orthogonal_,
    nn.init.normal_,
    nn.init.uniform_,
    nn.init.trunc_normal_,
):
    print(init.__name__, init(torch.empty(2, 3)))
print(nn.init.sparse_(torch.empty(3, 3), 0.3))
g = torch.Generator().manual_seed(7)
print(torch.rand(2, generator=g), torch.randperm(5, generator=g), g.initial_seed())
state = torch.get_rng_state()
a = torch.rand(3)
torch.set_rng_state(state)
print(torch.equal(a, torch.rand(3)), torch.initial_seed())
with torch.random.fork_rng():
    torch.manual_seed(0)
    print(torch.rand(1))
print(torch.rand(1))
print(nn.Embedding(3, 2).weight.data, nn.Conv2d(1, 1, 2).weight.data, nn.LSTM(1, 1).weight_ih_l0.data)
print(torch.seed() != 0)
