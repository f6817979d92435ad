import torch
import torch.nn as nn

torch.manual_seed(0)
a = torch.tensor(2., requires_grad=True)
b = a * 3
b.retain_grad()
c = b ** 2
c.backward()
print(b.grad)
backbone = nn.Sequential(nn.Linear(4, 2), nn.ReLU())
head = nn.Linear(2, 2)
model = nn.Sequential(backbone, head)
x = torch.ones(1, 4)
out = model(x)
loss = out.sum()
loss.backward()
features = backbone(x)


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t)
        return t ** 3

    @staticmethod
    def backward(ctx, grad):
        t, = ctx.saved_tensors
        return grad * 3 * t ** 2


v = torch.tensor([1., 2.], requires_grad=True)
cubes = Cube.apply(v)
total = cubes.sum()
total.backward()
norm = v.grad.abs().max()
