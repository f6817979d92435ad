import torch

a = torch.ones(5, requires_grad=True)


class D:
    def __init__(self, t):
        self.t = t


with torch.autograd.graph.saved_tensors_hooks(lambda t: D(t), lambda d: d.t):
    y = a * a
    print(type(y.grad_fn._raw_saved_self), y.grad_fn._saved_self)
y.sum().backward()
print(a.grad)
try:
    print(y.grad_fn._saved_self)
except RuntimeError as e:
    print(e)
y = torch.exp(a)
y.grad_fn._raw_saved_result.register_hooks(lambda x: x, lambda x: x * 3)
y.sum().backward()
print(a.grad)
with torch.autograd.graph.saved_tensors_hooks(lambda t: 1, lambda d: 2):
    y = a * a
y.sum().backward()
