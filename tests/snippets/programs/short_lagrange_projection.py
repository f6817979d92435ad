import torch

w = torch.tensor([3.0, 4.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for _ in range(5):
    opt.zero_grad()
    loss = ((w - torch.tensor([0.0, 2.0])) ** 2).sum()
    loss.backward()
    opt.step()
    with torch.no_grad():
        norm = w.norm()
        if norm > 1:
            w.div_(norm)
print(w, w.norm())
