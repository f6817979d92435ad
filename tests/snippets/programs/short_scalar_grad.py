import torch

x = torch.tensor(3.0, requires_grad=True)
y = x**2 + 2 * x + 1
y.backward()
print(f"dy/dx at x={x.item()}: {x.grad.item()}")
assert x.grad == 8, "should be 2x + 2"
