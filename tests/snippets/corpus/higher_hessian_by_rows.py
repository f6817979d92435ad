import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x[0] ** 2 * x[1] + x[2] ** 3
(g,) = torch.autograd.grad(y, x, create_graph=True)
print(g)
rows = []
for i in range(3):
    (row,) = torch.autograd.grad(g[i], x, retain_graph=True)
    rows.append(row)
print(torch.stack(rows))
