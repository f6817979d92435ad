import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
conv = nn.Conv2d(1, 2, kernel_size=3, stride=1, padding=1)
x = torch.arange(16.0).reshape(1, 1, 4, 4) / 16
h = F.relu(conv(x))
p = F.max_pool2d(h, 2)
print(h.shape, p.shape)
print(p)
out = p.flatten(1).sum(1)
loss = F.mse_loss(out, torch.tensor([1.0]))
loss.backward()
print(loss)
print(conv.weight.grad)
print(conv.bias.grad)
