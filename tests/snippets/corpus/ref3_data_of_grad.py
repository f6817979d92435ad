import torch

A = torch.tensor(2.0, requires_grad=True)
B = A * 4
B.backward()
print(A.grad)
print(A.grad.data)
print(A.data, B.data)
