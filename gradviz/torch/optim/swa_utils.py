"""`torch.optim.swa_utils`: averages of a model's weights over training (Izmailov et al., 2018), equally weighted or
exponential, and the matching learning rate schedule."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from gradviz.engine.kernel.modes import no_grad
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.torch.nn.modules.module import Module
from gradviz.torch.nn.modules.normalization import _BatchNorm
from gradviz.torch.optim.lr_scheduler import LRScheduler

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[..., None]:
    """Exponential averages of lists of parameters."""
    _check_decay(decay)

    def update(ema_param_list: Any, current_param_list: Any, _: object) -> None:
        with no_grad():
            for mean, now in zip(ema_param_list, current_param_list, strict=True):
                if mean.is_floating_point() or mean.is_complex():
                    mean.lerp_(now, 1 - decay)
                else:
                    mean.copy_(mean * decay + now * (1 - decay))

    return update


def get_swa_multi_avg_fn() -> Callable[..., None]:
    """Equal averages of lists of parameters."""

    def update(averaged_param_list: Any, current_param_list: Any, num_averaged: Any) -> None:
        with no_grad():
            for mean, now in zip(averaged_param_list, current_param_list, strict=True):
                if mean.is_floating_point() or mean.is_complex():
                    mean.lerp_(now, 1 / (num_averaged + 1))
                else:
                    mean.add_((now - mean) / (num_averaged + 1))

    return update


def get_ema_avg_fn(decay: float = 0.999) -> Callable[..., object]:
    """The exponential average of one parameter."""
    _check_decay(decay)

    def update(ema_param: Tensor, current_param: Tensor, num_averaged: object) -> Tensor:
        with no_grad():
            return decay * ema_param + (1 - decay) * current_param

    return update


def get_swa_avg_fn() -> Callable[..., object]:
    """The equal average of one parameter."""

    def update(averaged_param: Tensor, current_param: Tensor, num_averaged: Any) -> Any:
        with no_grad():
            return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return update


class AveragedModel(Module):
    """A copy of a model that holds the average of its parameters."""

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: object = None,
        avg_fn: Callable[..., object] | None = None,
        multi_avg_fn: Callable[..., object] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", T["tensor"](0, dtype=T["result_type"](0, 0)))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args: object, **kwargs: object) -> Any:
        """Compute the result of the averaged model."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Add the present parameters to the average."""
        ours: Iterable[Any] = self.module.parameters()
        theirs: Iterable[Any] = model.parameters()
        if self.use_buffers:
            ours = itertools.chain(ours, self.module.buffers())
            theirs = itertools.chain(theirs, model.buffers())
        pairs = [(mean.detach(), now.detach()) for mean, now in zip(ours, theirs, strict=False)]
        count = int(self.n_averaged)
        if count == 0:
            for mean, now in pairs:
                mean.copy_(now)
        elif self.avg_fn is not None:
            for mean, now in pairs:
                mean.copy_(self.avg_fn(mean, now, self.n_averaged))
        else:
            update = self.multi_avg_fn or get_swa_multi_avg_fn()
            update([mean for mean, _ in pairs], [now for _, now in pairs], self.n_averaged)
        if not self.use_buffers:
            for mean, now in zip(self.module.buffers(), model.buffers(), strict=False):
                mean.detach().copy_(now.detach())
        self.n_averaged += 1


def update_bn(loader: Iterable[Any], model: Module, device: object = None) -> None:
    """Recompute the running statistics of batch normalisation, in one pass over the data."""
    momenta: dict[Any, Any] = {}
    for module in model.modules():
        if isinstance(module, _BatchNorm):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.momentum = None
    with no_grad():
        for given in loader:
            batch = given[0] if isinstance(given, (list, tuple)) else given
            model(batch if device is None else batch.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Anneals the learning rate to a fixed value and stays there."""

    def __init__(
        self, optimizer: Any, swa_lr: Any, anneal_epochs: int = 10, anneal_strategy: str = "cos", last_epoch: int = -1
    ) -> None:
        rates = list(swa_lr) if isinstance(swa_lr, (list, tuple)) else [swa_lr] * len(optimizer.param_groups)
        if len(rates) != len(optimizer.param_groups):
            raise ValueError(
                f"swa_lr must have the same length as optimizer.param_groups. swa_lr has {len(rates)} values, "
                f"param_groups has {len(optimizer.param_groups)}."
            )
        for rate, group in zip(rates, optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _share(self, t: float) -> float:
        """The fraction of the way that is done."""
        return (1 - math.cos(math.pi * t)) / 2 if self._strategy == "cos" else t

    def get_lr(self) -> Any:
        """The rates of this step."""
        if not getattr(self, "_get_lr_called_within_step", True):
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=2,
            )
        step = self._step_count - 1
        length = max(1, self.anneal_epochs)
        before = self._share(max(0, min(1, (step - 1) / length)))
        now = self._share(max(0, min(1, step / length)))
        groups = self.optimizer.param_groups
        if before == 1:
            starts = [group["swa_lr"] for group in groups]
        else:
            starts = [(group["lr"] - before * group["swa_lr"]) / (1 - before) for group in groups]
        return [group["swa_lr"] * now + start * (1 - now) for group, start in zip(groups, starts, strict=True)]
