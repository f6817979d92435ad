import torch

torch.autograd.set_detect_anomaly(True)
print(torch.is_anomaly_enabled())
x = torch.tensor(-1.0, requires_grad=True)
y = torch.log(x)
print(y)
y.backward()
print(x.grad)
