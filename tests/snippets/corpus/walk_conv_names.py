import torch
import torch.nn.functional as F

x = torch.ones(1, 1, 4, 4)
w = torch.ones(2, 1, 3, 3, requires_grad=True)
names = []
y = F.relu(F.conv2d(x, w)).flatten(1).mean()
fn = y.grad_fn
while fn is not None:
    names.append(type(fn).__name__)
    nxt = [f for f, _ in fn.next_functions if f is not None]
    fn = nxt[0] if nxt else None
print(names)
