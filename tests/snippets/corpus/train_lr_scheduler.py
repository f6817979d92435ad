import torch

w = torch.ones(1, requires_grad=True)
opt = torch.optim.SGD([w], lr=1.0)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=2, gamma=0.1)
for epoch in range(6):
    opt.zero_grad()
    (w * 0.5).sum().backward()
    opt.step()
    sched.step()
    print(epoch, opt.param_groups[0]["lr"], sched.get_last_lr(), w.item())
