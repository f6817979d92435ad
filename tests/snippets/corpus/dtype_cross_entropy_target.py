import torch
import torch.nn.functional as F

logits = torch.zeros(2, 3, requires_grad=True)
try:
    F.nll_loss(logits, torch.tensor([0.0, 1.0]))
except RuntimeError as e:
    print(e)
try:
    F.cross_entropy(logits, torch.tensor([0, 5]))
except IndexError as e:
    print(e)
F.cross_entropy(logits, torch.tensor([0, 1, 2]))
