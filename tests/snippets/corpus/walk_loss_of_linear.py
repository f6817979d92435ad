import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
loss = nn.MSELoss()(net(torch.ones(2, 3)), torch.zeros(2, 1))
print(loss.grad_fn)
print(loss.grad_fn.next_functions[0][0])
print(loss.grad_fn.next_functions[0][0].next_functions)
for fn, i in loss.grad_fn.next_functions[0][0].next_functions:
    print(type(fn).__name__, i)
