import torch
from torch import nn
from copy import deepcopy

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU())
head = nn.Linear(8, 2)
model = nn.Sequential()
model.add_module("backbone", backbone)
model.add_module("head", head)
before = deepcopy(model.state_dict())
for p in model.backbone.parameters():
    p.requires_grad = False
opt = torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr=0.1, momentum=0.9)
x, y = torch.randn(16, 4), torch.randint(0, 2, (16,))
for _ in range(3):
    opt.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    opt.step()
for k, v in model.state_dict().items():
    print(f"{k:<36}", "changed" if not torch.equal(v, before[k]) else "same")
model.backbone.requires_grad_(True)
opt.add_param_group({"params": model.backbone.parameters(), "lr": 0.001})
print([g["lr"] for g in opt.param_groups], len(opt.param_groups[1]["params"]))
model.head = nn.Linear(8, 3)
nn.init.constant_(model.head.bias, 0.5)
print(model.head.bias, model)
model.backbone[1].eval()
m0 = model.backbone[1].running_mean.clone()
model(x)
print(torch.equal(m0, model.backbone[1].running_mean), [m.training for m in model.modules()])
tied = nn.ModuleDict({"enc": nn.Linear(3, 3, bias=False), "dec": nn.Linear(3, 3, bias=False)})
tied["dec"].weight = tied["enc"].weight
print(len(list(tied.parameters())), list(tied.state_dict()), len({id(p) for p in tied.parameters()}))
tied["dec"](tied["enc"](torch.ones(1, 3))).sum().backward()
print(tied["enc"].weight.grad is tied["dec"].weight.grad, tied["enc"].weight.grad.shape)
shared = nn.Linear(2, 2)
twice = nn.Sequential(shared, nn.ReLU(), shared)
print(sum(p.numel() for p in twice.parameters()), twice)
copy = deepcopy(twice)
print(copy[0] is copy[2], copy[0].weight is not twice[0].weight, torch.equal(copy[0].weight, twice[0].weight))
