import torch
from torch import nn

torch.manual_seed(0)
series = torch.sin(torch.arange(0, 6, 0.3))


def windows(seq, size):
    return torch.stack([seq[i : i + size] for i in range(len(seq) - size)]), seq[size:]


X, y = windows(series, 4)
print(X.shape, y.shape, series.unfold(0, 4, 2).shape)
lstm, head = nn.LSTM(1, 4, batch_first=True), nn.Linear(4, 1)
opt = torch.optim.Adam([*lstm.parameters(), *head.parameters()], 0.02)
for epoch in range(6):
    out, _ = lstm(X.unsqueeze(-1))
    loss = ((head(out[:, -1]).squeeze() - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"{loss.item():.4f}")
