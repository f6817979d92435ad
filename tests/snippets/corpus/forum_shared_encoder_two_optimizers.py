import torch
import torch.nn as nn

torch.manual_seed(0)
enc, head_a, head_b = nn.Linear(3, 4), nn.Linear(4, 1), nn.Linear(4, 1)
opt = torch.optim.SGD([*enc.parameters(), *head_a.parameters(), *head_b.parameters()], lr=0.1)
x = torch.randn(5, 3)
z = torch.relu(enc(x))
loss_a = head_a(z).pow(2).mean()
loss_b = (head_b(z) - 1).pow(2).mean()
opt.zero_grad()
loss_a.backward(retain_graph=True)
norm_a = enc.weight.grad.norm().item()
loss_b.backward()
print(f"{norm_a:.4f} {enc.weight.grad.norm().item():.4f}")
opt.step()
print(head_a.bias, head_b.bias)
