import torch

x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
w = torch.ones(2, 2, requires_grad=True)
for y in (x @ w, x / w, x.relu(), x.sum(1), x.max(), x.max(1)[0], x.softmax(1), x.view(4), x[0], torch.cat([x, w])):
    names = [n for n in dir(y.grad_fn) if n.startswith("_saved_")]
    print(y.grad_fn.name(), names)
