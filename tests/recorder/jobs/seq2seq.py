"""Packed sequences, GRU encoder, LSTMCell decoder with teacher forcing, masked loss."""

import random, torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

torch.manual_seed(0)
random.seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(9, 5)
        self.enc = nn.GRU(5, 6, batch_first=True, bidirectional=True)
        self.cell = nn.LSTMCell(5, 12)
        self.out = nn.Linear(12, 9)

    def forward(self, x, lengths, y):
        packed = pack_padded_sequence(self.emb(x), lengths, batch_first=True, enforce_sorted=False)
        o, h = self.enc(packed)
        o, _ = pad_packed_sequence(o, batch_first=True)
        state = torch.cat([h[0], h[1]], 1), torch.zeros(x.shape[0], 12)
        token, logits = torch.zeros(x.shape[0], dtype=torch.long), []
        for t in range(y.shape[1]):
            state = self.cell(self.emb(token), state)
            scores = torch.einsum("bd,btd->bt", state[0], o).softmax(-1)
            ctx = torch.einsum("bt,btd->bd", scores, o)
            logits.append(self.out(state[0] + ctx))
            token = y[:, t] if random.random() < 0.5 else logits[-1].argmax(-1)
        return torch.stack(logits, 1)


net = Net()
opt = torch.optim.Adam(net.parameters(), 0.01)
for step in range(2):
    seqs = [torch.randint(1, 9, (n,)) for n in (3, 5, 2)]
    x = pad_sequence(seqs, batch_first=True)
    loss = nn.functional.cross_entropy(net(x, [3, 5, 2], x).transpose(1, 2), x, ignore_index=0)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    print(step, loss.item())
