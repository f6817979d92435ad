"""Arguments that layers, optimizers, loaders and factories do not take, and who says so."""

import torch
from torch import nn


def show(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


LAYERS = """
Conv1d Conv2d ConvTranspose2d MaxPool1d MaxPool2d AvgPool2d AdaptiveAvgPool2d AdaptiveMaxPool1d LPPool2d
Linear Bilinear BatchNorm2d InstanceNorm1d LayerNorm GroupNorm Embedding LSTM GRUCell ZeroPad2d
ReflectionPad1d ConstantPad3d Unfold LazyConv2d LazyBatchNorm1d LazyLinear MaxUnpool2d Upsample Flatten
Unflatten
""".split()
for name in LAYERS:
    show(lambda name=name: getattr(nn, name)())
for name in (
    "Dropout",
    "Dropout2d",
    "AlphaDropout",
    "ReLU",
    "SiLU",
    "Softmax",
    "LogSoftmax",
    "Hardshrink",
    "Sigmoid",
    "CELU",
):
    show(lambda name=name: getattr(nn, name)(0.1, 2, 3, 4))
for name in ("Conv2d", "MaxPool2d", "Dropout", "ReLU", "Linear"):
    show(lambda name=name: getattr(nn, name)(3, 4, 3, foo=1))


class Convolution(nn.Conv2d):
    """A class of the snippet's own does not change who says it."""


show(lambda: Convolution(1))
show(lambda: nn.Sequential(nn.ReLU, nn.Tanh))
show(lambda: nn.ModuleList([nn.Linear]))
show(lambda: torch.Tensor("a"))
show(lambda: torch.Tensor([1, "a"]))
show(lambda: torch.Tensor([None]))
show(lambda: torch.Tensor(None))
show(lambda: torch.Tensor({1: 2}))
show(lambda: torch.randint(5))
show(lambda: torch.optim.SGD([torch.zeros(2)], lr="0.1"))
show(lambda: torch.optim.Adam([torch.zeros(2)], lr="0.1"))
show(lambda: torch.utils.data.TensorDataset([1, 2]))
show(lambda: iter(torch.utils.data.DataLoader([1, 2])).next())
show(lambda: len(iter(torch.utils.data.DataLoader([1, 2, 3], batch_size=2))))
show(lambda: type(iter(torch.utils.data.DataLoader([1, 2]))).__name__)
show(lambda: nn.utils.vector_to_parameters([1], [torch.zeros(2)]))
show(lambda: torch.set_grad_enabled(True))
