import torch
import torch.nn as nn

torch.manual_seed(0)
mha = nn.MultiheadAttention(4, 2, batch_first=True)
x = torch.randn(1, 3, 4)
out, weights = mha(x, x, x)
print(out)
print(weights)
out.sum().backward()
print(mha.in_proj_bias.grad.shape)
