import torch

a, b = torch.arange(6.0).reshape(2, 3), torch.arange(12.0).reshape(3, 4)
print(
    torch.einsum("ij->ji", a),
    torch.einsum("ij->", a),
    torch.einsum("ij->i", a),
    torch.einsum("ik,kj->ij", a, b),
    torch.einsum("i,j->ij", a[0], b[0]),
)
print(
    torch.einsum("bij,bjk->bik", a[None], b[None]).shape,
    torch.einsum("ii->i", torch.eye(3)),
    torch.einsum("...i,i->...", a, a[0]),
    torch.tensordot(a, b, dims=1).shape,
    torch.kron(torch.eye(2), torch.ones(1, 2)),
)
