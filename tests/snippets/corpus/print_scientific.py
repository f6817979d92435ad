import torch

print(torch.tensor([1e-5, 1.0]))
print(torch.tensor([1e5, 1.0]))
print(torch.tensor([1e8, 1.0]))
print(torch.tensor([1e8, 2e8]))
print(torch.tensor([123456789.0, 0.001]))
print(torch.tensor(1e-10))
print(torch.tensor(123456.789))
print(torch.tensor([0.00001, 0.00002]))
print(torch.tensor([1000000.0, 2000000.0]))
print(torch.tensor([10000.5, 3.25]))
