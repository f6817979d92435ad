import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(3):
    loss = (w * w).sum()
    loss.backward()
    w.data -= 0.1 * w.grad.data
    w.grad.data.zero_()
frozen = loss.detach() + w.detach().sum()
v = w.detach().clone().requires_grad_()
(v * 3).sum().backward()
print(w.tolist(), frozen.item().hex(), v.grad.tolist(), torch.inference_mode().__class__.__name__)
with torch.inference_mode():
    print((w * 2).sum().item())
