import torch
from torch import nn

x = torch.zeros(2, 3, 16, 16)
for layer in [
    nn.Conv2d(3, 8, 3),
    nn.Conv2d(3, 8, 3, padding=1),
    nn.Conv2d(3, 8, 3, stride=2, padding="valid"),
    nn.MaxPool2d(2),
    nn.AvgPool2d(3, 1),
    nn.ConvTranspose2d(3, 4, 2, 2),
    nn.Upsample(scale_factor=2),
    nn.AdaptiveAvgPool2d((1, 1)),
    nn.BatchNorm2d(3),
    nn.Dropout2d(),
    nn.ZeroPad2d(1),
    nn.Flatten(),
    nn.PixelShuffle(1),
    nn.GroupNorm(3, 3),
]:
    print(f"{layer.__class__.__name__:18} {tuple(layer(x).shape)}")
