import torch
import torch.nn as nn
import torch.nn.functional as F

x = torch.tensor([[0.2, 0.8], [1.5, -0.5]], requires_grad=True)
t = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
cls = torch.tensor([1, 0])
print(nn.MSELoss()(x, t), nn.L1Loss()(x, t), nn.SmoothL1Loss()(x, t))
print(F.cross_entropy(x, cls), F.nll_loss(F.log_softmax(x, 1), cls))
print(F.binary_cross_entropy_with_logits(x, t))
print(F.binary_cross_entropy(torch.sigmoid(x), t))
print(F.mse_loss(x, t, reduction="none"), F.mse_loss(x, t, reduction="sum"))
print(F.kl_div(F.log_softmax(x, 1), F.softmax(t, 1), reduction="batchmean"))
print(F.cross_entropy(x, cls, label_smoothing=0.1), F.cross_entropy(x, t))
