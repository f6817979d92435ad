import torch
import torch.nn.functional as F

torch.manual_seed(3)
x = torch.ones(2, 4, requires_grad=True)
y = F.dropout(x * 2, p=0.25)
print(y)
print(y.grad_fn.name(), y.grad_fn.next_functions[0][0].name())
y.sum().backward()
print(x.grad)
print(F.dropout(x, p=0.25, training=False) is x)
