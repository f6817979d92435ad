import torch
from torch import nn
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
)

net = nn.Sequential(nn.Linear(2, 2, bias=False), nn.ReLU())
with torch.no_grad():
    net[0].weight.fill_(0.5)
handles = [
    register_module_forward_pre_hook(lambda m, a: print("before", type(m).__name__)),
    register_module_forward_hook(lambda m, a, out: print("after", type(m).__name__, out)),
    register_module_full_backward_hook(lambda m, gi, go: print("back", type(m).__name__, gi, go)),
]
net[0].register_forward_hook(lambda m, a, out: print("own"))
x = torch.ones(1, 2, requires_grad=True)
net(x).sum().backward()
for handle in handles:
    handle.remove()
net(x)
print(net.cpu() is net, net.share_memory() is net)
net.compile()
net.set_submodule("1", nn.Tanh())
print(net)
try:
    net.set_submodule("7.x", nn.Tanh())
except AttributeError as error:
    print(error)
try:
    net.cuda()
except AssertionError as error:
    print(error)
print([p.shape for p in net.to_empty(device="cpu").parameters()])
