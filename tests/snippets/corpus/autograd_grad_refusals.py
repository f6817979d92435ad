import torch

x = torch.randn(3, requires_grad=True)
y = x * 2
print(torch.autograd.grad(y.sum(), [x]))
try:
    torch.autograd.grad(y, [x])
except RuntimeError as e:
    print(e)
try:
    torch.autograd.grad(y.sum(), [])
except Exception as e:
    print(type(e).__name__, e)
try:
    torch.autograd.grad([], [x])
except Exception as e:
    print(type(e).__name__, e)
z = torch.randn(2, requires_grad=True)
try:
    torch.autograd.grad((x * 2).sum(), [x, z])
except RuntimeError as e:
    print(e)
print(torch.autograd.grad((x * 2).sum(), [x, z], allow_unused=True))
print(torch.autograd.grad((x * 2).sum(), [x, z], materialize_grads=True))
try:
    torch.autograd.grad((x * 2).sum(), [x, z], allow_unused=False, materialize_grads=True)
except ValueError as e:
    print(e)
try:
    torch.autograd.grad((x * 2).sum(), torch.ones(2))
except RuntimeError as e:
    print(e)
try:
    torch.autograd.grad((x * 2).sum(), x, only_inputs=False)
except Exception as e:
    print(type(e).__name__, e)
try:
    (x * 2).sum().backward(inputs=[])
except RuntimeError as e:
    print(e)
try:
    (x * 2).sum().backward(inputs=[torch.ones(2)])
except RuntimeError as e:
    print(e)
torch.autograd.backward([x.sum(), (x**2).sum()])
print(x.grad.shape)
try:
    torch.autograd.backward([x.sum(), (x * 2)], [None, None])
except RuntimeError as e:
    print(e)
try:
    torch.autograd.backward([x.sum()], [torch.ones(()), torch.ones(())])
except RuntimeError as e:
    print(e)
try:
    (x * 2).backward(torch.ones(2))
except RuntimeError as e:
    print(e)
try:
    (x * 2).backward([1, 2, 3])
except Exception as e:
    print(type(e).__name__, e)
try:
    x.sum().backward(torch.ones((), dtype=torch.double))
except Exception as e:
    print(type(e).__name__, e)
