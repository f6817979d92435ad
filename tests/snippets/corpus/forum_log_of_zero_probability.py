import torch

p = torch.tensor([0.0, 1.0], requires_grad=True)
entropy = -(p * torch.log(p)).sum()
print(entropy)
entropy.backward()
print(p.grad)
p.grad = None
entropy = -(p * torch.log(p.clamp(min=1e-9))).sum()
entropy.backward()
print(entropy, p.grad)
