import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

for kind in (torch.float64, torch.float16, torch.bfloat16, torch.complex64):
    x = torch.ones(3, dtype=kind, requires_grad=True)
    (x * x).sum().abs().backward()
    print(kind, x.grad.tolist())
q = torch.zeros(2, dtype=torch.float8_e4m3fn)
print((torch.randint(0, 9, (3,)) + 1).tolist(), q.dtype, torch.ones(2, dtype=torch.uint16).tolist())
