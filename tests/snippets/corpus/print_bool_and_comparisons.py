import torch

a = torch.tensor([1.0, 2.0, 3.0])
print(a > 1.5)
print((a > 1.5).sum(), (a > 1.5).any(), (a > 1.5).all())
print(a == torch.tensor([1.0, 0.0, 3.0]))
print(torch.eq(a, 2), a.ne(2))
print(~(a > 2), (a > 1) & (a < 3))
print(torch.equal(a, a.clone()), torch.allclose(a, a + 1e-9))
