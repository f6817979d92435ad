import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
total = 0
for row in x:
    print(row)
    for value in row:
        total = total + value**2
print(total)
total.backward()
print(x.grad)
a, b = x
print(a, b)
for v in torch.tensor(1.0):
    pass
