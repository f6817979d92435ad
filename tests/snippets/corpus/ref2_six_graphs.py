import torch

X = torch.tensor([[2.0, 4.0, 6.0], [2.0, 7.0, 9.0], [2.0, 4.0, 5.0]], requires_grad=True)
for i in range(2):
    for j in range(3):
        z = X[i, j] * X[i, j]
        z.backward()
        print(i, j, z.item(), X.grad.sum().item())
print(X.grad)
