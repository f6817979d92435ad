import torch

a = torch.ones(2, 2)
o = torch.empty(0)
torch.matmul(a, a, out=o)
print(o)
print(torch.add(a, a, out=o), torch.sum(a, 0, out=o), o)
v = torch.empty(0)
i = torch.empty(0, dtype=torch.long)
print(torch.max(a, 1, out=(v, i)))
torch.cat([a, a], out=o)
print(o)

# an out= that requires grad: refused by functions with a gradient, filled by those without, and in other words by those
# that autograd does not know; factories give it their size without a warning
tracked = torch.ones(3, requires_grad=True)
for call in (
    lambda: torch.exp(torch.ones(3), out=tracked),
    lambda: torch.eq(torch.ones(3), torch.ones(3), out=tracked),
    lambda: torch.bitwise_and(torch.tensor([1, 2, 3]), 2, out=tracked),
    lambda: torch.view_copy(torch.ones(3), (3,), out=tracked),
    lambda: torch.zeros(3, out=tracked),
    lambda: torch.hstack([torch.ones(3)], out=tracked),
    lambda: torch.zeros(2, out=torch.ones(3)),
    lambda: torch.squeeze_copy(torch.ones(2, 1), out=torch.ones(2)),
    lambda: torch.split_copy(torch.ones(4), 2, out=[torch.zeros(2), torch.zeros(2)]),
    lambda: torch.split_copy(torch.ones(4), 2, out=[torch.zeros(2)]),
    lambda: torch.t_copy(torch.ones(2, 1), out=torch.ones(1, 2).double()),
    lambda: torch.max(torch.ones(3), torch.ones(3), out=torch.ones(3).double()),
    lambda: torch.clamp(torch.arange(3), max=torch.ones(3), out=torch.arange(3)),
    lambda: torch.zeros_like(tracked, device="cuda"),
    lambda: torch.ones(2).new_zeros(2, device="cuda"),
    lambda: torch.nn.functional.elu_(torch.tensor([-1.0, 2.0]), 2.0, 3.0, 0.5),
    lambda: torch.index_fill(input=torch.ones(3), dim=0, index=torch.tensor(2), value="a"),
    lambda: torch.logit(torch.tensor([-1.0, 0.5, 2.0]), 0.7),
    lambda: torch.var(torch.arange(4.0), correction=torch.tensor(2)),
    lambda: torch.kron(torch.ones(2, 3).t(), torch.ones(3, 2).t()).stride(),
    lambda: torch.kron(torch.ones(3), torch.ones(3, 2).t()),
    lambda: torch.rad2deg(torch.tensor([1.541, 0.5], dtype=torch.float16)),
    lambda: torch.round(torch.tensor([-0.2934, 0.2615], dtype=torch.float16), decimals=3),
    lambda: torch.rand(3, 2).t().float(memory_format=torch.contiguous_format).stride(),
):
    try:
        print(call())
    except (RuntimeError, TypeError, AssertionError, NotImplementedError) as error:
        print(type(error).__name__, str(error)[:400])
torch.mm(a.requires_grad_(), a, out=o)
