"""A GRU over packed sequences of different lengths, truncated backpropagation, and anomaly mode for one iteration."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

torch.manual_seed(0)
gru = nn.GRU(3, 5, num_layers=2, batch_first=True, dropout=0.1, bidirectional=True)
head = nn.Linear(10, 1)
optimizer = torch.optim.NAdam([*gru.parameters(), *head.parameters()], lr=0.01)
state = torch.zeros(4, 3, 5)
for step in range(4):
    x, lengths = torch.randn(3, 6, 3), torch.tensor([6, 4, 2])
    with torch.autograd.set_detect_anomaly(step == 2):
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        out, state = gru(packed, state.detach())
        padded, _ = pad_packed_sequence(out, batch_first=True)
        loss = head(padded).square().mean()
        loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(step, loss.item().hex(), state.norm().item().hex())
