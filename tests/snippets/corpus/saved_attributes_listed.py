import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
w = torch.ones(2, 2, requires_grad=True)
names = ("self", "other", "result", "mat2", "indices", "dim", "keepdim", "exponent", "self_sym_sizes", "index")
for y in (x @ w, x / w, x.relu(), x.sum(1), x.max(), x.max(1)[0], x.softmax(1), x.view(4), x[0], torch.cat([x, w])):
    print(y.grad_fn.name(), [n for n in names if hasattr(y.grad_fn, "_saved_" + n)])
