import torch

x = torch.tensor(0.0, requires_grad=True)
for f in (torch.sqrt, torch.relu, torch.abs, lambda t: t.clamp(min=0)):
    x.grad = None
    f(x).backward()
    print(x.grad)

m = torch.tensor([1.0, 3.0, 3.0], requires_grad=True)
m.max().backward()
print(m.grad)
m.grad = None
values, index = m.max(0)
values.backward()
print(m.grad, index)
m.grad = None
m.amax().backward()
print(m.grad)
m.grad = None
m.norm().backward()
print(m.grad)
