"""`RMSprop`, `Adagrad` and `Adadelta`: steps scaled by past gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.numerics import rounding
from gradviz.torch.optim.optimizer import (
    Group,
    Optimizer,
    check,
    check_fused,
    check_lr,
    counter,
    number,
    options,
    real,
    step_count,
    write,
)


class RMSprop(Optimizer):
    """Divides by a running root mean square of the gradient."""

    def __init__(
        self,
        params: object,
        lr: object = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check(eps >= 0.0, f"Invalid epsilon value: {eps}")
        check(momentum >= 0.0, f"Invalid momentum value: {momentum}")
        check(weight_decay >= 0.0, f"Invalid weight_decay value: {weight_decay}")
        check(alpha >= 0.0, f"Invalid alpha value: {alpha}")
        names = "lr momentum alpha eps centered weight_decay capturable foreach maximize differentiable"
        super().__init__(params, options(locals(), names))

    def _state_of(self, param: Tensor, group: Group) -> dict[str, Any]:
        state = self.state[param]
        if not state:
            state["step"] = counter()
            state["square_avg"] = wrap(np.zeros_like(param._data))
            if group["momentum"] > 0:
                state["momentum_buffer"] = wrap(np.zeros_like(param._data))
            if group["centered"]:
                state["grad_avg"] = wrap(np.zeros_like(param._data))
        return state

    def _update(self, param: Tensor, grad: Array, group: Group) -> None:
        state = self._state_of(param, group)
        step_count(state)
        lr, alpha = number(group["lr"]), group["alpha"]
        if group["weight_decay"] != 0:
            grad = rounding.add(grad, param._data, group["weight_decay"])
        grad, square, now = real(grad, state["square_avg"]._data, param._data)
        square = rounding.addcmul(rounding.scale(square, alpha), grad, grad, 1 - alpha)
        write(state["square_avg"], square)
        if group["centered"]:
            mean = rounding.lerp(real(state["grad_avg"]._data)[0], grad, 1 - alpha)
            write(state["grad_avg"], mean)
            square = rounding.addcmul(square, mean, mean, -1)
        root = rounding.root(square, 1.0, group["eps"])
        if group["momentum"] > 0:
            buffer = state["momentum_buffer"]
            moved = rounding.addcdiv(rounding.scale(real(buffer._data)[0], group["momentum"]), grad, root, 1)
            write(buffer, moved)
            write(param, rounding.add(now, moved, -lr))
        else:
            write(param, rounding.addcdiv(now, grad, root, -lr))


class Adagrad(Optimizer):
    """Divides by the root of the sum of all squared gradients."""

    _takes_sparse = True

    def __init__(
        self,
        params: object,
        lr: object = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        check(lr_decay >= 0.0, f"Invalid lr_decay value: {lr_decay}")
        check(weight_decay >= 0.0, f"Invalid weight_decay value: {weight_decay}")
        check(
            initial_accumulator_value >= 0.0,
            f"Invalid initial_accumulator_value value: {initial_accumulator_value}",
        )
        check(eps >= 0.0, f"Invalid epsilon value: {eps}")
        check_fused(fused, foreach, differentiable)
        names = "lr lr_decay eps weight_decay initial_accumulator_value foreach maximize differentiable fused"
        super().__init__(params, options(locals(), names))
        for group in self.param_groups:
            for param in group["params"]:
                self._state_of(param)

    def _state_of(self, param: Tensor) -> dict[str, Any]:
        state = self.state[param]
        if not state:
            first = self.defaults["initial_accumulator_value"]
            state["step"] = counter()
            kind = param._data.dtype
            state["sum"] = wrap(np.full(param._data.shape, complex(first, first) if kind.kind == "c" else first, kind))
        return state

    def _update(self, param: Tensor, grad: Array, group: Group) -> None:
        state = self._state_of(param)
        step = step_count(state)
        if group["weight_decay"] != 0:
            grad = rounding.add(grad, param._data, group["weight_decay"])
        rate = number(group["lr"]) / (1 + (step - 1) * group["lr_decay"])
        grad, total, now = real(grad, state["sum"]._data, param._data)
        total = rounding.addcmul(total, grad, grad, 1)
        write(state["sum"], total)
        write(param, rounding.addcdiv(now, grad, rounding.root(total, 1.0, group["eps"]), -rate))


class Adadelta(Optimizer):
    """Zeiler (2012): steps in the units of earlier steps."""

    def __init__(
        self,
        params: object,
        lr: object = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check(0.0 <= rho <= 1.0, f"Invalid rho value: {rho}")
        check(eps >= 0.0, f"Invalid epsilon value: {eps}")
        check(weight_decay >= 0.0, f"Invalid weight_decay value: {weight_decay}")
        names = "lr rho eps weight_decay maximize capturable foreach differentiable"
        super().__init__(params, options(locals(), names))

    def _update(self, param: Tensor, grad: Array, group: Group) -> None:
        state = self.state[param]
        if not state:
            state["step"] = counter()
            state["square_avg"] = wrap(np.zeros_like(param._data))
            state["acc_delta"] = wrap(np.zeros_like(param._data))
        step_count(state)
        rho, eps = group["rho"], group["eps"]
        if group["weight_decay"] != 0:
            grad = rounding.add(grad, param._data, group["weight_decay"])
        grad, square, moved, now = real(grad, state["square_avg"]._data, state["acc_delta"]._data, param._data)
        square = rounding.addcmul(rounding.scale(square, rho), grad, grad, 1 - rho)
        ratio = np.sqrt(rounding.shift(moved, eps)) / np.sqrt(rounding.shift(square, eps))
        delta = ratio * grad
        write(state["square_avg"], square)
        write(state["acc_delta"], rounding.addcmul(rounding.scale(moved, rho), delta, delta, 1 - rho))
        write(param, rounding.add(now, delta, -number(group["lr"])))
