"""The order in which leaves get their gradients, how often memory counts as written, what a node and the context of a
custom Function let one read and set, hooks of all modules for what is registered, and warnings of schedulers."""

import torch
from torch import nn
from torch.nn.modules import module as modules
from torch.optim import lr_scheduler

# --- many leaves that become ready at once: a heap decides which of them goes first ---
leaves = [torch.tensor(float(i), requires_grad=True) for i in range(9)]
order = []
for i, leaf in enumerate(leaves):
    leaf.register_post_accumulate_grad_hook(lambda t, i=i: order.append(i))
for n in (2, 3, 4, 6, 9):
    order.clear()
    torch.stack(leaves[:n]).sum().backward()
    print(n, order)
    order.clear()
    torch.autograd.backward(leaves[:n])
    print(n, order)
order.clear()
torch.stack([(leaf * 2).sin() if i % 2 else leaf for i, leaf in enumerate(leaves)]).sum().backward()
print(order)

# --- the version of a gradient ---
weight = torch.ones(2, 2, requires_grad=True)
for loss in (
    lambda: weight.sum(),
    lambda: (weight * 2).sum(),
    lambda: weight.view(4).mul(2).sum(),
    lambda: weight.mean(),
):
    weight.grad = None
    loss().backward()
    first = weight.grad._version
    loss().backward()
    print(first, weight.grad._version)
weight.grad = None
(weight * weight).sum().backward(create_graph=True)
print(weight.grad._version)
moved = torch.ones(3, requires_grad=True)
moved.sum().backward()
grad = moved.grad
moved.data = torch.ones(2)
try:
    moved.sum().backward()
except RuntimeError as error:
    print(error)
print(grad)

# --- what a node shows ---
x = torch.ones(2, 3, requires_grad=True)
for made in (x.std(), x.std(0), x.std(unbiased=False), x.var(correction=0), torch.var_mean(x)[0], x.std(dim=None)):
    node = made.grad_fn
    print(node.name(), node._saved_correction, node._saved_dim)
for made in (x / 2, torch.div(x, x, rounding_mode=None), torch.div(x, x, rounding_mode="floor")):
    node = made.grad_fn
    print(node.name(), [name for name in dir(node) if "saved" in name], getattr(node, "_saved_rounding_mode", "-"))
torch.div(x, x * 2, rounding_mode=None).sum().backward()
print(x.grad)


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        print("kept", inputs[0].requires_grad, ctx.needs_input_grad)
        ctx.save_for_backward(inputs[0])

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2


made = Cube.apply(x)
node = made.grad_fn
print(node.to_save, node.dirty_tensors, node.non_differentiable, node.saved_for_forward)
try:
    print(node.materialize_grads)
except AttributeError as error:
    print(error)
print(torch.func.grad(Cube.apply)(torch.tensor(2.0)))
print(torch.func.grad(torch.func.grad(Cube.apply))(torch.tensor(2.0)))

# --- hooks for everything that is registered ---
handles = [
    modules.register_module_parameter_registration_hook(lambda m, name, p: print("parameter", type(m).__name__, name)),
    modules.register_module_module_registration_hook(lambda m, name, s: print("module", type(m).__name__, name)),
    modules.register_module_buffer_registration_hook(lambda m, name, b: print("buffer", type(m).__name__, name)),
]
net = nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1))
net.extra = nn.ReLU()
for handle in handles:
    handle.remove()
nn.Linear(1, 1)


class Unfinished(nn.Module):
    def __init__(self):
        self.size = 3

    def forward(self, x):
        return x


try:
    Unfinished()(1)
except AttributeError as error:
    print(error)

# --- schedulers ---
p = nn.Parameter(torch.ones(1))
optimizer = torch.optim.SGD([p], lr=1.0)
optimizer.step()
scheduler = lr_scheduler.StepLR(optimizer, 1)
scheduler.step()
optimizer = torch.optim.SGD([p], lr=1.0)
scheduler = lr_scheduler.StepLR(optimizer, 1)
optimizer.step = lambda: None
optimizer.step()
scheduler.step()
torch.autograd.Variable(torch.ones(1), volatile=True)
for on, check in ((True, False), (False, True)):
    torch.autograd.set_detect_anomaly(on, check)
    print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
