import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
accumulation_steps = 2
scaler = torch.amp.GradScaler("cpu", enabled=False)
for i in range(6):
    x, y = torch.randn(3, 4), torch.randn(3, 1)
    with torch.autocast(device_type="cpu", enabled=False):
        loss = nn.functional.mse_loss(model(x), y) / accumulation_steps
    scaler.scale(loss).backward()
    if (i + 1) % accumulation_steps == 0:
        total = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.5)
        scaler.step(opt)
        scaler.update()
        opt.zero_grad()
        print(i, f"{total:.4f}", f"{loss.item():.4f}")
print(torch.nn.utils.parameters_to_vector(model.parameters()).shape)
l1 = sum(p.abs().sum() for p in model.parameters())
l2 = sum(p.pow(2.0).sum() for p in model.parameters())
(0.01 * l1 + 0.001 * l2).backward()
norms = {n: round(p.grad.norm().item(), 4) for n, p in model.named_parameters()}
print(norms)
total_norm = torch.norm(torch.stack([p.grad.detach().norm(2) for p in model.parameters()]), 2)
print(f"{total_norm.item():.4f}")
