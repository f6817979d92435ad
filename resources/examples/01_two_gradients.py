"""Two gradients from one backward

w * x + b is the smallest model there is. One call of backward() walks the graph from y back to the leaves and leaves a
gradient in w.grad and in b.grad. x is a constant: nobody asked for its gradient, so it has none.

Look at: AddBackward0 runs first and passes the same 1 to both sides; b is finished before the multiplication runs.
"""
import torch

x = torch.tensor(2.)
w = torch.tensor(3., requires_grad=True)
b = torch.tensor(1., requires_grad=True)

y = w * x + b
print(y)
print(x.grad, w.grad, b.grad)

y.backward()
print(x.grad)
print(w.grad)
print(b.grad)
