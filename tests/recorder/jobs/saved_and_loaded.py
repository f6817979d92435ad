import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

import io

net = nn.Linear(3, 2)
opt = torch.optim.Adam(net.parameters())
net(torch.ones(1, 3)).sum().backward()
opt.step()
file = io.BytesIO()
torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "whole": net}, file)
print(len(file.getvalue()), b"gradviz" in file.getvalue())
file.seek(0)
found = torch.load(file, weights_only=False)
net.load_state_dict(found["net"])
opt.load_state_dict(found["opt"])
net(torch.ones(1, 3)).sum().backward()
opt.step()
print(net.weight.sum().item().hex())
