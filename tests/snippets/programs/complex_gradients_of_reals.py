"""Real tensors whose results are complex: where the gradient is made real, and where PyTorch refuses."""

import torch

C = torch.complex64


def tell(make):
    x = torch.tensor([[1.0, 2.0], [0.5, 3.0]], requires_grad=True)
    try:
        y = make(x)
        print(y.dtype, y.grad_fn.name())
        y = y.sum()
        (y.abs() if y.is_complex() else y).backward()
        print(x.grad)
    except Exception as error:
        print(type(error).__name__, str(error)[:250])


tell(lambda x: x.sum(dtype=C))
tell(lambda x: x.sum(0, dtype=C))
tell(lambda x: x.sum(1, True, dtype=torch.complex128))
tell(lambda x: x.mean(dtype=C))
tell(lambda x: x.mean(1, dtype=C))
tell(lambda x: x.prod(dtype=C))
tell(lambda x: x.prod(0, dtype=C))
tell(lambda x: x.nansum(dtype=C))
tell(lambda x: torch.nanmean(x, dtype=C))
tell(lambda x: torch.linalg.vector_norm(x, dtype=C))
tell(lambda x: x.to(C))
tell(lambda x: x * 1j)
tell(lambda x: torch.complex(x, x))
tell(lambda x: x.sum(dtype=torch.float64))
tell(lambda x: x.mean(dtype=torch.float16))
tell(lambda x: torch.stack([x, x.to(C)]))
tell(lambda x: torch.cat([x, x * 1j]))
tell(lambda x: torch.where(x > 1, x, x * 1j))
tell(lambda x: torch.where(x > 1, x, x + 1))
tell(lambda x: torch.zeros(2, 2, dtype=C).copy_(x))
tell(lambda x: torch.zeros(2, 2, dtype=C) + x.sum(dtype=C))
tell(lambda x: x.pow(torch.tensor(2 + 0j)))
tell(lambda x: x.pow(2j))
tell(lambda x: torch.polar(x, x))
