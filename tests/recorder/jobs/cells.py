import torch
from torch import nn

torch.manual_seed(0)
gru, lstm, head = nn.GRUCell(3, 4), nn.LSTMCell(4, 4), nn.Linear(4, 2)
sequence = torch.randn(3, 2, 3)
h = torch.zeros(2, 4)
a = torch.zeros(2, 4)
c = torch.zeros(2, 4)
for x in sequence:
    h = gru(x, h)
    a, c = lstm(h, (a, c))
target = torch.tensor([0, 1])
logits = head(a)
loss = nn.functional.cross_entropy(logits, target)
loss.backward()
print(loss.item().hex(), gru.weight_hh.grad.norm().item().hex())
