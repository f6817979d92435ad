"""`torchvision.utils`: pictures side by side, and a picture saved in the folder of the run."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gradviz import torch
from gradviz.engine.kernel.state import paused
from gradviz.worker.modules.vision.picture import picture
from gradviz.worker.objects.numpy_boundary import to_numpy


def make_grid(
    tensor: Any,
    nrow: Any = 8,
    padding: Any = 2,
    normalize: Any = False,
    value_range: Any = None,
    scale_each: Any = False,
    pad_value: Any = 0.0,
) -> Any:
    """Return several pictures as one tensor."""
    with paused():
        several = torch.stack(list(tensor), dim=0) if isinstance(tensor, list | tuple) else tensor
        if several.dim() == 2:
            several = several.unsqueeze(0)
        if several.dim() == 3:
            several = torch.cat((several, several, several), 0) if several.size(0) == 1 else several
            several = several.unsqueeze(0)
        if several.dim() == 4 and several.size(1) == 1:
            several = torch.cat((several, several, several), 1)
        if normalize:
            several = several.detach().clone()
            parts = list(several) if scale_each else [several]
            for part in parts:
                low, high = value_range if value_range is not None else (float(part.min()), float(part.max()))
                part.clamp_(min=low, max=high)
                part.sub_(low).div_(max(high - low, 1e-5))
        if several.size(0) == 1:
            return several.squeeze(0)
        return _laid(several, operator.index(nrow), operator.index(padding), pad_value)


def _laid(several: Any, nrow: int, padding: int, pad_value: Any) -> Any:
    count = several.size(0)
    wide = min(nrow, count)
    high = -(-count // wide)
    height, width = int(several.size(2) + padding), int(several.size(3) + padding)
    grid = several.new_full((several.size(1), height * high + padding, width * wide + padding), float(pad_value))
    for at in range(count):
        row, column = divmod(at, wide)
        top, left = row * height + padding, column * width + padding
        grid[:, top : top + height - padding, left : left + width - padding] = several[at]
    return grid


def save_image(tensor: Any, fp: object, format: object = None, **look: Any) -> None:
    """Save a grid of pictures under a name in the folder of the run."""
    with paused():
        grid = make_grid(tensor, **look).mul(255).add(0.5).clamp(0, 255).permute(1, 2, 0)
        picture(np.floor(to_numpy(grid.detach()))).save(fp)
