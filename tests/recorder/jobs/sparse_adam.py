"""Sparse embeddings with SparseAdam beside a dense optimizer; EmbeddingBag; sparse mm."""

import torch
from torch import nn

torch.manual_seed(0)
emb, bag, head = nn.Embedding(20, 4, sparse=True), nn.EmbeddingBag(20, 4, mode="sum", sparse=True), nn.Linear(8, 1)
s, d = torch.optim.SparseAdam([*emb.parameters(), *bag.parameters()], 0.01), torch.optim.Adam(head.parameters(), 0.01)
adj = torch.sparse_coo_tensor(torch.tensor([[0, 1, 2], [1, 2, 0]]), torch.ones(3), (3, 3)).coalesce()
for step in range(3):
    ids = torch.randint(0, 20, (3,))
    a = emb(ids)
    b = bag(torch.randint(0, 20, (3, 2)))
    h = torch.sparse.mm(adj, torch.cat([a, b], 1))
    loss = head(h).pow(2).mean()
    s.zero_grad()
    d.zero_grad()
    loss.backward()
    s.step()
    d.step()
    print(step, loss.item(), emb.weight.grad.is_sparse, emb.weight.grad.coalesce().values().norm().item())
csr = torch.eye(3).to_sparse_csr()
print((csr @ torch.ones(3, 2)).sum().item())
