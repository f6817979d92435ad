import warnings

import torch
import torch.nn.functional as F

warnings.simplefilter("ignore")
torch.manual_seed(0)
image = torch.arange(16.0).reshape(1, 1, 4, 4)
grid = F.affine_grid(torch.tensor([[[0.5, 0.0, 0.1], [0.0, 0.5, -0.1]]]), (1, 1, 3, 3), align_corners=False)
print(torch.grid_sampler(image, grid, 0, 0, False))
print(torch.grid_sampler_2d(image, grid, 1, 1, True))
volume = torch.arange(8.0).reshape(1, 1, 2, 2, 2)
around = torch.zeros(1, 1, 1, 1, 3)
print(torch.grid_sampler_3d(volume, around, 0, 0, False))
print(F.upsample_bilinear(image, scale_factor=2)[0, 0, 0], F.upsample_nearest(image, scale_factor=2)[0, 0, 0])
random = torch.tensor([[[0.3, 0.7]]])
out, where = F.fractional_max_pool2d_with_indices(image, 2, output_size=2, _random_samples=random)
print(out, where)
deep = torch.arange(27.0).reshape(1, 1, 3, 3, 3)
out, where = F.fractional_max_pool3d_with_indices(
    deep, 2, output_size=2, _random_samples=torch.tensor([[[0.3, 0.7, 0.5]]])
)
print(out, where)
torch.alpha_dropout_(image.clone(), 0.0, True)
torch.feature_alpha_dropout_(image.clone(), 0.0, True)
torch.feature_dropout_(image.clone(), 0.0, True)
x = torch.randn(3, 1, 4)
weights = torch.randn(12, 4) * 0.1, torch.zeros(12), torch.randn(4, 4), torch.zeros(4)
out, scores = F.multi_head_attention_forward(
    x, x, x, 4, 2, weights[0], weights[1], None, None, False, 0.0, weights[2], weights[3], training=False
)
print(out.shape, scores)
