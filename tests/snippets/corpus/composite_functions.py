import torch

torch.manual_seed(0)
a = torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
v = torch.tensor([1.0, 2.0], requires_grad=True)
for f in (
    lambda: torch.atleast_2d(v),
    lambda: torch.atleast_3d(v),
    lambda: torch.dstack((a, a)),
    lambda: torch.column_stack((v, v)),
    lambda: torch.hsplit(a, 2),
    lambda: torch.vsplit(a, 2),
    lambda: torch.block_diag(a, v),
    lambda: torch.diagflat(v),
    lambda: a.adjoint(),
    lambda: torch.vdot(v, v),
    lambda: torch.addr(a, v, v),
    lambda: torch.addbmm(a, torch.ones(2, 2, 2), torch.ones(2, 2, 2)),
    lambda: torch.cov(a),
    lambda: torch.corrcoef(a),
    lambda: torch.cumulative_trapezoid(a),
    lambda: torch.select_scatter(a, v, 0, 1),
    lambda: torch.slice_scatter(a, v.view(1, 2), 0, 0, 1),
    lambda: torch.diagonal_scatter(a, v),
    lambda: a.clone().tril_(),
    lambda: a.clone().triu_(1),
    lambda: a.clone().square_(),
    lambda: a.clone().cumsum_(0),
    lambda: a.sum_to_size(1, 2),
    lambda: torch.unique_consecutive(torch.tensor([1, 1, 2, 2, 1]), return_counts=True),
    lambda: torch.gcd(torch.tensor([4, 6]), torch.tensor([6, 9])),
    lambda: torch.zeros(3, 3).fill_diagonal_(5),
    lambda: torch.is_nonzero(torch.tensor([1.0])),
    lambda: torch.typename(v),
    lambda: torch.frexp(torch.tensor([3.0, 0.5])),
):
    print(f())
