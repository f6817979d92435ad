import torch

x = torch.arange(12.0).view(3, 4).requires_grad_()
rows = torch.tensor([0, 2])
mask = x > 4
for label, y in (
    ("rows", x[rows]),
    ("columns", x[:, rows]),
    ("pairs", x[rows, [1, -1]]),
    ("mask", x[mask]),
    ("mask of rows", x[mask[:, 0]]),
    ("new dimension", x[None, rows]),
    ("apart", x[rows, None, rows]),
    ("row and list", x[0, [1, 2]]),
):
    print(label, y.grad_fn.name(), y.grad_fn._saved_indices)

z = x * 1
z[mask] = 0.0
print(z.grad_fn.name(), z.grad_fn._saved_indices)
z.sum().backward()
try:
    z.grad_fn._saved_indices
except RuntimeError as error:
    print(error)
print(x.grad)
