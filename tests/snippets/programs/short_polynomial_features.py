import torch
from torch import nn

torch.manual_seed(0)
x = torch.linspace(-1, 1, 16)
y = x**3 - x
for degree in (1, 3):
    feats = torch.stack([x**k for k in range(degree + 1)], dim=1)
    model = nn.Linear(degree + 1, 1, bias=False)
    opt = torch.optim.Adam(model.parameters(), lr=0.1)
    for _ in range(50):
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(feats).squeeze(), y)
        loss.backward()
        opt.step()
    print(degree, f"{loss.item():.4f}")
