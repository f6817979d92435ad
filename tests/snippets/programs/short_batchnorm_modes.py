import torch
from torch import nn

torch.manual_seed(0)
bn = nn.BatchNorm1d(2, momentum=0.5)
x = torch.tensor([[1.0, 10.0], [3.0, 30.0]])
print(bn(x), bn.running_mean, bn.running_var, bn.num_batches_tracked)
bn.eval()
print(bn(x))
drop = nn.Dropout(0.5)
print(drop.train()(torch.ones(6)), drop.eval()(torch.ones(6)))
ln = nn.LayerNorm(2)
print(ln(x), [n for n, _ in ln.named_parameters()])
