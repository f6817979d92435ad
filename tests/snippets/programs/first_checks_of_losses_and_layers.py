"""What losses, layers and helpers of training refuse first, and what they leave behind after a refusal."""

import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils import prune
from torch.utils.checkpoint import checkpoint_sequential

torch.manual_seed(0)


def tell(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


# ctc_loss
logs = torch.randn(5, 2, 3).log_softmax(2)
targets = torch.tensor([[1, 2], [1, 1]])
fives, twos = torch.tensor([5, 5]), torch.tensor([2, 2])
tell(lambda: F.ctc_loss(logs > 0.5, targets, fives.float(), twos))
tell(lambda: F.ctc_loss(logs > 0.5, targets, fives, twos.half()))
tell(lambda: F.ctc_loss(logs > 0.5, targets, fives, twos))
tell(lambda: F.ctc_loss(logs, targets[:1], fives, twos))
tell(lambda: F.ctc_loss(logs[:, 0], targets, fives[:1], twos[:1]))
tell(lambda: F.ctc_loss(logs, targets.flatten()[:3], fives, twos))
tell(lambda: F.ctc_loss(logs, targets.flatten(), fives, twos))
tell(lambda: F.ctc_loss(logs[0, 0], targets[0], fives[0], twos[0]))
tell(lambda: F.ctc_loss(logs[:, 0], targets[0], fives[0], twos[0]))
tell(lambda: F.ctc_loss(logs, targets, fives + 1, twos))
tell(lambda: F.ctc_loss(logs, targets[:, :1], fives, twos))

# kl_div warns before it looks at its operands
for given in (1, None, torch.tensor([1, 2])):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        tell(lambda given=given: nn.KLDivLoss()(torch.zeros(2), given))
        print([str(each.message)[:40] for each in heard])
tell(lambda: F.kl_div(torch.rand(2), 1, reduction="x"))
tell(lambda: F.kl_div(torch.rand(2), torch.tensor([1, 2]), torch.ones(2)))

# convolutions look at their groups first
for dims, convolve in ((1, F.conv1d), (2, F.conv2d), (3, F.conv3d)):
    x, w = torch.ones(1, 2, *[3] * dims), torch.ones(2, 2, *[2] * dims)
    tell(lambda convolve=convolve, x=x, w=w: convolve(x, w, groups=0, padding=-1))
    tell(lambda convolve=convolve, x=x, w=w: convolve(x[0, 0], w, groups=0))
    tell(lambda convolve=convolve, x=x, w=w: convolve(x, w[0], stride=0, groups=0))
    tell(lambda convolve=convolve, x=x, w=w: convolve(x, w, groups=-1, stride=0))
tell(lambda: F.conv_transpose1d(torch.ones(1, 2, 3), torch.ones(2, 2, 2), groups=0, padding=-1))

# RMSNorm of what is laid out by columns
columns = torch.rand(3, 2).t()
for weight in (None, torch.ones(3)):
    print(F.rms_norm(columns, (3,), weight), F.rms_norm(columns, (3,), weight).stride())
found = F.rms_norm(torch.rand(3, 2).t().requires_grad_(), (3,))
print(found.stride(), found.grad_fn.name(), F.rms_norm(torch.rand(2, 3).requires_grad_(), (3,)).grad_fn.name())
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    print(F.rms_norm(torch.ones(2, 3).half(), (3,), torch.ones(3)).dtype)
    print(F.rms_norm(torch.ones(2, 3).double(), (3,), torch.ones(3)).dtype)
    print([str(each.message)[:110] for each in heard])

# numbers where a flag is meant
loss = (torch.ones(2, requires_grad=True) * 2).sum()
for flag in ("a", [], 1.5, torch.ones(2), torch.ones(1)):
    tell(lambda flag=flag: loss.backward(retain_graph=flag))
    tell(lambda flag=flag: torch.autograd.grad(loss, loss, retain_graph=flag))
tell(lambda: loss.backward(retain_graph=1))
tell(lambda: torch.rsub(torch.ones(2), 1, 2))
tell(lambda: torch.rsub(torch.ones(2), torch.ones(2), 2))

# pruning that fails leaves the parameter as it was
layer = nn.Linear(2, 3)
held = layer.weight
tell(lambda: prune.l1_unstructured(layer, "weight", 70))
print(list(layer.state_dict()), layer.weight is held, prune.is_pruned(layer))
prune.l1_unstructured(layer, "weight", 2)
tell(lambda: prune.l1_unstructured(layer, "weight", 70))
print(list(layer.state_dict()), prune.is_pruned(layer), layer.weight_mask.sum())

# the arguments that a hook hands on
two = nn.Sequential(nn.Linear(1, 1), nn.ReLU())
two[1].register_forward_pre_hook(lambda module, given: (given[0], 3))
tell(lambda: two(torch.ones(1)))
two[1].register_forward_pre_hook(lambda module, given: ())
tell(lambda: two(torch.ones(1)))

tell(lambda: checkpoint_sequential(3, 2, torch.ones(1), use_reentrant=False))
tell(lambda: checkpoint_sequential([torch.sin, torch.cos], 2, torch.ones(1), use_reentrant=False))

# restored state is the state that was given
weight = torch.ones(2, requires_grad=True)
first = torch.optim.Adam([weight], 0.1)
weight.sum().backward()
first.step()
saved = first.state_dict()
second = torch.optim.Adam([torch.zeros(2, requires_grad=True)])
second.load_state_dict(saved)
kept = second.state_dict()["state"][0]
print(kept["exp_avg"] is saved["state"][0]["exp_avg"], kept["step"] is saved["state"][0]["step"])
first.step()
print(kept["exp_avg"], first.state_dict()["state"][0]["exp_avg"])
third = torch.optim.Adam([torch.zeros(2, dtype=torch.double, requires_grad=True)])
third.load_state_dict(saved)
print(third.state_dict()["state"][0]["exp_avg"], third.state_dict()["state"][0]["step"])

for counts in (dict(epochs=0, steps_per_epoch=1), dict(epochs=1, steps_per_epoch=-1), dict(epochs=1.5, steps_per_epoch=2)):
    tell(lambda counts=counts: torch.optim.lr_scheduler.OneCycleLR(first, 1.0, **counts))
for total in (0, -2, 2.5):
    tell(lambda total=total: torch.optim.lr_scheduler.OneCycleLR(first, 1.0, total_steps=total))

# a row beyond the table that gets no gradient is looked for in F.embedding only
table = torch.arange(6.0).view(3, 2).requires_grad_()
for row in (-2, 1, 5):
    tell(lambda row=row: torch.embedding(table, torch.tensor([0, 1, 1]), row).grad_fn._saved_padding_idx)
    tell(lambda row=row: F.embedding(torch.tensor([0, 1, 1]), table, row))
torch.embedding(table, torch.tensor([0, 1, 1]), 1).sum().backward()
print(table.grad)
