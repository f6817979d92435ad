import torch
import torch.nn as nn

torch.manual_seed(0)
rnn = nn.RNN(2, 3, batch_first=True)
x = torch.ones(1, 4, 2)
out, h = rnn(x)
print(out.shape, h.shape)
print(out)
out.sum().backward()
print(rnn.weight_hh_l0.grad)
