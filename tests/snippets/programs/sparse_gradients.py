"""Gradients through sparse products, optimizers of sparse gradients, rows and layouts."""

import torch
import torch.nn as nn

# graph convolution with a sparse adjacency
torch.manual_seed(0)
edges = torch.tensor([[0, 1, 1, 2, 3, 0], [1, 0, 2, 1, 0, 3]])
A = torch.sparse_coo_tensor(edges, torch.ones(6), (4, 4), check_invariants=True)
deg = torch.sparse.sum(A, dim=1).to_dense()
print(deg)
inv = deg.pow(-0.5)
Ahat = torch.sparse_coo_tensor(edges, inv[edges[0]] * inv[edges[1]], (4, 4)).coalesce()
print(Ahat)
print(Ahat.to_dense())


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1 = nn.Linear(3, 5, bias=False)
        self.w2 = nn.Linear(5, 2)

    def forward(self, x, adj):
        h = torch.relu(torch.sparse.mm(adj, self.w1(x)))
        return torch.spmm(adj, self.w2(h))


net = GCN()
x = torch.randn(4, 3)
y = torch.tensor([0, 1, 0, 1])
opt = torch.optim.Adam(net.parameters(), lr=0.05)
for step in range(5):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x, Ahat), y)
    loss.backward()
    opt.step()
    print(step, loss)
print(net.w1.weight.grad)
v = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
S = torch.sparse_coo_tensor([[0, 1, 2], [2, 1, 0]], v, (3, 3))
out = (S @ torch.ones(3, 2)).pow(2).sum()
print(out)
out.backward()
print(v.grad)
B = torch.randn(3, 3).relu().to_sparse().requires_grad_()
r = torch.sparse.mm(B, torch.eye(3)).sum()
print(r.grad_fn)
r.backward()
print(B.grad)
print(B.grad.to_dense())
torch.sparse.mm(B, torch.eye(3)).sum().backward()
print(B.grad)
e = nn.Embedding(6, 2, sparse=True)
o = torch.optim.SGD(e.parameters(), lr=0.5)
l = e(torch.tensor([[0, 2], [2, 5]])).pow(2).sum()
l.backward()
print(e.weight.grad)
print(e.weight.grad.coalesce())
o.step()
print(e.weight)
o.zero_grad()
print(e.weight.grad)
e(torch.tensor([1])).sum().backward()
e(torch.tensor([2])).sum().backward()
print(e.weight.grad, e.weight.grad.layout)
a = torch.optim.SparseAdam(e.parameters(), lr=0.1)
for _ in range(3):
    a.zero_grad()
    e(torch.tensor([0, 1, 1])).pow(2).sum().backward()
    a.step()
    print(e.weight)
print({k: v for k, v in a.state[e.weight].items()})
ag = torch.optim.Adagrad(e.parameters(), lr=0.1)
ag.step()
print(e.weight)
try:
    torch.optim.AdamW(e.parameters()).step()
except RuntimeError as err:
    print(err)
try:
    torch.optim.RMSprop(e.parameters()).step()
except RuntimeError as err:
    print(err)
C = torch.tensor([[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]]).to_sparse_csr()
print(C, C.to_dense(), C.values(), C @ torch.ones(3))
print(C.layout, C.is_sparse, C.is_sparse_csr)
D = torch.eye(2).to_sparse()
print(D * 3, D + D, (D @ D), torch.sparse.mm(D, D), D.t(), D.shape, D.dtype)
print(torch.ones(2, 2) + D, D * torch.full((2, 2), 5.0), D.sum(), D.coalesce().indices(), D.double())
for row in D:
    print(row)
print(D[0], D[0, 0], D[1].to_dense())
print(torch.cat([D, D], 1).to_dense(), torch.stack([D, D]).shape)
try:
    D.numpy()
except TypeError as err:
    print(err)
try:
    D + 1
except RuntimeError as err:
    print(err)
print(D.is_coalesced(), D._nnz(), D.sparse_dim(), D.dense_dim(), D.nelement(), str(D.layout), D.requires_grad)
print(
    torch.sparse_coo_tensor([[0, 0], [1, 1]], [1.0, 2.0], (2, 2)).coalesce(),
    torch.sparse_coo_tensor(torch.zeros(2, 0), [], (2, 2)),
)
m = torch.tensor([[True, False], [True, True]])
print(m.to_sparse(), m.nonzero().t())
v = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
w = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
S = torch.sparse_coo_tensor([[0, 1, 2], [2, 1, 0]], v, (3, 3))
y = torch.sparse.mm(S, w)
z = (S * 2).to_dense() + S.t().to_dense()
loss = y.sum() + z.pow(2).sum() + S.coalesce().values().sum()
loss.backward()
print(v.grad, w.grad)
g = torch.sparse.FloatTensor(torch.tensor([[0], [1]]), torch.ones(1), torch.Size([2, 2]))
print(torch.spmm(g, torch.ones(2, 2)), g)

# Products have dense gradients for a sparse leaf, torch.sparse.mm has one where the leaf specifies elements.
s = torch.tensor([[1.0, 0, 2], [0, 3, 0], [0, 0, 0]]).to_sparse().requires_grad_()
r = torch.tensor([[1.0, 0, 2], [0, 3, 0], [0, 0, 0]]).to_sparse_csr().requires_grad_()
b = torch.eye(2)[None].repeat(2, 1, 1).to_sparse().requires_grad_()
c = (torch.arange(12.0).view(3, 4) / 4).requires_grad_()
o = torch.ones(3, 4)
print(torch.autograd.grad((s @ c).sum(), [s, c]), torch.autograd.grad(torch.mv(r, c[:, 0]).sum(), r))
print(torch.autograd.grad(torch.addmm(o, s, c, alpha=2).sum(), [s, c]), torch.autograd.grad((s @ s).sum(), s))
print(torch.autograd.grad(torch.sparse.mm(r, c).sum(), r), torch.autograd.grad(torch.sparse.addmm(o, s, c).sum(), s))
print(torch.autograd.grad((s @ c).sum(), s, create_graph=True))
torch.bmm(b, torch.rand(2, 2, 3).round()).sum().backward()
print(b.grad.layout, b.grad.shape)
(s @ c).sum().backward()
print(s.grad)
torch.sparse.mm(s, c).sum().backward()
print(s.grad)
s.grad = None
(s * s).sum().backward()
(s / 2).to_dense().sum().backward()
print(s.grad)
# sums and means of rows
places, starts = torch.tensor([1, 2, 4, 5, 4, 3, 2, 9]), torch.tensor([0, 4])
for mode in ("sum", "mean", "max"):
    for options in ({}, {"padding_idx": 2}, {"scale_grad_by_freq": True}):
        torch.manual_seed(0)
        try:
            bag = torch.nn.EmbeddingBag(10, 3, mode=mode, sparse=True, **options)
            out = bag(places, starts)
            (out * torch.arange(6).view(2, 3)).sum().backward()
            print(mode, options, out, bag.weight.grad, bag.weight.grad.coalesce()._indices(), out.grad_fn._saved_sparse)
        except (RuntimeError, ValueError) as error:
            print(mode, options, error)
weight = torch.ones(10, 3, requires_grad=True)
shares = torch.arange(8.0).requires_grad_()
F = torch.nn.functional
F.embedding_bag(places, weight, starts, mode="sum", sparse=True, per_sample_weights=shares).sum().backward()
print(weight.grad, shares.grad)
F.embedding_bag(places.view(2, 4), weight, sparse=True).sum().backward()
print(weight.grad.to_dense())
for kind in (torch.optim.SGD, torch.optim.SparseAdam):
    bag = torch.nn.EmbeddingBag(10, 3, sparse=True)
    optimizer = kind(bag.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        bag(places, starts).pow(2).sum().backward()
        optimizer.step()
    print(bag.weight)
