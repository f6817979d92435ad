import torch

x = torch.tensor(1.0, requires_grad=True)
first = x.exp()
second = x.sin()
total = first + second
first.grad_fn.register_hook(lambda gi, go: print("exp ran", go[0]))
second.grad_fn.register_hook(lambda gi, go: print("sin ran", go[0]))
total.grad_fn.register_hook(lambda gi, go: print("add ran", go[0]))
total.backward()
print(x.grad)
