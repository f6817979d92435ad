from __future__ import annotations
from dataclasses import dataclass, field, asdict, fields, replace
import torch
from torch import nn


@dataclass
class TrainConfig:
    lr: float = 1e-2
    hidden: list[int] = field(default_factory=lambda: [8, 4])
    device: str | None = None
    name: str = "baseline"
    _cache: dict = field(default_factory=dict, repr=False, compare=False)

    @property
    def depth(self) -> int:
        return len(self.hidden)

    @classmethod
    def small(cls) -> TrainConfig:
        return cls(hidden=[2])

    def build(self, n_in: int, n_out: int) -> nn.Module:
        sizes = [n_in, *self.hidden, n_out]
        layers: list[nn.Module] = []
        for a, b in zip(sizes, sizes[1:]):
            layers += [nn.Linear(a, b), nn.ReLU()]
        return nn.Sequential(*layers[:-1])


config = TrainConfig(lr=3e-4)
print(config, config.depth, config == TrainConfig(lr=3e-4))
print(asdict(config))
print([f.name for f in fields(config)], replace(config, name="other").name)
print(TrainConfig.small().build(3, 1))
config._cache["x"] = torch.ones(1)
print(config._cache)
