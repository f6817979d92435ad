import torch

torch.manual_seed(0)
M = torch.tensor([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]])
U = torch.randn(2, 1, requires_grad=True)
V = torch.randn(1, 3, requires_grad=True)
opt = torch.optim.Adam([U, V], lr=0.1)
for step in range(60):
    loss = (U @ V - M).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 20 == 0:
        print(step, f"{loss.item():.3f}")
print((U @ V).detach().round())
