import torch
import torch.nn as nn

w = torch.tensor([3.0, 4.0], requires_grad=True)
v = torch.tensor([12.0], requires_grad=True)
((w**2).sum() / 2 + (v**2).sum() / 2).backward()
norm = nn.utils.clip_grad_norm_([w, v], max_norm=1.0)
print(norm)
print(w.grad, v.grad)
nn.utils.clip_grad_value_([w, v], 0.5)
print(w.grad, v.grad)
