import torch, torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
for p in net[0].parameters():
    p.requires_grad = False
opt = torch.optim.SGD(filter(lambda p: p.requires_grad, net.parameters()), lr=0.1)
before = net[0].weight.clone()
for _ in range(3):
    opt.zero_grad()
    net(torch.ones(1, 2)).sum().backward()
    opt.step()
print(torch.equal(before, net[0].weight), net[2].weight, sum(p.numel() for p in net.parameters() if p.requires_grad))
print([n for n, p in net.named_parameters() if p.requires_grad], net[0].weight.grad)
net.requires_grad_(True)
print(net[0].weight.requires_grad, net.training, net.eval().training)
ema = [p.clone().detach() for p in net.parameters()]
for e, p in zip(ema, net.parameters()):
    e.mul_(0.9).add_(p.data, alpha=0.1)
print(torch.nn.utils.parameters_to_vector(net.parameters()).shape)
total = torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1)
print(total)
torch.nn.utils.clip_grad_value_(net.parameters(), 0.01)
print(net[2].bias.grad)
