import torch
import torch.nn as nn

nn.MSELoss()(torch.ones(3), torch.ones(2))
