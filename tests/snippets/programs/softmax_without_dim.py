"""PyTorch warns once for each line that lets softmax, log_softmax or softmin choose the dimension, and once for all
modules that do."""

import warnings

import torch
import torch.nn.functional as F
from torch import nn

x = torch.tensor([[1.0, 2.0], [3.0, 5.0]])


class Net(nn.Module):
    def forward(self, x):
        return F.softmax(x)


with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    for made in (F.softmax(x), F.log_softmax(x), F.softmin(x), nn.Softmax()(x), nn.LogSoftmax()(x), nn.Softmin()(x)):
        print(made)
    print(Net()(x), F.softmin(x, 1), F.softmax(torch.ones(2)))
print(len(said))
for each in said:
    print(each.category.__name__, each.message)
F.softmax(x)
F.softmin(x)
