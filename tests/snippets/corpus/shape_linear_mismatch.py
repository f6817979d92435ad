import torch
import torch.nn as nn

nn.Linear(3, 2)(torch.ones(4, 2))
