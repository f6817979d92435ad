import torch
from torch import nn

torch.manual_seed(0)
emb = nn.Embedding(5, 3, padding_idx=0)
idx = torch.tensor([[1, 2, 1], [0, 4, 0]])
out = emb(idx)
out.sum().backward()
print(out.shape, emb.weight.grad.sum(1), emb.weight[0])
print(nn.Embedding.from_pretrained(torch.eye(2)).weight.requires_grad, nn.EmbeddingBag(5, 2, mode="mean")(idx).shape)
