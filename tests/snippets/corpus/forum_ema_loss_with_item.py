import torch

w = torch.tensor(1.0, requires_grad=True)
opt = torch.optim.Adam([w], lr=0.5)
ema = None
for step in range(4):
    loss = (w - 3) ** 2
    opt.zero_grad()
    loss.backward()
    opt.step()
    ema = loss.item() if ema is None else 0.9 * ema + 0.1 * loss.item()
    print(f"{step} {loss.item():.4f} {ema:.4f} {w.item():.4f}")
