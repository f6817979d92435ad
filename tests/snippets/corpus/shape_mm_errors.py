import torch

for a, b in (((2, 3), (2, 3)), ((2,), (3,)), ((2, 3), (4,))):
    try:
        torch.matmul(torch.ones(a), torch.ones(b))
    except RuntimeError as e:
        print(a, b, e)
try:
    torch.bmm(torch.ones(2, 2), torch.ones(2, 2))
except RuntimeError as e:
    print(e)
try:
    torch.dot(torch.ones(2, 2), torch.ones(2))
except RuntimeError as e:
    print(e)
torch.mm(torch.ones(2, 3), torch.ones(2, 3))
