import torch
import torch.nn as nn

nn.Linear(2, 1)(torch.ones(1, 2, dtype=torch.float64))
