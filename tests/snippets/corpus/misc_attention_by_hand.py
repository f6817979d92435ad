import math
import torch
import torch.nn.functional as F

torch.manual_seed(0)
q = torch.randn(1, 3, 4, requires_grad=True)
k = torch.randn(1, 3, 4, requires_grad=True)
v = torch.randn(1, 3, 4, requires_grad=True)
scores = q @ k.transpose(-2, -1) / math.sqrt(4)
mask = torch.tril(torch.ones(3, 3)).bool()
scores = scores.masked_fill(~mask, float("-inf"))
att = F.softmax(scores, dim=-1)
out = att @ v
print(att)
print(out.shape)
out.sum().backward()
print(q.grad)
print(v.grad)
