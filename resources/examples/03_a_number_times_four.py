"""The gradient of a multiple

B is four times A, so B grows by 4 when A grows by 1. The gradient is 4 wherever A is. Older tutorials read it through
.data, which is the same numbers as a tensor that autograd knows nothing about.

Look at: the multiplication saved `other`, the 4, and nothing else. That is all it needs to go back.
"""
import torch

A = torch.tensor(2., requires_grad=True)
B = A * 4
B.backward()

print(A.grad)
print(A.grad.data)
