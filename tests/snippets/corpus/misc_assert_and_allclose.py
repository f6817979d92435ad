import torch

x = torch.tensor([0.1, 0.2, 0.3], requires_grad=True)
y = (x.sigmoid() * x).sum()
(g,) = torch.autograd.grad(y, x)
s = torch.sigmoid(x)
manual = s + x * s * (1 - s)
torch.testing.assert_close(g, manual.detach())
assert torch.allclose(g, manual)
print("ok", g)
try:
    torch.testing.assert_close(torch.nn.Parameter(torch.ones(1)), torch.ones(1), allow_subclasses=False)
except TypeError as e:
    print(e)
