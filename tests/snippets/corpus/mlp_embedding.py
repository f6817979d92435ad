import torch
import torch.nn as nn

torch.manual_seed(0)
emb = nn.Embedding(5, 3)
ids = torch.tensor([[1, 2, 1], [4, 4, 0]])
out = emb(ids)
print(out.shape)
out.sum().backward()
print(emb.weight.grad)
emb(torch.tensor([7]))
