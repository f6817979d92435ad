import torch

X = torch.tensor([[2., 4., 6.],
                  [2., 7., 9.],
                  [2., 4., 5.]], requires_grad=True)
for i in range(2):
    for j in range(3):
        z = X[i, j] * X[i, j]
        z.backward()
        print(i, j, z.item(), X.grad.sum().item())
print(X.grad)
