import torch

x = torch.arange(3.0)
try:
    x[5]
except IndexError as e:
    print(e)
try:
    x[0, 0]
except IndexError as e:
    print(e)
try:
    x[[0, 7]]
except IndexError as e:
    print(e)
try:
    torch.zeros(2, 2)[torch.tensor([True, False, True])]
except IndexError as e:
    print(e)
torch.tensor(3.0)[0]
