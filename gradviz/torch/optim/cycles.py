"""Learning rate schedulers that go up and down, and schedulers composed of others; the plain ones are in
`lr_scheduler.py`, which offers all of them."""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Sequence
from typing import Any

from gradviz.torch.optim.lr_scheduler import LRScheduler, set_rate
from gradviz.torch.optim.optimizer import Optimizer, own_values


def _per_group(optimizer: Optimizer, value: Any, name: str) -> list[float]:
    if not isinstance(value, list | tuple):
        return [value] * len(optimizer.param_groups)
    if len(value) != len(optimizer.param_groups):
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. "
            f"{name} has {len(value)} values, param_groups has {len(optimizer.param_groups)}."
        )
    return list(value)


class PolynomialLR(LRScheduler):
    """Along a polynomial to zero in `total_iters` epochs."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        now = self._now()
        if self._is_initial or self.last_epoch > self.total_iters:
            return now
        rest = 1.0 - self.last_epoch / self.total_iters
        factor = (rest / (1.0 - (self.last_epoch - 1) / self.total_iters)) ** self.power
        return [rate * factor for rate in now]

    def _get_closed_form_lr(self) -> list[Any]:
        done = min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * (1.0 - done) ** self.power for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Along a cosine, with restarts (Loshchilov and Hutter, 2017)."""

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0 = self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        self._now()
        turn = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (base - self.eta_min) * turn / 2 for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Advance by an epoch, or by a part of one."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        else:
            self._go_to(epoch)
        self.last_epoch = math.floor(epoch)
        self._get_lr_called_within_step = True
        rates = self.get_lr()
        self._get_lr_called_within_step = False
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def _go_to(self, epoch: float) -> None:
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        self.T_i, self.T_cur = self.T_0, epoch
        if epoch < self.T_0:
            return
        if self.T_mult == 1:
            self.T_cur = epoch % self.T_0
            return
        n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
        self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
        self.T_i = self.T_0 * self.T_mult**n


def _phases(*rows: tuple[object, ...]) -> list[dict[str, Any]]:
    names = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")
    return [dict(zip(names, row, strict=True)) for row in rows]


def _need_positive(**counts: int) -> None:
    for name, count in counts.items():
        if not isinstance(count, int) or count <= 0:
            raise ValueError(f"Expected positive integer {name}, but got {count}")


class OneCycleLR(LRScheduler):
    """Once up and down (Smith and Topin, 2018)."""

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: object,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float = 0.85,
        max_momentum: float = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
            _need_positive(epochs=epochs, steps_per_epoch=steps_per_epoch)
            total_steps = epochs * steps_per_epoch
        _need_positive(total_steps=total_steps)
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self.total_steps = total_steps
        self._schedule_phases = self._ends(float(pct_start), three_phase)
        self._anneal_func_type = anneal_strategy
        self.cycle_momentum = cycle_momentum
        for group, top in zip(optimizer.param_groups, _per_group(optimizer, max_lr, "max_lr"), strict=True):
            group["initial_lr"], group["max_lr"] = top / div_factor, top
            group["min_lr"] = group["initial_lr"] / final_div_factor
        if cycle_momentum:
            self._start_momentum(optimizer, base_momentum, max_momentum)
        super().__init__(optimizer, last_epoch)

    def _start_momentum(self, optimizer: Optimizer, base: float, top: float) -> None:
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in optimizer.defaults
        for group in optimizer.param_groups:
            self._set_momentum(group, top)
            group["max_momentum"], group["base_momentum"] = top, base

    def _set_momentum(self, group: dict[str, Any], value: float) -> None:
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value

    def _ends(self, start: float, three_phase: bool) -> list[dict[str, Any]]:
        """The phases: last step, and rate and momentum at the beginning and at the end."""
        up = ("initial_lr", "max_lr", "max_momentum", "base_momentum")
        last = self.total_steps - 1
        if not three_phase:
            down = ("max_lr", "min_lr", "base_momentum", "max_momentum")
            return _phases((start * self.total_steps - 1, *up), (last, *down))
        back = ("max_lr", "initial_lr", "base_momentum", "max_momentum")
        rest = ("initial_lr", "min_lr", "max_momentum", "max_momentum")
        return _phases((start * self.total_steps - 1, *up), (2 * start * self.total_steps - 2, *back), (last, *rest))

    def _between(self, start: float, end: float, part: float) -> float:
        if self._anneal_func_type == "linear":
            return (end - start) * part + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)

    def get_lr(self) -> list[float]:
        self._now()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        rates = []
        for group in self.optimizer.param_groups:
            begun = 0.0
            for i, phase in enumerate(self._schedule_phases):
                end, rate_from, rate_to, momentum_from, momentum_to = phase.values()
                if step <= end or i == len(self._schedule_phases) - 1:
                    part = (step - begun) / (end - begun)
                    rates.append(self._between(group[rate_from], group[rate_to], part))
                    if self.cycle_momentum:
                        self._set_momentum(group, self._between(group[momentum_from], group[momentum_to], part))
                    break
                begun = end
        return rates


class CyclicLR(LRScheduler):
    """Up and down in a triangle (Smith, 2017)."""

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: object,
        max_lr: object,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        lows = _per_group(optimizer, base_lr, "base_lr")
        if last_epoch == -1:
            for low, group in zip(lows, optimizer.param_groups, strict=True):
                set_rate(group, low)
        self.max_lrs = _per_group(optimizer, max_lr, "max_lr")
        down = float(step_size_up if step_size_down is None else step_size_down)
        self.total_size = float(step_size_up) + down
        self.step_ratio = float(step_size_up) / self.total_size
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = "iterations" if mode == "exp_range" and scale_fn is None else scale_mode
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = "betas" in optimizer.defaults
            if "momentum" not in optimizer.defaults and not self.use_beta1:
                raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
            self.base_momentums = _per_group(optimizer, base_momentum, "base_momentum")
            self.max_momentums = _per_group(optimizer, max_momentum, "max_momentum")
        if cycle_momentum and last_epoch == -1:
            groups = zip(optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True)
            for group, low, top in groups:
                if self.use_beta1:
                    group["betas"] = (top, *group["betas"][1:])
                else:
                    group["momentum"] = top
                group["max_momentum"], group["base_momentum"] = top, low
        super().__init__(optimizer, last_epoch)
        self.base_lrs = lows

    def scale_fn(self, x: float) -> float:
        """The height of the triangle in a cycle, or at a step."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular":
            return 1.0
        return float(1 / (2.0 ** (x - 1))) if self.mode == "triangular2" else self.gamma**x

    def state_dict(self) -> dict[str, Any]:
        """Everything except the optimizer; a user's function is not saved, of a callable object only its attributes
        are."""
        saved = super().state_dict()
        custom = saved.pop("_scale_fn_custom")
        plain = custom is None or isinstance(custom, types.FunctionType)
        saved["_scale_fn_custom"] = None if plain else own_values(custom).copy()
        return saved

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore what `state_dict` returned."""
        values = state_dict["_scale_fn_custom"]
        if values is not None:
            own_values(self._scale_fn_custom).update(values)
        super().load_state_dict({key: each for key, each in state_dict.items() if key != "_scale_fn_custom"})

    def get_lr(self) -> list[float]:
        self._now()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for group, low, top in zip(
                self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True
            ):
                value = top - (top - low) * height * scale
                if self.use_beta1:
                    group["betas"] = (value, *group["betas"][1:])
                else:
                    group["momentum"] = value
        return [low + (top - low) * height * scale for low, top in zip(self.base_lrs, self.max_lrs, strict=True)]


class _OfOthers(LRScheduler):
    _schedulers: list[LRScheduler]

    def _check_owner(self, optimizer: Optimizer, schedulers: Sequence[LRScheduler]) -> None:
        name = type(self).__name__
        for index, each in enumerate(schedulers):
            if not hasattr(each, "optimizer"):
                raise TypeError(f"{name} at index {index} should have `optimizer` as its attribute.")
            if optimizer is not each.optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(each).__name__} at index {index} has {each.optimizer}, which is different from "
                    f"{type(optimizer).__name__}."
                )

    def state_dict(self) -> dict[str, Any]:
        """Everything except the optimizer, and the state of each scheduler."""
        saved = super().state_dict()
        del saved["_schedulers"]
        return {**saved, "_schedulers": [each.state_dict() for each in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore what `state_dict` returned."""
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "_schedulers"})
        for each, saved in zip(self._schedulers, state_dict["_schedulers"], strict=False):
            each.load_state_dict(saved)


class SequentialLR(_OfOthers):
    """Schedulers one after the other."""

    def __init__(
        self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: list[int], last_epoch: int = -1
    ) -> None:
        name = type(self).__name__
        if not schedulers:
            raise ValueError(f"{name} expects at least one scheduler, but got no scheduler.")
        self._check_owner(optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones to be "
                f"equal to {len(milestones)}"
            )
        self._schedulers = list(schedulers)
        self._milestones = list(milestones)
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        for each in self._schedulers:
            each.last_epoch -= 1
        self._schedulers[0]._initial_step()
        self._last_lr = self._schedulers[0].get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        """Advance the active scheduler by an epoch."""
        self.last_epoch += 1
        at = sum(milestone <= self.last_epoch for milestone in self._milestones)
        current = self._schedulers[at]
        if at > 0 and self._milestones[at - 1] == self.last_epoch:
            current._update_lr(0)
        else:
            current.step()
        self._last_lr = current.get_last_lr()


class ChainedScheduler(_OfOthers):
    """Several schedulers, all of which are applied in every step."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if not schedulers:
            raise ValueError("ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.")
        self.optimizer = optimizer or schedulers[0].optimizer
        self._check_owner(self.optimizer, schedulers)
        self._schedulers = list(schedulers)
        self._last_lr = self._schedulers[-1].get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        """Advance all schedulers by an epoch."""
        for each in self._schedulers:
            each.step()
        self._last_lr = [group["lr"] for group in self._schedulers[-1].optimizer.param_groups]
