import torch

x = torch.tensor([-1.0, 4.0], requires_grad=True)
try:
    with torch.autograd.detect_anomaly(check_nan=True):
        y = torch.sqrt(x)
        y.sum().backward()
except RuntimeError as e:
    print(e)
with torch.autograd.set_detect_anomaly(False):
    y = torch.sqrt(x).sum()
    y.backward()
    print(x.grad)
torch.autograd.set_detect_anomaly(True)
print(torch.is_anomaly_enabled())
try:
    z = (x * 0) / 0
    z.sum().backward()
except RuntimeError as e:
    print(e)
torch.autograd.set_detect_anomaly(False)
print(torch.is_anomaly_enabled())
p = torch.tensor(0.0, requires_grad=True)
q = torch.where(p > 0, p.log(), torch.zeros_like(p))
q.backward()
print(p.grad)
r = torch.tensor(0.0, requires_grad=True)
s = r.norm()
s.backward()
print(r.grad, torch.isnan(r.grad).any(), torch.nan_to_num(torch.tensor([float("nan"), 1.0])))
