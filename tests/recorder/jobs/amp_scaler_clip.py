"""AMP with GradScaler, unscale_, clipping, zero_grad(set_to_none)."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 3))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.05)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for step in range(4):
    x, y = torch.randn(12, 8), torch.randint(0, 3, (12,))
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(model(x), y)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    scaler.step(optimizer)
    scaler.update()
    print(step, loss.item(), norm.item(), scaler.get_scale())
