"""Stochastic gradient descent with momentum."""

from __future__ import annotations

from typing import Any

from gradviz.engine import fused
from gradviz.engine.tensor import Tensor, wrap
from gradviz.torch.optim.optimizer import Array, Group, Optimizer, check, check_fused, check_lr, number, write


class SGD(Optimizer):
    """param -= lr * grad, with weight decay, momentum, dampening and Nesterov momentum."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
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
        check_lr(lr)
        check(momentum >= 0.0, f"Invalid momentum value: {momentum}")
        check(number(weight_decay) >= 0.0, f"Invalid weight_decay value: {weight_decay}")
        check(
            not nesterov or (momentum > 0 and dampening == 0),
            "Nesterov momentum requires a momentum and zero dampening",
        )
        check_fused(fused, foreach, differentiable)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)

    def _update(self, param: Tensor, grad: Array, group: Group) -> None:
        if group["weight_decay"] != 0:
            grad = fused.add(grad, param._data, number(group["weight_decay"]))
        momentum = group["momentum"]
        if momentum != 0:
            state = self.state[param]
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = wrap(grad.copy())
            else:
                write(buffer, fused.add(fused.scale(buffer._data, momentum), grad, 1 - group["dampening"]))
            grad = fused.add(grad, buffer._data, momentum) if group["nesterov"] else buffer._data
        write(param, fused.add(param._data, grad, -number(group["lr"])))
