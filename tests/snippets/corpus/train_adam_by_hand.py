import torch

w = torch.tensor([1.0, -2.0], requires_grad=True)
opt = torch.optim.Adam([w], lr=0.1)
v = w.detach().clone()
m = torch.zeros(2)
s = torch.zeros(2)
for t in range(1, 4):
    opt.zero_grad()
    (w**2).sum().backward()
    opt.step()
    g = 2 * v
    m = 0.9 * m + 0.1 * g
    s = 0.999 * s + 0.001 * g * g
    v = v - 0.1 * (m / (1 - 0.9**t)) / ((s / (1 - 0.999**t)).sqrt() + 1e-8)
    print(w.detach(), v)
