import torch

p = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
opt = torch.optim.SGD([p], lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
for step in range(4):
    opt.zero_grad()
    loss = (p * (2.0 if step != 2 else float("inf"))).sum()
    scaler.scale(loss).backward()
    print(step, p.grad)
    scaler.unscale_(opt)
    torch.nn.utils.clip_grad_norm_([p], 1.0)
    scaler.step(opt)
    scaler.update()
    print(p, scaler.get_scale())
print(scaler.state_dict())
try:
    scaler.update()
except AssertionError as error:
    print(error)
