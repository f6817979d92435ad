import torch
import torch.nn as nn
from collections import OrderedDict


def summary(model, input_size):
    rows = OrderedDict()
    hooks = []

    def register(module):
        def hook(module, inp, out):
            cls = str(module.__class__).split(".")[-1].split("'")[0]
            key = "%s-%i" % (cls, len(rows) + 1)
            rows[key] = OrderedDict()
            rows[key]["output_shape"] = [-1] + list(out.size())[1:]
            n = 0
            if hasattr(module, "weight") and hasattr(module.weight, "size"):
                n += torch.prod(torch.LongTensor(list(module.weight.size())))
                rows[key]["trainable"] = module.weight.requires_grad
            if hasattr(module, "bias") and hasattr(module.bias, "size"):
                n += torch.prod(torch.LongTensor(list(module.bias.size())))
            rows[key]["nb_params"] = n

        if not isinstance(module, nn.Sequential) and not isinstance(module, nn.ModuleList) and not (module == model):
            hooks.append(module.register_forward_hook(hook))

    model.apply(register)
    model(torch.rand(2, *input_size))
    for h in hooks:
        h.remove()
    print("-" * 64)
    print("{:>20}  {:>25} {:>15}".format("Layer (type)", "Output Shape", "Param #"))
    print("=" * 64)
    total = 0
    for layer in rows:
        print(
            "{:>20}  {:>25} {:>15}".format(
                layer, str(rows[layer]["output_shape"]), "{0:,}".format(rows[layer]["nb_params"])
            )
        )
        total += rows[layer]["nb_params"]
    print("Total params: {0:,}".format(total))
    print("Total (MB): %0.4f" % (total * 4.0 / (1024**2)))


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2)
        )
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(16 * 4 * 4, 120), nn.ReLU(), nn.Linear(120, 10))

    def forward(self, x):
        return self.classifier(self.features(x))


net = LeNet()
summary(net, (1, 28, 28))
for name, p in net.named_parameters():
    print(f"{name:<25}{str(tuple(p.shape)):<20}{p.numel():>8,}{p.requires_grad!s:>6}")
print(sum(p.numel() for p in net.parameters()), sum(p.numel() for p in net.parameters() if p.requires_grad))
for n, m in net.named_modules():
    print(repr(n), m._get_name(), len(list(m.children())))
for i, m in enumerate(net.modules()):
    print(i, "->", m)
print({k: tuple(v.shape) for k, v in net.state_dict().items()})
print(net.features[0].weight.dtype, net.features[0].kernel_size, net.features[0].stride, net.classifier[1].in_features)
print([type(m).__name__ for m in net.features], net.features[-1], net.features[:2])
print(sum(t.element_size() * t.nelement() for t in net.parameters()))
