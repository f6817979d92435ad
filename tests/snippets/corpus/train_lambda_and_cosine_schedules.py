import torch

w = torch.zeros(1, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda e: 0.5**e)
for _ in range(3):
    opt.step()
    sched.step()
    print(sched.get_last_lr())
opt = torch.optim.SGD([w], lr=0.1)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=4)
rates = []
for _ in range(4):
    opt.step()
    sched.step()
    rates.append(round(opt.param_groups[0]["lr"], 5))
print(rates)
opt = torch.optim.SGD([w], lr=0.1)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.9)
sched.step()
