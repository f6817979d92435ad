import torch

x = torch.tensor([2.0, 2.0, 2.0], requires_grad=True)
y = x * 2
v = torch.tensor([0.1, 1, 10])
y.backward(v, retain_graph=True)
print(x.grad)
y.backward(v)
print(x.grad)
x.grad.zero_()
print(x.grad)
y = x * 2
y.backward(v)
print(x.grad)
y.backward(v)
print("not reached")
