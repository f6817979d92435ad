import torch

input = torch.rand(1, 3, requires_grad=True)
h1 = input * 3
out = (h1 * h1).sum()
h1.retain_grad()
h1.retain_grad()
out.backward(retain_graph=True)
print(torch.equal(h1 * 2, h1.grad))
out.backward(retain_graph=True)
print(torch.equal(h1 * 4, h1.grad))
with torch.no_grad():
    input.grad.zero_()
input.retain_grad()
input.retain_grad()
out.backward()
print(torch.allclose(input * 18, input.grad))
a = torch.ones(2, requires_grad=True).clone()
a.retain_grad()
a.mul_(2)
a.sum().backward()
print(a.grad)
