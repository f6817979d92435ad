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

small = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Dropout(0.5), nn.Linear(2, 1))


def doubled(module, grad_input, grad_output):
    return tuple(g * 2 for g in grad_input if g is not None)


small[1].register_full_backward_hook(doubled)
small[3].register_full_backward_pre_hook(lambda module, sent: (sent[0].clamp(-0.1, 0.1),))
row = torch.tensor([[1., 2.]])
score = small(row).sum()
score.grad_fn.register_prehook(lambda grads: (grads[0] * 2,))
score.grad_fn.register_hook(lambda sent, given: (sent[0] * 10,))
small[0].bias.register_post_accumulate_grad_hook(lambda p: None)
score.backward()

w = torch.tensor([1., 2., 3.], requires_grad=True)
filled = torch.zeros(4)
filled[1:] = w
table = w * 1
table[1:].add_(3)
edge = torch.autograd.graph.get_gradient_edge(w * 2)
torch.autograd.backward(edge, w.detach())
written = (filled.pow(2).sum() + torch.stack([table, w]).sum()) * torch.tensor(2.)
written.backward()
