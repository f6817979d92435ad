"""`torchvision.models`: the architectures of ResNet, VGG and AlexNet with random weights, as torchvision makes them.
Trained weights are a download; asking for them is an error in a sentence.
"""

from __future__ import annotations

from typing import Any

from gradviz import torch
from gradviz.torch import nn

TRAINED = "trained weights can't be downloaded in GradViz snippets; weights=None makes the same model with random ones"


def _check(weights: Any, options: dict[str, Any]) -> dict[str, Any]:
    pretrained = options.pop("pretrained", False)
    if (weights is not None and weights is not False) or (pretrained is not False and pretrained is not None):
        raise RuntimeError(TRAINED)
    options.pop("progress", None)
    return options


class BasicBlock(nn.Module):
    """Two convolutions and a shortcut."""

    expansion = 1

    def __init__(self, inplanes: int, planes: int, stride: int = 1, downsample: Any = None) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(planes, planes, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Any) -> Any:
        """What is added to its input."""
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out = out + (x if self.downsample is None else self.downsample(x))
        return self.relu(out)


class Bottleneck(nn.Module):
    """Three convolutions and a shortcut."""

    expansion = 4

    def __init__(self, inplanes: int, planes: int, stride: int = 1, downsample: Any = None) -> None:
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

    def forward(self, x: Any) -> Any:
        """What is added to its input."""
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        return self.relu(out + (x if self.downsample is None else self.downsample(x)))


class ResNet(nn.Module):
    """Four stages of blocks."""

    def __init__(self, block: Any, layers: Any, num_classes: int = 1000, zero_init_residual: bool = False) -> None:
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
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def _make_layer(self, block: Any, planes: int, blocks: int, stride: int = 1) -> Any:
        downsample = None
        if stride != 1 or self.inplanes != planes * block.expansion:
            narrow = nn.Conv2d(self.inplanes, planes * block.expansion, 1, stride, bias=False)
            downsample = nn.Sequential(narrow, nn.BatchNorm2d(planes * block.expansion))
        layers = [block(self.inplanes, planes, stride, downsample)]
        self.inplanes = planes * block.expansion
        layers += [block(self.inplanes, planes) for _ in range(1, blocks)]
        return nn.Sequential(*layers)

    def forward(self, x: Any) -> Any:
        """The scores of the classes."""
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


def resnet18(*, weights: Any = None, **options: Any) -> ResNet:
    """Of 18 layers."""
    return ResNet(BasicBlock, (2, 2, 2, 2), **_check(weights, options))


def resnet34(*, weights: Any = None, **options: Any) -> ResNet:
    """Of 34 layers."""
    return ResNet(BasicBlock, (3, 4, 6, 3), **_check(weights, options))


def resnet50(*, weights: Any = None, **options: Any) -> ResNet:
    """Of 50 layers."""
    return ResNet(Bottleneck, (3, 4, 6, 3), **_check(weights, options))


_VGG = {
    "vgg11": "64 M 128 M 256 256 M 512 512 M 512 512 M",
    "vgg16": "64 64 M 128 128 M 256 256 256 M 512 512 512 M 512 512 512 M",
    "vgg19": "64 64 M 128 128 M 256 256 256 256 M 512 512 512 512 M 512 512 512 512 M",
}


class VGG(nn.Module):
    """Convolutions, then three layers over all."""

    def __init__(self, features: Any, num_classes: int = 1000, init_weights: bool = True, dropout: float = 0.5) -> None:
        super().__init__()
        self.features = features
        self.avgpool = nn.AdaptiveAvgPool2d((7, 7))
        self.classifier = nn.Sequential(
            *(nn.Linear(512 * 7 * 7, 4096), nn.ReLU(True), nn.Dropout(p=dropout)),
            *(nn.Linear(4096, 4096), nn.ReLU(True), nn.Dropout(p=dropout)),
            nn.Linear(4096, num_classes),
        )
        for module in self.modules() if init_weights else ():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
                nn.init.constant_(module.bias, 0)  # type: ignore[arg-type]
            elif isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, 0, 0.01)
                nn.init.constant_(module.bias, 0)  # type: ignore[arg-type]

    def forward(self, x: Any) -> Any:
        """The scores of the classes."""
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


def _vgg(name: str, weights: Any, options: dict[str, Any]) -> VGG:
    options = _check(weights, options)
    layers: list[Any] = []
    channels = 3
    for word in _VGG[name].split():
        if word == "M":
            layers.append(nn.MaxPool2d(kernel_size=2, stride=2))
        else:
            layers += [nn.Conv2d(channels, int(word), kernel_size=3, padding=1), nn.ReLU(inplace=True)]
            channels = int(word)
    return VGG(nn.Sequential(*layers), **options)


def vgg11(*, weights: Any = None, **options: Any) -> VGG:
    """Of 11 layers."""
    return _vgg("vgg11", weights, options)


def vgg16(*, weights: Any = None, **options: Any) -> VGG:
    """Of 16 layers."""
    return _vgg("vgg16", weights, options)


def vgg19(*, weights: Any = None, **options: Any) -> VGG:
    """Of 19 layers."""
    return _vgg("vgg19", weights, options)


class AlexNet(nn.Module):
    """Five convolutions, then three layers over all."""

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

    def forward(self, x: Any) -> Any:
        """The scores of the classes."""
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


def alexnet(*, weights: Any = None, **options: Any) -> AlexNet:
    """The network of 2012."""
    return AlexNet(**_check(weights, options))


FUNCTIONS = (resnet18, resnet34, resnet50, vgg11, vgg16, vgg19, alexnet)
CLASSES: tuple[type, ...] = (ResNet, BasicBlock, Bottleneck, VGG, AlexNet)
