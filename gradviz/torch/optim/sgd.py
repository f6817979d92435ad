"""Stochastic gradient descent with momentum; `ASGD`, which averages it; and `Rprop`, steps by the sign of the
gradient."""

from __future__ import annotations

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
    step_count,
    write,
)


class SGD(Optimizer):
    """param -= lr * grad, with weight decay, momentum, dampening and Nesterov momentum."""

    _takes_sparse = True

    def __init__(
        self,
        params: object,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check(isinstance(lr, Tensor) or not lr < 0.0, f"Invalid learning rate: {lr}")
        check_lr(lr)
        check(not momentum < 0.0, f"Invalid momentum value: {momentum}")
        check(not number(weight_decay) < 0.0, f"Invalid weight_decay value: {weight_decay}")
        check(
            not nesterov or (momentum > 0 and dampening == 0),
            "Nesterov momentum requires a momentum and zero dampening",
        )
        check_fused(fused, foreach, differentiable)
        names = "lr momentum dampening weight_decay nesterov maximize foreach differentiable fused"
        super().__init__(params, options(locals(), names))

    def _update(self, param: Tensor, grad: Array, group: Group) -> None:
        if group["weight_decay"] != 0:
            grad = rounding.add(grad, param._data, number(group["weight_decay"]))
        momentum = group["momentum"]
        if momentum != 0:
            state = self.state[param]
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = wrap(grad.copy())
            else:
                write(buffer, rounding.add(rounding.scale(buffer._data, momentum), grad, 1 - group["dampening"]))
            grad = rounding.add(grad, buffer._data, momentum) if group["nesterov"] else buffer._data
        write(param, rounding.add(param._data, grad, -number(group["lr"])))


# --- steps by the sign, and averages ---


class Rprop(Optimizer):
    """Each element has its own step size, which grows while the gradient keeps its sign."""

    def __init__(
        self,
        params: object,
        lr: object = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check(0.0 < etas[0] < 1.0 < etas[1], f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, options(locals(), "lr etas step_sizes foreach maximize differentiable capturable"))

    def _update(self, param: Tensor, grad: Array, group: Group) -> None:
        state = self.state[param]
        if not state:
            state["step"] = counter()
            state["prev"] = wrap(np.zeros_like(param._data))
            state["step_size"] = wrap(np.full_like(grad, number(group["lr"])))
        step_count(state)
        shrink, grow = group["etas"]
        kind = grad.dtype.type
        sign = np.sign(grad * state["prev"]._data)
        factor = np.where(sign > 0, kind(grow), np.where(sign < 0, kind(shrink), kind(1)))
        size = np.clip(state["step_size"]._data * factor, *(kind(each) for each in group["step_sizes"]))
        write(state["step_size"], size)
        kept = np.where(sign < 0, kind(0), grad)
        write(param, rounding.addcmul(param._data, np.sign(kept), size, -1))
        write(state["prev"], kept)


class ASGD(Optimizer):
    """Averaged stochastic gradient descent (Polyak and Juditsky, 1992)."""

    def __init__(
        self,
        params: object,
        lr: object = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_lr(lr)
        check(weight_decay >= 0.0, f"Invalid weight_decay value: {weight_decay}")
        names = "lr lambd alpha t0 weight_decay foreach maximize differentiable capturable"
        super().__init__(params, options(locals(), names))

    def _update(self, param: Tensor, grad: Array, group: Group) -> None:
        state, lr, lambd = self.state[param], number(group["lr"]), group["lambd"]
        if not state:
            state["step"] = counter()
            state["eta"] = wrap(np.asarray(lr, np.float32))
            state["mu"] = wrap(np.ones((), np.float32))
            state["ax"] = wrap(np.zeros_like(param._data))
        step = step_count(state)
        if group["weight_decay"] != 0:
            grad = rounding.add(grad, param._data, group["weight_decay"])
        eta, mu = float(state["eta"]._data), float(state["mu"]._data)
        write(param, rounding.scale(param._data, 1 - lambd * eta))
        write(param, rounding.add(param._data, grad, -eta))
        average = state["ax"]
        if mu == 1:
            write(average, param._data)
        else:
            write(average, rounding.add(average._data, rounding.scale(param._data - average._data, mu), 1))
        write(state["eta"], np.asarray(lr / (1 + lambd * lr * step) ** group["alpha"], np.float32))
        write(state["mu"], np.asarray(1 / max(1, step - group["t0"]), np.float32))
