import torch

x = torch.tensor([0., 1.], requires_grad=True)
with torch.autograd.detect_anomaly():
    y = torch.sqrt(x) * 0
    y.sum().backward()
