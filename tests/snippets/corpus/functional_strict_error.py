import torch
from torch.autograd.functional import jacobian

jacobian(lambda t: torch.ones(2), torch.tensor([1.0, 2.0]), strict=True)
