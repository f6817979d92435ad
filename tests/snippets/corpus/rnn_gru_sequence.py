import torch
import torch.nn as nn

torch.manual_seed(0)
gru = nn.GRU(2, 2, batch_first=True)
out, h = gru(torch.ones(1, 3, 2))
print(out)
print(torch.equal(out[:, -1], h[0]))
out.sum().backward()
print(gru.bias_ih_l0.grad)
