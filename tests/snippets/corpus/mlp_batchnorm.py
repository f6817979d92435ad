import torch
import torch.nn as nn

bn = nn.BatchNorm1d(2)
x = torch.tensor([[1.0, 10.0], [3.0, 30.0], [5.0, 20.0]], requires_grad=True)
y = bn(x)
print(y)
y[0].sum().backward()
print(x.grad)
print(bn.running_mean, bn.running_var, bn.num_batches_tracked)
bn.eval()
print(bn(x))
