import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
x = torch.ones(1, 2)
net.eval()
out = net(x)
print(out.requires_grad, net.training)
with torch.no_grad():
    out = net(x)
print(out.requires_grad)
with torch.inference_mode():
    out = net(x)
print(out.requires_grad, out.is_inference())
w = torch.ones(2, requires_grad=True)
(out * w).sum().backward()
