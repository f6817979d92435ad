import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

table = nn.Embedding(10, 3, sparse=True)
opt = torch.optim.SparseAdam(table.parameters())
for i in range(2):
    opt.zero_grad()
    loss = table(torch.tensor([1, 2, 2])).pow(2).sum()
    loss.backward()
    opt.step()
    print(i, loss.item().hex(), table.weight.grad.is_sparse)
