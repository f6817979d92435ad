import torch
from torch.func import functional_call, jacfwd, jacrev, vjp

f = lambda x: x**2
x = torch.tensor([1.0, 2.0])
print(jacrev(f)(x))
print(jacfwd(f)(x))
out, pull = vjp(torch.sin, x)
print(out, pull(torch.ones(2)))
net = torch.nn.Linear(2, 1)
print(functional_call(net, {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}, (x,)))
