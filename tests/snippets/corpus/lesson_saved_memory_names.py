import torch
import torch.nn.functional as F

x = torch.randn(2, 3, generator=torch.Generator().manual_seed(1), requires_grad=True)
w = torch.ones(4, 3, requires_grad=True)
b = torch.zeros(4, requires_grad=True)
y = F.linear(x, w, b)
print(y.grad_fn.name(), y.grad_fn._saved_mat1 is x, y.grad_fn._saved_mat2.shape)
s = y.softmax(1)
print(s.grad_fn._saved_result.equal(s), s.grad_fn._saved_dim)
l = F.cross_entropy(y, torch.tensor([0, 1]))
n = l.grad_fn
print(n.name(), n._saved_target, n._saved_reduction, n._saved_total_weight)
print(n.next_functions[0][0].name())
