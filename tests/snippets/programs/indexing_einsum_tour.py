import torch

x = torch.arange(24).reshape(2, 3, 4)
print(x[0], x[..., -1], x[:, 1:, ::2], x[None].shape, x[:, None, :, None].shape)
print(
    x[x > 20],
    x[[0, 1], [1, 2]],
    x[torch.tensor([1, 0])].shape,
    x[:, [0, 2]].shape,
    x[(0, 1)],
    x[0, 1, 2].item(),
    x[-1, ..., 0],
)
m = torch.zeros(3, 3)
m[0] = 1
m[:, 1] += 5
m[m == 0] = -1
m[torch.arange(3), torch.arange(3)] = 9
m[1:, :2] = torch.tensor([7.0, 8.0])
print(m)
print(
    x.gather(2, torch.zeros(2, 3, 1, dtype=torch.long)).squeeze(),
    torch.zeros(2, 3).scatter_(1, torch.tensor([[1], [2]]), 1.0),
    x.index_select(1, torch.tensor([2, 0])).shape,
    torch.take(x, torch.tensor([0, 23])),
    torch.masked_select(x, x % 7 == 0),
    torch.where(x[0] > 4, x[0], -x[0]),
)
print(
    torch.nonzero(x[0] > 9),
    (x[0] > 9).nonzero(as_tuple=True),
    torch.argwhere(x[1] < 14),
    x.unfold(2, 2, 1).shape,
    x.diagonal(dim1=1, dim2=2),
    torch.tril(torch.ones(3, 3)),
    torch.triu(torch.ones(3, 3), 1),
    torch.diag(torch.tensor([1, 2])),
)
print(
    x.permute(2, 0, 1).shape,
    x.transpose(0, 1).shape,
    x.flatten(1).shape,
    x.movedim(0, -1).shape,
    x.flip(0)[0, 0],
    x.roll(1, 2)[0, 0],
    torch.rot90(x[0]).shape,
    x.unbind(0)[1].shape,
    [t.shape[0] for t in torch.split(torch.arange(7), [2, 5])],
    torch.tensor_split(torch.arange(7), 3),
    x.view(-1, 4).shape,
    x.view(2, -1).shape,
    x.ravel()[-1],
    x.squeeze().shape,
    x.swapaxes(0, 2).shape,
)
a, b = torch.arange(6.0).view(2, 3), torch.arange(12.0).view(3, 4)
for eq, ops in {
    "ij,jk->ik": (a, b),
    "ij->ji": (a,),
    "ij->": (a,),
    "ij->i": (a,),
    "ij,ij->ij": (a, a),
    "i,j->ij": (a[0], a[1]),
    "ii": (b[:, :3],),
    "ii->i": (b[:, :3],),
    "bij,bjk->bik": (a.expand(2, 2, 3), b.expand(2, 3, 4)),
    "...i,...i->...": (a, a),
}.items():
    print(f"{eq:<16}", torch.einsum(eq, *ops))
print(
    torch.cat([a, a], -1).shape,
    torch.stack([a, a], 1).shape,
    torch.hstack([a, a]).shape,
    torch.vstack([a, a]).shape,
    torch.dstack([a, a]).shape,
    a.repeat(2, 1).shape,
    a.repeat_interleave(2, 0).shape,
    a.expand(4, 2, 3).shape,
    torch.tile(a, (2,)).shape,
    a.unsqueeze(1).expand(-1, 5, -1).shape,
    torch.broadcast_tensors(a[:, :1], a[:1])[0].shape,
    torch.broadcast_shapes((2, 1), (3,)),
)
print(
    a.sum(0),
    a.sum(dim=1, keepdim=True),
    a.mean(),
    a.max(),
    a.max(1),
    a.argmax(),
    a.argmax(1),
    a.min(0).values,
    a.prod(),
    a.cumsum(1),
    a.std(),
    a.var(1, unbiased=False),
    a.norm(),
    a.median(),
    a.mode(),
    a.sort(descending=True),
    a.topk(2),
    a.kthvalue(2),
    a.unique(),
    torch.unique(torch.tensor([1, 1, 2]), return_counts=True),
    torch.bincount(torch.tensor([0, 2, 2])),
    a.any(),
    a.all(1),
    a.clamp(1, 3),
    a.quantile(0.5),
    a.logsumexp(1),
    torch.histc(a, 3),
    torch.cummax(a, 1),
    torch.diff(a[0]),
    torch.searchsorted(torch.tensor([1, 3, 5]), 4),
    torch.bucketize(torch.tensor([2, 4]), torch.tensor([1, 3, 5])),
    torch.cov(a),
    torch.corrcoef(a),
    torch.cdist(a, a),
    torch.cross(a[0], a[1], dim=0),
    torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij"),
    torch.cartesian_prod(torch.arange(2), torch.arange(2)),
    torch.combinations(torch.arange(3)),
    torch.logspace(0, 2, 3),
    torch.isclose(a, a + 1e-9).all(),
    torch.isin(torch.tensor([1, 5]), torch.tensor([1])),
    torch.lerp(a[0], a[1], 0.5),
    torch.addmm(torch.ones(2, 4), a, b),
    torch.baddbmm(torch.ones(1, 2, 4), a[None], b[None]).shape,
    torch.kron(torch.eye(2), torch.ones(1, 2)),
    torch.trapz(a[0]),
    torch.vander(torch.tensor([1, 2])),
    torch.block_diag(torch.ones(1, 1), torch.ones(1, 2)),
)
