import torch
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_avg_fn, get_ema_multi_avg_fn, update_bn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.ReLU(), nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
averaged = AveragedModel(model)
ema = AveragedModel(model, avg_fn=get_ema_avg_fn(0.9), use_buffers=True)
multi = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
schedule = SWALR(optimizer, swa_lr=0.05, anneal_epochs=3)
x, y = torch.randn(8, 2), torch.randn(8, 1)
for epoch in range(5):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    averaged.update_parameters(model)
    ema.update_parameters(model)
    multi.update_parameters(model)
    schedule.step()
    print(epoch, f"{loss.item():.4f}", schedule.get_last_lr(), averaged.n_averaged)
update_bn([(x, y)], averaged)
print(averaged(x).mean().item() == averaged.module(x).mean().item(), averaged.module[1].running_mean)
print(ema.module[0].weight)
print(multi.module[0].weight)
print(list(averaged.state_dict()))
print(type(averaged), type(optimizer))
try:
    AveragedModel(model, avg_fn=get_ema_avg_fn(), multi_avg_fn=get_ema_multi_avg_fn())
except AssertionError as error:
    print(error)
