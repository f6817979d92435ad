#!/usr/bin/env python
# -*- coding: utf-8 -*-
"""Train a tiny regressor.

Usage: python train.py --lr 0.1
"""

from __future__ import annotations, print_function
import argparse
import logging
import sys
import json
import time
from dataclasses import dataclass, field, asdict
from enum import Enum, auto
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union

import torch
from torch import nn, optim, Tensor

__author__ = "someone"
__version__ = "0.1"
__all__ = ["main"]
logging.basicConfig(
    level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s", stream=sys.stdout if False else None
)
logger = logging.getLogger(__name__)


class Phase(Enum):
    TRAIN = auto()
    VAL = "val"


class Metrics(NamedTuple):
    loss: float
    acc: float = 0.0


@dataclass
class Config:
    lr: float = 0.1
    epochs: int = 3
    hidden: List[int] = field(default_factory=lambda: [4, 2])
    name: Optional[str] = None
    tags: Dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self):
        self.tags["n"] = len(self.hidden)

    @property
    def depth(self) -> int:
        return len(self.hidden)

    @classmethod
    def from_args(cls, args: argparse.Namespace) -> Config:
        return cls(lr=args.lr, epochs=args.epochs)


def build(cfg: Config, act: Callable[[], nn.Module] = nn.ReLU) -> nn.Sequential:
    layers: list[nn.Module] = []
    last = 2
    for h in cfg.hidden:
        layers += [nn.Linear(last, h), act()]
        last = h
    return nn.Sequential(*layers, nn.Linear(last, 1))


def parse(argv: Optional[List[str]] = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--lr", type=float, default=0.05, help="learning rate")
    parser.add_argument("-e", "--epochs", type=int, default=2, metavar="N")
    parser.add_argument("--no-cuda", action="store_true", default=False)
    parser.add_argument("--opt", choices=["sgd", "adam"], default="sgd")
    parser.add_argument("--data", type=Path, default=Path("data"))
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--fast", dest="speed", action="store_const", const=2)
    parser.add_argument("--sizes", nargs="+", type=int, default=[1, 2])
    return parser.parse_args(argv)


def main(args: argparse.Namespace) -> int:
    torch.manual_seed(0)
    cfg = Config.from_args(args)
    print(cfg, cfg.depth, asdict(cfg))
    device = torch.device("cuda" if not args.no_cuda and torch.cuda.is_available() else "cpu")
    model = build(cfg).to(device)
    opt = {"sgd": optim.SGD, "adam": optim.Adam}[args.opt](model.parameters(), lr=cfg.lr)
    x = torch.randn(8, 2, device=device)
    y: Tensor = x.sum(1, keepdim=True)
    history: list[Metrics] = []
    start = time.time()
    for epoch in range(1, cfg.epochs + 1):
        opt.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        opt.step()
        history.append(Metrics(loss.item()))
        logger.info("epoch %d loss %.4f", epoch, loss.item())
    logger.debug("never shown")
    print(
        [f"{m.loss:.4f}" for m in history],
        history[0]._fields,
        history[-1]._replace(loss=0),
        Phase.TRAIN,
        Phase("val"),
        list(Phase),
    )
    print(json.dumps(asdict(cfg), indent=2, sort_keys=True))
    print(time.time() - start < 60, args.data / "x.pt", args.sizes, vars(args))
    return 0


if __name__ == "__main__":
    sys.exit(main(parse([])))
