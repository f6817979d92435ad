"""Sparse tensors by coordinates: making, asking, adding, multiplying and printing them; tables with sparse gradients."""

import torch

i = torch.tensor([[0, 1, 1], [2, 0, 2]])
v = torch.tensor([3.0, 4.0, 5.0])
s = torch.sparse_coo_tensor(i, v, (2, 3))
print(s)
print(s.to_dense(), s.is_sparse, s.layout, s._nnz(), s.is_coalesced())
c = s.coalesce()
print(c.indices(), c.values(), c.shape, c.dtype)
try:
    s2 = torch.sparse_coo_tensor(torch.tensor([[0, 0], [1, 1]]), torch.tensor([1.0, 2.0]), (2, 2))
    print(s2.indices())
except RuntimeError as e:
    print(e)
print(s2.coalesce())
d = torch.randn(3, 2, generator=torch.Generator().manual_seed(0))
print(torch.sparse.mm(s, d))
print(s @ d, torch.mm(s, d))
print((s + s).to_dense(), (s * 2).to_dense())
print(s.t().to_dense(), s.transpose(0, 1))
w = torch.ones(3, 2, requires_grad=True)
torch.sparse.mm(s, w).sum().backward()
print(w.grad)
e = torch.eye(3).to_sparse()
print(e)
csr = torch.eye(3).to_sparse_csr()
print(csr.crow_indices(), csr.col_indices(), csr.values())
print(csr)
print(csr @ torch.ones(3, 1), csr.layout)
print(torch.sparse.sum(s, dim=0), torch.sparse.sum(s))
print(torch.sparse.softmax(s, 1).to_dense())
emb = torch.nn.Embedding(5, 2, sparse=True)
with torch.no_grad():
    emb.weight.copy_(torch.arange(10.0).reshape(5, 2))
emb(torch.tensor([1, 3, 1])).sum().backward()
print(emb.weight.grad)
opt = torch.optim.SparseAdam(emb.parameters(), lr=0.1)
opt.step()
print(emb.weight)
try:
    torch.optim.Adam(emb.parameters()).step()
except RuntimeError as e:
    print(e)
try:
    torch.sparse_coo_tensor(i, torch.ones(2), (2, 3))
except RuntimeError as e:
    print(e)
try:
    torch.ones(2).indices()
except RuntimeError as e:
    print(str(e)[:100])
x = torch.randn(3, 3, generator=torch.Generator().manual_seed(0)).relu()
sp = x.to_sparse().requires_grad_()
(sp.to_dense() ** 2).sum().backward()
print(sp.grad)
print(sp.grad.is_sparse, s.sparse_dim(), s.dense_dim())
print(torch.sparse_coo_tensor((2, 3)).to_dense())
h = torch.sparse_coo_tensor([[0, 2]], torch.ones(2, 2), (3, 2))
print(h, h.to_dense())
print(torch.equal(s.to_dense(), s.clone().to_dense()), s.sum(), s.abs().to_dense())
print(torch.sparse.addmm(torch.zeros(2, 2), s, d, beta=0.5))
print(s.numel(), s.size(), s.dim(), s.device, s.requires_grad)
turned = s.clone()
turned.t_()
print(turned.coalesce(), turned.transpose_(0, 1).coalesce())
print(torch.sparse.mm(d, d.t()), torch.sparse.addmm(torch.ones(2, 2), s, d, beta=torch.tensor(2.0), alpha=True))
for wrong in (
    lambda: torch.sparse.addmm(torch.zeros(2, 2), s, d, beta="a"),
    lambda: torch.sparse.mm(s, 5),
    lambda: torch.sparse.spdiags(torch.ones(1), [0], (3, 3)),
    lambda: torch.sparse_coo_tensor((1.5, 2)),
    lambda: torch.sparse_coo_tensor([[0]], [[1.0, 2.0]], (2, 3)),
    lambda: torch.sparse_csr_tensor([0, 1], [0], [1.0], (1.5, 2)),
    lambda: torch.sparse_csr_tensor(1, [0], [1.0]),
    lambda: h.t(),
    lambda: s.clone().resize_(5, 5),
    lambda: s.clone().set_(),
):
    try:
        wrong()
    except (RuntimeError, TypeError) as e:
        print(type(e).__name__, str(e)[:150])


def tried(act):
    try:
        print(act())
    except (RuntimeError, NotImplementedError) as error:
        print(str(error).partition(". This could")[0])


d = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
s, row = d.to_sparse(), torch.tensor([1.0, 2.0]).to_sparse()
tried(lambda: torch.sparse.mm(d, d))
tried(lambda: torch.sparse.mm(d, s))
tried(lambda: torch.sparse.addmm(d, d, d))
tried(lambda: torch.sparse.softmax(d, 1))
tried(lambda: torch.sparse.sum(d, 0))
tried(lambda: d.sparse_mask(d))
tried(lambda: d.mv(row))
tried(lambda: s @ row)
tried(lambda: torch.addmm(d, d, s))
tried(lambda: torch.addmm(s, s, d))
tried(lambda: torch.addmm(d, s, s))


# --- like a sparse one, and products of many matrices ---

for made in (torch.zeros_like(s), torch.zeros_like(s.to_sparse_csr()), torch.zeros_like(s, dtype=torch.float64)):
    print(made, made._nnz())
print(torch.zeros_like(s, layout=torch.strided), s.new_zeros(2, 2))
for like in (torch.ones_like, torch.rand_like, torch.randn_like, lambda each: torch.full_like(each, 2.0)):
    try:
        print(like(s))
    except NotImplementedError as error:
        print(str(error)[:70])
places = torch.tensor([[0, 1, 1], [0, 1, 0], [2, 0, 2]])
batch = torch.sparse_coo_tensor(places, torch.tensor([3.0, 4.0, 5.0]), (2, 2, 3))
dense = torch.arange(24.0).view(2, 3, 4).requires_grad_()
product = torch.bmm(batch, dense)
product.sum().backward()
print(product, dense.grad, batch.bmm(dense).shape)
for first, second in (
    (batch, batch),
    (dense.transpose(1, 2), batch.transpose(1, 2)),
    (s, dense),
    (batch, dense[:1]),
    (batch, dense[0]),
    (batch, dense.double()),
):
    try:
        print(torch.bmm(first, second))
    except RuntimeError as error:
        print(error)
