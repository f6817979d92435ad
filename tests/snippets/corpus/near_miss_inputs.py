import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
h = a * b
out = h**2
out.backward(inputs=[a], retain_graph=True)
print(a.grad, b.grad)
h.retain_grad()
a.grad = None
out.backward(inputs=[h], retain_graph=True)
print(h.grad, a.grad)
try:
    out.backward(inputs=[])
except RuntimeError as e:
    print(type(e).__name__, e)
