import torch
from torch.autograd import Variable

x = Variable(torch.ones(2, 2), requires_grad=True)
y = x + 2
z = y * y * 3
out = z.mean()
print(x)
out.backward()
print(x.grad)
print(x.data, type(x))
print(isinstance(x, Variable), isinstance(torch.ones(1), Variable))
