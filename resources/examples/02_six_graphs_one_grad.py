"""Six graphs, one .grad

Every turn of the loop builds a new small graph over one element of X and runs backward through it. All six gradients
land in the same X.grad, each added to what was there before. The last row was never used and stays zero.

Look at: X.grad after every AccumulateGrad: one more element is filled in each time, and the tensor stays the same.
"""
import torch

X = torch.tensor([[2., 4., 6.],
                  [2., 7., 9.],
                  [2., 4., 5.]], requires_grad=True)

for i in range(2):
    for j in range(3):
        z = X[i, j] * X[i, j]
        z.backward()

print(X.grad)
