import torch

w = torch.ones(2, 2, requires_grad=True)
h = torch.ones(1, 2)
for _ in range(3):
    h = torch.relu(h @ w)
seen, stack = set(), [h.sum().grad_fn]
count = {}
while stack:
    fn = stack.pop()
    if fn is None or fn in seen:
        continue
    seen.add(fn)
    count[type(fn).__name__] = count.get(type(fn).__name__, 0) + 1
    stack.extend(f for f, _ in fn.next_functions)
for name in sorted(count):
    print(name, count[name])
