"""A vector is not a matrix

torch.mm multiplies two matrices, and randn(2) is a vector with one dimension. PyTorch refuses. What was meant is a
matrix with one row, randn(1, 2): its product with a (2, 1) matrix is a (1, 1) matrix.

Look at: the shapes of a and b in the error. Change the 2 of the first randn to 1, 2 and run again.
"""
import torch

torch.manual_seed(0)
a = torch.randn(2)
b = torch.randn(2, 1)
print(a.shape, b.shape)

print(torch.mm(a, b))
