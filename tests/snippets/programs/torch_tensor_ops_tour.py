import torch

x = torch.arange(12.0).reshape(3, 4)
print(
    x.view(2, 6),
    x.T.shape,
    x.permute(1, 0).is_contiguous(),
    x.unsqueeze(0).shape,
    x.flatten()[:3],
    x.reshape(-1, 2).shape,
)
print(
    x.sum(0),
    x.mean(1, keepdim=True),
    x.max(dim=1),
    x.argmax(),
    x.std(),
    x.var(dim=0, unbiased=False),
    x.cumsum(1)[0],
    x.prod(),
    x.norm(),
)
print(
    x[x > 5],
    x[[0, 2]],
    x[:, ::2],
    x[1, 2].item(),
    torch.where(x > 5, x, 0.0),
    (x > 5).sum(),
    x.nonzero()[:2],
    x[..., None].shape,
)
print(
    torch.stack([x[0], x[1]]).shape,
    torch.cat([x, x], 1).shape,
    x.chunk(2, 1)[0],
    torch.split(x, 2)[1],
    x.repeat(1, 2).shape,
    x.expand(2, 3, 4).shape,
)
print(
    torch.einsum("ij,kj->ik", x, x),
    torch.bmm(x[None], x.T[None]).shape,
    x @ x.T,
    torch.outer(x[0], x[1]),
    x[0].dot(x[1]),
)
print(
    x.clamp(2, 5),
    x.abs().sqrt()[0],
    x.exp()[0, :2],
    torch.sigmoid(x[0]),
    torch.softmax(x[0], 0),
    x.pow(2)[1],
    x.sign()[0],
    x.round().int().dtype,
)
print(
    torch.sort(x[0], descending=True),
    x.topk(2),
    x.gather(1, torch.tensor([[0], [1], [2]])),
    torch.zeros(2, 3).scatter_(1, torch.tensor([[0], [2]]), 1.0),
)
print(
    torch.eye(2),
    torch.linspace(0, 1, 3),
    torch.full((2,), 7),
    torch.randperm(4, generator=torch.Generator().manual_seed(0)),
    torch.tril(torch.ones(3, 3)),
    torch.diag(torch.tensor([1, 2])),
)
print(
    x.dtype,
    x.long().dtype,
    x.to(torch.float64).dtype,
    x.bool().any(),
    x.half().dtype,
    x.type(),
    torch.get_default_dtype(),
    x.numel(),
    x.dim(),
    x.ndim,
    x.size(),
    x.size(1),
    x.stride(),
    len(x),
)
print(
    torch.unique(torch.tensor([3, 1, 1])),
    torch.bincount(torch.tensor([0, 1, 1])),
    torch.allclose(x, x),
    torch.isnan(x).any(),
    torch.equal(x, x),
    x.tolist()[0],
    torch.meshgrid(torch.arange(2), torch.arange(2), indexing="ij"),
)
a, b = x[0], x[1]
print(
    a + b,
    a - b,
    a * b,
    b / (a + 1),
    b // 2,
    b % 3,
    -a,
    a**2,
    a == b,
    a < b,
    (a > 1) & (a < 3),
    ~(a > 1),
    2 * a,
    1 / (a + 1),
    abs(-a),
)
x += 1
x *= 2
x -= 1
x /= 2
x[0] = 0
x[:, 1] += 5
x[x > 8] = -1
print(x)
for row in x:
    print(row.sum().item(), end=" ")
print(
    float(x[0, 0]),
    int(x[1, 0]),
    bool(x[0, 1]),
    x.squeeze().shape,
    x.swapaxes(0, 1).shape,
    x.flip(0)[0],
    x.roll(1, 0)[0],
    x.masked_fill(x < 0, 9.0)[1],
)
