import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
a, b = x.unbind(0)
print(a.grad_fn is b.grad_fn, a.output_nr, b.output_nr)
c = a + b
print([(f.name(), i) for f, i in c.grad_fn.next_functions])
v, i = x.max(1)
print(v.grad_fn.name(), v.output_nr, i.grad_fn)
