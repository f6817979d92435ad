import torch
import torch.nn.functional as F

img = torch.zeros(1, 1, 5, 5)
img[..., 2:] = 1.0
sobel = torch.tensor([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]]).view(1, 1, 3, 3)
print(
    F.conv2d(img, sobel)[0, 0],
    F.max_pool2d(img, 2).shape,
    F.pad(img, (1, 1, 1, 1)).shape,
    F.interpolate(img, scale_factor=2).shape,
    F.unfold(img, 3).shape,
)
