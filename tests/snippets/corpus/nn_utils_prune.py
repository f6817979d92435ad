import torch
import torch.nn.utils.prune as prune
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))
module = net[0]
prune.random_unstructured(module, name="weight", amount=0.3)
print([n for n, _ in module.named_parameters()], [n for n, _ in module.named_buffers()])
print(module.weight_mask)
print(module.weight)
prune.l1_unstructured(module, name="bias", amount=1)
print(module.bias_mask, module._forward_pre_hooks is not None)
prune.ln_structured(module, name="weight", amount=0.5, n=2, dim=0)
print(module.weight_mask)
net(torch.ones(1, 4)).sum().backward()
print(module.weight_orig.grad)
print(prune.is_pruned(net), list(net.state_dict()))
prune.remove(module, "weight")
print([n for n, _ in module.named_parameters()], module.weight)
net = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))
prune.global_unstructured([(net[0], "weight"), (net[2], "weight")], pruning_method=prune.L1Unstructured, amount=0.4)
print(net[0].weight_mask, net[2].weight_mask)
prune.custom_from_mask(net[2], "bias", mask=torch.tensor([0.0, 1.0]))
print(net[2].bias)
prune.random_structured(net[2], "weight", amount=1, dim=1)
print(net[2].weight_mask)
for wrong in (-1, 1.5, "x"):
    try:
        prune.l1_unstructured(nn.Linear(2, 2), "weight", amount=wrong)
    except (ValueError, TypeError) as error:
        print(type(error).__name__, error)
try:
    prune.remove(nn.Linear(2, 2), "weight")
except ValueError as error:
    print(error)


class Every(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


layer = nn.Linear(2, 2)
Every.apply(layer, "weight")
print(layer.weight_mask)
hooks = layer._forward_pre_hooks.values()
print([each._tensor_name for each in hooks])
print(str(layer._forward_pre_hooks)[:12], len(layer._forward_pre_hooks), str(layer._buffers)[:16])
