import torch

w = torch.zeros(1, requires_grad=True)
opt = torch.optim.SGD([w], lr=1.0)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=1, factor=0.1)
for loss in (1.0, 0.9, 0.95, 0.93, 0.92, 0.5):
    opt.step()
    sched.step(loss)
    print(loss, round(opt.param_groups[0]["lr"], 6))
