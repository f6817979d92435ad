import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
h = x * x
y = h.sum()
y.backward(retain_graph=True)
print(x.grad)
y.backward()
print(x.grad)
print(h.grad_fn)
try:
    y.backward()
except RuntimeError as e:
    print("third time:", e)
