"""`torchvision.models`: the architectures of ResNet, VGG, AlexNet, MobileNet and SqueezeNet with random weights,
as torchvision makes them. Trained weights would be a download; asking for them raises an error that says so."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from gradviz import torch
from gradviz.engine.kernel.tensor import Tensor
from gradviz.torch import nn
from gradviz.worker.language.absent import ASKS_TRAINED, TRAINED
from gradviz.worker.language.stand_in import stand_in
from gradviz.worker.modules.vision import functional, transforms


def _check(weights: object, options: dict[str, object]) -> dict[str, object]:
    asked = [weights, *(options.pop(name, None) for name in ASKS_TRAINED)]
    if any(each is not None and each is not False for each in asked):
        raise RuntimeError(TRAINED)
    options.pop("progress", None)
    return options


_FAN_OUT = functools.partial(nn.init.kaiming_normal_, mode="fan_out", nonlinearity="relu")
_SMALL = functools.partial(nn.init.normal_, mean=0.0, std=0.01)


def _begin(model: nn.Module, convolutions: Callable[..., object], linears: Callable[..., object] | None = None) -> None:
    """Draw the first weights of the layers, whose biases begin with 0."""
    for module in model.modules():
        draw = {nn.Conv2d: convolutions, nn.Linear: linears}.get(type(module))
        if draw is not None:
            draw(module.weight)
            if module.bias is not None:
                nn.init.zeros_(module.bias)


class BasicBlock(nn.Module):
    """Two convolutions and a shortcut."""

    expansion = 1

    def __init__(self, inplanes: int, planes: int, stride: int = 1, downsample: nn.Module | None = None) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(planes, planes, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> object:
        """Return the input plus the block's result."""
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out = out + (x if self.downsample is None else self.downsample(x))
        return self.relu(out)


class Bottleneck(nn.Module):
    """Three convolutions and a shortcut."""

    expansion = 4

    def __init__(self, inplanes: int, planes: int, stride: int = 1, downsample: nn.Module | None = None) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.conv3 = nn.Conv2d(planes, planes * 4, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(planes * 4)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> object:
        """Return the input plus the block's result."""
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        return self.relu(out + (x if self.downsample is None else self.downsample(x)))


Block = type[BasicBlock | Bottleneck]


class ResNet(nn.Module):
    """Four stages of blocks."""

    def __init__(
        self, block: Block, layers: Sequence[int], num_classes: int = 1000, zero_init_residual: bool = False
    ) -> None:
        super().__init__()
        self.inplanes = 64
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = self._make_layer(block, 64, layers[0])
        self.layer2 = self._make_layer(block, 128, layers[1], 2)
        self.layer3 = self._make_layer(block, 256, layers[2], 2)
        self.layer4 = self._make_layer(block, 512, layers[3], 2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(512 * block.expansion, num_classes)
        _begin(self, _FAN_OUT)

    def _make_layer(self, block: Block, planes: int, blocks: int, stride: int = 1) -> nn.Sequential:
        downsample = None
        if stride != 1 or self.inplanes != planes * block.expansion:
            narrow = nn.Conv2d(self.inplanes, planes * block.expansion, 1, stride, bias=False)
            downsample = nn.Sequential(narrow, nn.BatchNorm2d(planes * block.expansion))
        layers = [block(self.inplanes, planes, stride, downsample)]
        self.inplanes = planes * block.expansion
        layers += [block(self.inplanes, planes) for _ in range(1, blocks)]
        return nn.Sequential(*layers)

    def forward(self, x: Tensor) -> object:
        """Return the scores of the classes."""
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


_RESNETS: dict[str, tuple[Block, tuple[int, ...]]] = {
    "resnet18": (BasicBlock, (2, 2, 2, 2)),
    "resnet34": (BasicBlock, (3, 4, 6, 3)),
    "resnet50": (Bottleneck, (3, 4, 6, 3)),
    "resnet101": (Bottleneck, (3, 4, 23, 3)),
    "resnet152": (Bottleneck, (3, 8, 36, 3)),
}


_VGG = {
    "vgg11": "64 M 128 M 256 256 M 512 512 M 512 512 M",
    "vgg13": "64 64 M 128 128 M 256 256 M 512 512 M 512 512 M",
    "vgg16": "64 64 M 128 128 M 256 256 256 M 512 512 512 M 512 512 512 M",
    "vgg19": "64 64 M 128 128 M 256 256 256 256 M 512 512 512 512 M 512 512 512 512 M",
}


class VGG(nn.Module):
    """Convolutions, then three linear layers."""

    def __init__(
        self, features: nn.Module, num_classes: int = 1000, init_weights: bool = True, dropout: float = 0.5
    ) -> None:
        super().__init__()
        self.features = features
        self.avgpool = nn.AdaptiveAvgPool2d((7, 7))
        self.classifier = nn.Sequential(
            *(nn.Linear(512 * 7 * 7, 4096), nn.ReLU(True), nn.Dropout(p=dropout)),
            *(nn.Linear(4096, 4096), nn.ReLU(True), nn.Dropout(p=dropout)),
            nn.Linear(4096, num_classes),
        )
        if init_weights:
            _begin(self, _FAN_OUT, _SMALL)

    def forward(self, x: Tensor) -> object:
        """Return the scores of the classes."""
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


def _vgg(name: str, **options: Any) -> VGG:
    plan, _, normed = name.partition("_")
    layers: list[nn.Module] = []
    channels = 3
    for word in _VGG[plan].split():
        if word == "M":
            layers.append(nn.MaxPool2d(kernel_size=2, stride=2))
        else:
            layers.append(nn.Conv2d(channels, int(word), kernel_size=3, padding=1))
            layers += [nn.BatchNorm2d(int(word))] if normed else []
            layers.append(nn.ReLU(inplace=True))
            channels = int(word)
    return VGG(nn.Sequential(*layers), **options)


class AlexNet(nn.Module):
    """Five convolutions, then three linear layers."""

    def __init__(self, num_classes: int = 1000, dropout: float = 0.5) -> None:
        super().__init__()
        self.features = nn.Sequential(
            *(nn.Conv2d(3, 64, kernel_size=11, stride=4, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2)),
            *(nn.Conv2d(64, 192, kernel_size=5, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2)),
            *(nn.Conv2d(192, 384, kernel_size=3, padding=1), nn.ReLU(inplace=True)),
            *(nn.Conv2d(384, 256, kernel_size=3, padding=1), nn.ReLU(inplace=True)),
            *(nn.Conv2d(256, 256, kernel_size=3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2)),
        )
        self.avgpool = nn.AdaptiveAvgPool2d((6, 6))
        self.classifier = nn.Sequential(
            *(nn.Dropout(p=dropout), nn.Linear(256 * 6 * 6, 4096), nn.ReLU(inplace=True)),
            *(nn.Dropout(p=dropout), nn.Linear(4096, 4096), nn.ReLU(inplace=True)),
            nn.Linear(4096, num_classes),
        )

    def forward(self, x: Tensor) -> object:
        """Return the scores of the classes."""
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


class Fire(nn.Module):
    """A narrow convolution, then two wide ones in parallel."""

    def __init__(self, inplanes: int, squeeze_planes: int, expand1x1_planes: int, expand3x3_planes: int) -> None:
        super().__init__()
        self.squeeze = nn.Conv2d(inplanes, squeeze_planes, kernel_size=1)
        self.squeeze_activation = nn.ReLU(inplace=True)
        self.expand1x1 = nn.Conv2d(squeeze_planes, expand1x1_planes, kernel_size=1)
        self.expand1x1_activation = nn.ReLU(inplace=True)
        self.expand3x3 = nn.Conv2d(squeeze_planes, expand3x3_planes, kernel_size=3, padding=1)
        self.expand3x3_activation = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        """Return both results, concatenated."""
        x = self.squeeze_activation(self.squeeze(x))
        wide = [self.expand1x1_activation(self.expand1x1(x)), self.expand3x3_activation(self.expand3x3(x))]
        return torch.cat(wide, 1)


_FIRES = {  # channels in and out; M is a pooling layer
    "1_0": ((96, 7), "M 96-64 128-64 128-128 M 256-128 256-192 384-192 384-256 M 512-256"),
    "1_1": ((64, 3), "M 64-64 128-64 M 128-128 256-128 M 256-192 384-192 384-256 512-256"),
}


class SqueezeNet(nn.Module):
    """A network with few parameters."""

    def __init__(self, version: str = "1_0", num_classes: int = 1000, dropout: float = 0.5) -> None:
        super().__init__()
        self.num_classes = num_classes
        (channels, size), plan = _FIRES[version]
        layers: list[nn.Module] = [nn.Conv2d(3, channels, kernel_size=size, stride=2), nn.ReLU(inplace=True)]
        for word in plan.split():
            if word == "M":
                layers.append(nn.MaxPool2d(kernel_size=3, stride=2, ceil_mode=True))
            else:
                taken, made = map(int, word.split("-"))
                layers.append(Fire(taken, made // 4, made, made))
        self.features = nn.Sequential(*layers)
        last = nn.Conv2d(512, num_classes, kernel_size=1)
        self.classifier = nn.Sequential(
            nn.Dropout(p=dropout), last, nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d((1, 1))
        )
        _begin(self.features, nn.init.kaiming_uniform_)
        _begin(self.classifier, _SMALL)

    def forward(self, x: Tensor) -> Tensor:
        """Return the scores of the classes."""
        return torch.flatten(self.classifier(self.features(x)), 1)


def _conv_norm(taken: int, made: int, size: int = 3, stride: int = 1, groups: int = 1) -> nn.Sequential:
    conv = nn.Conv2d(taken, made, size, stride, (size - 1) // 2, groups=groups, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(made), nn.ReLU6(inplace=True))


class InvertedResidual(nn.Module):
    """A residual block that is wide inside and narrow outside."""

    def __init__(self, inp: int, oup: int, stride: int, expand_ratio: int) -> None:
        super().__init__()
        hidden = round(inp * expand_ratio)
        self.use_res_connect = stride == 1 and inp == oup
        layers = [_conv_norm(inp, hidden, 1)] if expand_ratio != 1 else []
        layers.append(_conv_norm(hidden, hidden, stride=stride, groups=hidden))
        self.conv = nn.Sequential(*layers, nn.Conv2d(hidden, oup, 1, 1, 0, bias=False), nn.BatchNorm2d(oup))

    def forward(self, x: Tensor) -> object:
        """Return the block's result, plus its input if the shapes match."""
        return x + self.conv(x) if self.use_res_connect else self.conv(x)


_INVERTED = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))


class MobileNetV2(nn.Module):
    """A network for telephones."""

    def __init__(self, num_classes: int = 1000, dropout: float = 0.2) -> None:
        super().__init__()
        layers: list[nn.Module] = [_conv_norm(3, 32, stride=2)]
        channels = 32
        for wider, made, count, stride in _INVERTED:
            for at in range(count):
                layers.append(InvertedResidual(channels, made, 1 if at else stride, wider))
                channels = made
        self.last_channel = 1280
        self.features = nn.Sequential(*layers, _conv_norm(channels, self.last_channel, 1))
        self.classifier = nn.Sequential(nn.Dropout(p=dropout), nn.Linear(self.last_channel, num_classes))
        _begin(self, _FAN_OUT, _SMALL)

    def forward(self, x: Tensor) -> object:
        """Return the scores of the classes."""
        x = nn.functional.adaptive_avg_pool2d(self.features(x), (1, 1))
        return self.classifier(torch.flatten(x, 1))


_MAKERS: dict[str, Callable[..., object]] = {
    "alexnet": AlexNet,
    "mobilenet_v2": MobileNetV2,
    **{f"squeezenet{version}": functools.partial(SqueezeNet, version) for version in _FIRES},
    **{name: functools.partial(ResNet, block, layers) for name, (block, layers) in _RESNETS.items()},
    **{name + kind: functools.partial(_vgg, name + kind) for name in _VGG for kind in ("", "_bn")},
}


def _offered(name: str, make: Callable[..., object]) -> Callable[..., object]:
    def model(weights: object = None, progress: object = True, **options: object) -> object:
        return make(**_check(weights, options))

    model.__name__ = model.__qualname__ = name
    return model


def _weights_of(name: str) -> object:
    """`ResNet18_Weights`: the names of weights that can't be downloaded, and the preprocessing of pictures for them."""
    versions = ["IMAGENET1K_V1", "IMAGENET1K_V2"][: 2 if name in _TRAINED_TWICE else 1]
    found = {each: _TrainedWeights(f"{name}.{each}") for each in versions}
    return stand_in(name, {**found, "DEFAULT": found[versions[-1]]})


_TRAINED_TWICE = {f"{each}_Weights" for each in ("ResNet50", "ResNet101", "ResNet152", "MobileNet_V2")}


class _TrainedWeights:
    """Names a set of trained weights."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name

    def transforms(self) -> transforms.Compose:
        """Return the preprocessing of pictures."""
        steps = [transforms.Resize(256), transforms.CenterCrop(224), transforms.Lambda(_numbers)]
        return transforms.Compose([*steps, transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))])


def _numbers(picture: Any) -> object:
    is_tensor = isinstance(picture, torch.Tensor)
    return transforms.ConvertImageDtype(torch.float32)(picture) if is_tensor else functional.to_tensor(picture)


_FAMILIES = {"resnet": "ResNet", "vgg": "VGG", "alexnet": "AlexNet", "squeezenet": "SqueezeNet"}
_FAMILIES |= {"mobilenet_v": "MobileNet_V"}
FUNCTIONS: dict[str, Callable[..., object]] = {name: _offered(name, make) for name, make in _MAKERS.items()}
WEIGHTS = {
    family + rest: _weights_of(family + rest)
    for start, family in _FAMILIES.items()
    for name in _MAKERS
    if name.startswith(start)
    for rest in [f"{name.removeprefix(start).replace('_bn', '_BN')}_Weights"]
}
CLASSES: tuple[type, ...] = (
    *(ResNet, BasicBlock, Bottleneck, VGG, AlexNet, SqueezeNet, MobileNetV2, InvertedResidual),
)
