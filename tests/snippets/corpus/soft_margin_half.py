"""soft_margin_loss of half types rounds after each step, so that a large exponential overflows."""

import torch
import torch.nn.functional as F

x = torch.tensor([-13.0, 2.5, 0.25, -1.0, 4.0])
y = torch.tensor([1.0, -1.0, 1.0, -1.0, 1.0])
for dtype in (torch.float16, torch.bfloat16, torch.float32):
    print(F.soft_margin_loss(x.to(dtype), y.to(dtype)), F.soft_margin_loss(x.to(dtype), y.to(dtype), reduction="none"))
