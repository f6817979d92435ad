import math
import torch

w = torch.tensor(0.5, requires_grad=True)
print(math.sin(w))
print(float(w), int(w))
