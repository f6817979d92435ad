from itertools import product
import torch

grid = {"lr": [0.01, 0.1], "momentum": [0.0, 0.9]}
best = (float("inf"), None)
for values in product(*grid.values()):
    params = dict(zip(grid, values))
    w = torch.tensor(4.0, requires_grad=True)
    opt = torch.optim.SGD([w], **params)
    for _ in range(10):
        opt.zero_grad()
        loss = w**2
        loss.backward()
        opt.step()
    print(params, round(loss.item(), 4))
    best = min(best, (loss.item(), tuple(params.items())))
print(dict(best[1]))
