import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
net[2].register_backward_hook(lambda m, gi, go: print(len(gi), go[0].shape))
h = net.register_forward_pre_hook(lambda m, i: print("pre", len(i)))
x = torch.randn(5, 3)
net(x).sum().backward()
h.remove()
grads = {}


def save_grad(name):
    def hook(grad):
        grads[name] = grad

    return hook


x = torch.randn(1, 1, requires_grad=True)
y = 3 * x
z = y**2
y.register_hook(save_grad("y"))
z.sum().backward()
print(grads["y"])
v = torch.tensor([0.0, 0.0, 0.0], requires_grad=True)
h = v.register_hook(lambda grad: grad * 2)
v.backward(torch.tensor([1.0, 2.0, 3.0]))
print(v.grad)
h.remove()
