import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

import gc
import weakref

x = torch.ones(1000, requires_grad=True)
y = x * 2
z = y.sum()
kept = [weakref.ref(y), weakref.ref(z)]
z.backward()
del y, z
extra = x.detach() + 1  # the recorder may hold what the last operation gave until the next one
gc.collect()
print([each() is None for each in kept])
