import torch

w = torch.tensor(2.5, requires_grad=True)
print(w.item(), float(w.detach()), int(w.detach()))
print(bool(torch.tensor([1])))
v = torch.tensor([1.0, 2.0])
try:
    v.item()
except RuntimeError as e:
    print(e)
try:
    float(v)
except (ValueError, TypeError, RuntimeError) as e:
    print(type(e).__name__, e)
if v:
    print("never")
