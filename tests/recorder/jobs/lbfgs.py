import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

x = torch.tensor([-1.5, 2.0], requires_grad=True)
opt = torch.optim.LBFGS([x], max_iter=5)


def closure():
    opt.zero_grad()
    loss = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
    loss.backward()
    return loss


for i in range(3):
    print(i, opt.step(closure).item().hex())
