import torch


def pack(x):
    print("pack", tuple(x.shape))
    return x * 2


def unpack(x):
    print("unpack", tuple(x.shape))
    return x / 2


a = torch.ones(5, requires_grad=True)
b = torch.ones(5, requires_grad=True) * 2
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = a * b
y.sum().backward()
print(a.grad)
print(y.grad_fn._saved_self if False else "freed")
try:
    y.grad_fn._saved_self
except RuntimeError as e:
    print(e)
x = torch.randn(3, requires_grad=True)
with torch.autograd.graph.save_on_cpu():
    z = (x.sigmoid() * x).sum()
z.backward()
print(x.grad is not None)
w = torch.ones(2, requires_grad=True)
try:
    q = w.exp()
    q += 1
    q.sum().backward()
except RuntimeError as e:
    print(str(e)[:200])
with torch.autograd.graph.allow_mutation_on_saved_tensors():
    q = w.clone()
    r = (q**2).sum()
    q.mul_(10)
    r.backward()
print(w.grad)
