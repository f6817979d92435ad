import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
for param in backbone.parameters():
    param.requires_grad = False
model = nn.Sequential(backbone, nn.Linear(8, 2))
params_to_update = [(n, p) for n, p in model.named_parameters() if p.requires_grad is True]
for n, _ in params_to_update:
    print("\t", n)
opt = torch.optim.SGD([p for _, p in params_to_update], lr=0.1)
before = backbone[0].weight.clone()
model(torch.ones(1, 4)).sum().backward()
opt.step()
print(torch.equal(before, backbone[0].weight), backbone[0].weight.grad, model[1].weight.grad.shape)
total = sum(p.numel() for p in model.parameters())
trainable = sum(p.numel() for p in model.parameters() if p.requires_grad)
print(f"{total:,} total, {trainable:,} trainable ({trainable / total:.1%})")
