import torch

try:
    torch.tensor([[1, 2], [3]])
except ValueError as e:
    print(e)
try:
    torch.zeros(-1)
except RuntimeError as e:
    print(e)
try:
    torch.tensor("hello")
except TypeError as e:
    print(e)
try:
    torch.ones(2) + "a"
except TypeError as e:
    print(e)
try:
    torch.exp(1)
except TypeError as e:
    print(str(e).splitlines()[0])
torch.ones(2).foo
