"""`Adam`, `AdamW` and `Adamax`: steps scaled by running averages of the gradient and of its square."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine import updates
from gradviz.engine.tensor import Tensor, wrap
from gradviz.torch.optim.optimizer import (
    Array,
    Group,
    Optimizer,
    check,
    check_fused,
    check_lr,
    counter,
    number,
    real,
    step_count,
    write,
)


class Adam(Optimizer):
    """Kingma and Ba (2015); with `amsgrad` the variant of Reddi et al. (2018)."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        check_lr(lr)
        check(eps >= 0.0, f"Invalid epsilon value: {eps}")
        check(0.0 <= betas[0] < 1.0, f"Invalid beta parameter at index 0: {betas[0]}")
        check(0.0 <= betas[1] < 1.0, f"Invalid beta parameter at index 1: {betas[1]}")
        check(weight_decay >= 0.0, f"Invalid weight_decay value: {weight_decay}")
        check_fused(fused, foreach, differentiable)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def _state_of(self, param: Tensor, group: Group) -> dict[str, Any]:
        state = self.state[param]
        if not state:
            state["step"] = counter()
            for name in ("exp_avg", "exp_avg_sq", *(["max_exp_avg_sq"] if group["amsgrad"] else [])):
                state[name] = wrap(np.zeros_like(param._data))
        return state

    def _update(self, param: Tensor, grad: Array, group: Group) -> None:
        state = self._state_of(param, group)
        step = step_count(state)
        lr, decay = number(group["lr"]), group["weight_decay"]
        beta1, beta2 = group["betas"]
        if decay != 0:
            if group["decoupled_weight_decay"]:
                write(param, updates.scale(param._data, 1 - lr * decay))
            else:
                grad = updates.add(grad, param._data, decay)
        grad, mean, square, now = real(grad, state["exp_avg"]._data, state["exp_avg_sq"]._data, param._data)
        mean = updates.lerp(mean, grad, 1 - beta1)
        square = updates.addcmul(updates.scale(square, beta2), grad, grad, 1 - beta2)
        write(state["exp_avg"], mean)
        write(state["exp_avg_sq"], square)
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"]
            square = np.maximum(real(largest._data)[0], square)
            write(largest, square)
        root = updates.root(square, (1 - beta2**step) ** 0.5, group["eps"])
        write(param, updates.addcdiv(now, mean, root, -(lr / (1 - beta1**step))))


class AdamW(Adam):
    """Adam with weight decay apart from the gradient (Loshchilov and Hutter, 2019)."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )


class Adamax(Optimizer):
    """Adam with the largest gradient in the place of the mean square."""

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_lr(lr)
        check(eps >= 0.0, f"Invalid epsilon value: {eps}")
        check(0.0 <= betas[0] < 1.0, f"Invalid beta parameter at index 0: {betas[0]}")
        check(0.0 <= betas[1] < 1.0, f"Invalid beta parameter at index 1: {betas[1]}")
        check(weight_decay >= 0.0, f"Invalid weight_decay value: {weight_decay}")
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _update(self, param: Tensor, grad: Array, group: Group) -> None:
        state = self.state[param]
        if not state:
            state["step"] = counter()
            state["exp_avg"] = wrap(np.zeros_like(param._data))
            state["exp_inf"] = wrap(np.zeros_like(param._data))
        step = step_count(state)
        beta1, beta2 = group["betas"]
        if group["weight_decay"] != 0:
            grad = updates.add(grad, param._data, group["weight_decay"])
        grad, mean, largest, now = real(grad, state["exp_avg"]._data, state["exp_inf"]._data, param._data)
        mean = updates.lerp(mean, grad, 1 - beta1)
        largest = np.maximum(updates.scale(largest, beta2), updates.shift(np.abs(grad), group["eps"]))
        write(state["exp_avg"], mean)
        write(state["exp_inf"], largest)
        write(param, updates.addcdiv(now, mean, largest, -(number(group["lr"]) / (1 - beta1**step))))
