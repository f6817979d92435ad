import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))


def show(module, grad_input, grad_output):
    print(
        type(module).__name__, [None if g is None else tuple(g.shape) for g in grad_input], tuple(grad_output[0].shape)
    )


for m in net:
    m.register_full_backward_hook(show)
net(torch.ones(4, 2)).sum().backward()
print(net[0].weight.grad)
