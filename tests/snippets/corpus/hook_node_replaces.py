import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**2
y.grad_fn.register_prehook(lambda go: (go[0] * 2,))
y.grad_fn.register_hook(lambda gi, go: (gi[0] + 100,))
y.backward()
print(x.grad)
