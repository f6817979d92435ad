import torch
import torch.nn as nn
import torch.nn.parallel

torch.backends.cudnn.benchmark = True
model = nn.Linear(2, 1)
with torch.no_grad():
    model.weight.fill_(2.0)
    model.bias.fill_(1.0)
wrapped = torch.nn.parallel.DataParallel(model)
print(wrapped(torch.ones(1, 2)), wrapped.module is model, list(wrapped.state_dict()))
print(torch.nn.parallel.DataParallel is nn.DataParallel, nn.parallel.DataParallel is nn.DataParallel)
