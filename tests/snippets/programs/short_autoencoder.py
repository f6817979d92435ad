import torch
from torch import nn

torch.manual_seed(0)


class AutoEncoder(nn.Module):
    def __init__(self, *sizes):
        super().__init__()
        enc = [m for a, b in zip(sizes, sizes[1:]) for m in (nn.Linear(a, b), nn.ReLU())][:-1]
        dec = [m for a, b in zip(sizes[::-1], sizes[-2::-1]) for m in (nn.Linear(a, b), nn.ReLU())][:-1]
        self.encoder, self.decoder = nn.Sequential(*enc), nn.Sequential(*dec)

    def forward(self, x):
        code = self.encoder(x)
        return self.decoder(code), code


ae = AutoEncoder(6, 4, 2)
opt = torch.optim.Adam(ae.parameters(), 1e-2)
x = torch.rand(5, 6)
for _ in range(10):
    out, code = ae(x)
    loss = ((out - x) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(ae.encoder, code.shape, f"{loss:.4f}")
