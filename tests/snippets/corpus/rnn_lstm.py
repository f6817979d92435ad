import torch
import torch.nn as nn

torch.manual_seed(0)
lstm = nn.LSTM(2, 3)
x = torch.ones(4, 1, 2)
out, (h, c) = lstm(x)
print(out)
print(h, c)
out[-1].sum().backward()
print(lstm.bias_ih_l0.grad)
