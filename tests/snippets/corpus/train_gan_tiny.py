import torch
import torch.nn as nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(1, 4), nn.ReLU(), nn.Linear(4, 1))
D = nn.Sequential(nn.Linear(1, 4), nn.LeakyReLU(0.2), nn.Linear(4, 1), nn.Sigmoid())
bce = nn.BCELoss()
og = torch.optim.Adam(G.parameters(), lr=1e-2)
od = torch.optim.Adam(D.parameters(), lr=1e-2)
ones, zeros = torch.ones(8, 1), torch.zeros(8, 1)
for step in range(5):
    real = torch.randn(8, 1) * 0.5 + 3
    fake = G(torch.randn(8, 1))
    d_loss = bce(D(real), ones) + bce(D(fake.detach()), zeros)
    od.zero_grad()
    d_loss.backward()
    od.step()
    g_loss = bce(D(fake), ones)
    og.zero_grad()
    g_loss.backward()
    og.step()
    print(f"{step}: D {d_loss.item():.4f} G {g_loss.item():.4f}")
