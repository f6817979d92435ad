import torch

x = torch.tensor([1 / 3, 2 / 3, 100.0])
torch.set_printoptions(precision=2)
print(x)
torch.set_printoptions(precision=8)
print(x)
torch.set_printoptions(sci_mode=True)
print(x)
torch.set_printoptions(profile="default")
print(x)
torch.set_printoptions(threshold=5, edgeitems=2)
print(torch.arange(10))
