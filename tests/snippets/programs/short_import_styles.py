import torch as t
import torch.nn as nn, torch.optim as optim
import torch.nn.functional as F
from torch.nn import Linear, ReLU, Sequential, Module, Parameter, init
from torch.optim import SGD, Adam
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import Dataset, DataLoader, TensorDataset
from torch.autograd import Variable, Function, grad
from torch import Tensor, tensor, randn, manual_seed, cuda, device
import torch.utils.data as data
import torch.nn.utils as utils
import numpy as np
from numpy import array, linspace
from math import (
    pi,
    sqrt as root,
)

print(
    t.ones(1),
    nn.Linear is Linear,
    F.relu(tensor(-1.0)),
    root(4),
    pi,
    data.DataLoader is DataLoader,
    array([1]),
    optim.SGD is SGD,
    utils.clip_grad_norm_.__name__,
)
import torch

print(torch.nn is nn, torch.optim.Adam is Adam, torch.Tensor is Tensor, t is torch)
