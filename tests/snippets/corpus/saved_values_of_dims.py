import torch

x = torch.arange(6.0, requires_grad=True).reshape(2, 3)
s = x.sum(1, keepdim=True)
print(s.grad_fn._saved_dim, s.grad_fn._saved_keepdim, s.grad_fn._saved_self_sym_sizes)
m = x.mean()
print(m.grad_fn._saved_self_sym_numel)
t = x.transpose(0, 1)
print(t.grad_fn._saved_dim0, t.grad_fn._saved_dim1)
c = x.clamp(1, 3)
print(c.grad_fn._saved_min, c.grad_fn._saved_max)
sel = x.select(1, -1)
print(sel.grad_fn._saved_dim, sel.grad_fn._saved_index)
