"""Whole numbers that do not fit into the type of a tensor, factors that do not, and determinants to the last digit."""

import torch


def tell(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


byte, small = torch.tensor([200], dtype=torch.uint8), torch.tensor([100], dtype=torch.int8)
tell(lambda: (byte + 256, byte * 1000, byte - 300, small + 1000, small * 1000, byte + 2**40))
tell(lambda: (small == 1000, byte < -1, byte == -56, byte >= 2**40))
tell(lambda: torch.ones(1, dtype=torch.int32) + 2**40)
tell(lambda: torch.ones(1, dtype=torch.long) + 2**63)
tell(lambda: torch.ones(1) + 2**63)
for huge in (2**64, 10**30, -(2**63) - 1, 10**400):
    tell(lambda: torch.ones(1) + huge)
    tell(lambda: torch.ones(1, dtype=torch.long) * huge)
for value in (256, -1, 1j, 3.9, float("nan"), 2**70):
    tell(lambda: torch.ones(1, dtype=torch.uint8).fill_(value))
    tell(lambda: torch.ones(1, dtype=torch.int32).fill_(value))
for dtype in (torch.bool, torch.uint8, torch.int64, torch.float32, torch.complex64):
    x = torch.ones(2, dtype=dtype)
    for alpha in (True, 2, 2.5, 1j):
        tell(lambda: torch.add(x, x, alpha=alpha))
        tell(lambda: x.sub(x, alpha=alpha))

print(torch.det(torch.tensor([[1.0, 2.0], [3.0, 4.0]])), torch.tensor([[1.0, 2.0], [3.0, 4.0]]).T.det())
print(
    torch.linalg.slogdet(torch.tensor([[1.0, 2.0], [3.0, 4.0]])), torch.logdet(torch.tensor([[2.0, 1.0], [1.0, 3.0]]))
)
matrix = torch.tensor([[2.0, -1.0, 0.3], [0.7, 3.0, 1.0], [1.0, 0.1, -4.0]], requires_grad=True)
value = matrix.det()
value.backward()
print(value, matrix.grad)

real = torch.zeros(2)
real.copy_(torch.tensor([1 + 2j, 3 - 4j]))
print(real)
real[0] = torch.tensor(5 + 6j)
print(real)
