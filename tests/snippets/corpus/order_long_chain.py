import torch

x = torch.tensor(1.0, requires_grad=True)
y = x
for _ in range(5000):
    y = y + 0.001
y.backward()
print(x.grad)
depth = 0
fn = y.grad_fn
while fn is not None:
    depth += 1
    fn = fn.next_functions[0][0] if fn.next_functions else None
print(depth)
