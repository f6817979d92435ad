import torch
import torch.nn as nn

conv = nn.Conv2d(3, 8, 3)
conv(torch.zeros(1, 1, 8, 8))
