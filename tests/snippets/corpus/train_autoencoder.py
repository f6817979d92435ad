import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(6, 3), nn.Tanh(), nn.Linear(3, 2))
decoder = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 6), nn.Sigmoid())
opt = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=0.01)
x = torch.rand(5, 6)
for step in range(30):
    loss = nn.functional.mse_loss(decoder(encoder(x)), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 10 == 0:
        print(step, f"{loss.item():.4f}")
