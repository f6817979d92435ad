import torch
from torch import nn

torch.manual_seed(0)
cell, opt_state = nn.RNNCell(2, 3), None
opt = torch.optim.SGD(cell.parameters(), lr=0.1)


def repackage_hidden(h):
    """Wraps hidden states in new Tensors, to detach them from their history."""
    if isinstance(h, torch.Tensor):
        return h.detach()
    else:
        return tuple(repackage_hidden(v) for v in h)


h = torch.zeros(1, 3)
for chunk in range(3):
    h = repackage_hidden(h)
    for t in range(4):
        h = cell(torch.ones(1, 2), h)
    loss = h.pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(chunk, f"{loss.item():.4f}", h.grad_fn is not None)
