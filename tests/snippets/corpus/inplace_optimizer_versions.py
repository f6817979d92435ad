import torch

w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
print(w._version)
for _ in range(2):
    (w**2).sum().backward()
    opt.step()
    opt.zero_grad()
    print(w._version, w)
