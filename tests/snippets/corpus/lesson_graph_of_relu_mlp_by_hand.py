import torch

torch.manual_seed(2)
x = torch.randn(3)
W1 = torch.randn(4, 3, requires_grad=True)
W2 = torch.randn(2, 4, requires_grad=True)
z = W1 @ x
a = z.relu()
o = W2 @ a
loss = 0.5 * (o**2).sum()
loss.backward()
with torch.no_grad():
    do = o
    dW2 = torch.outer(do, a)
    da = W2.t() @ do
    dz = da * (z > 0)
    dW1 = torch.outer(dz, x)
print(torch.allclose(dW1, W1.grad), torch.allclose(dW2, W2.grad))
print(W1.grad)
