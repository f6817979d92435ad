import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
acc = y.grad_fn.next_functions[0][0]
print(type(acc).__name__, acc.name())
print(acc.variable is x)
print(acc.next_functions)
z = x * 3
print(z.grad_fn.next_functions[0][0] is acc)
print(y.grad_fn.next_functions[1])
