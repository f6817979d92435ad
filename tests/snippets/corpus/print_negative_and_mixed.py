import torch

print(torch.tensor([-1.5, 2.25, 100.125]))
print(torch.tensor([[-1, 20], [300, -4000]]))
print(torch.tensor([[1.0, -2.0], [0.0, 10.0]]))
print(torch.tensor([0.1, 0.22, 0.333]))
print(torch.tensor(-0.0), torch.tensor([0.0, -0.0]))
