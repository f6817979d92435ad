"""`Adafactor`, `Muon` and `SparseAdam`: optimizers for matrices of weights, and one for sparse gradients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.numerics import rounding
from gradviz.engine.ops.facts import finfo
from gradviz.engine.ops.sparse import coalesced
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.torch.optim.optimizer import Group, Optimizer, check, counter, number, options, step_count, write


class Adafactor(Optimizer):
    """Shazeer and Stern (2018): the mean squares of a matrix are kept by row and column."""

    def __init__(
        self,
        params: object,
        lr: object = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        check(not isinstance(lr, Tensor) or lr.numel() == 1, "Tensor lr must be 1-element")
        check(number(lr) >= 0.0, f"Learning rate should be >= 0 but is: {lr}")
        check(beta2_decay <= 0.0, f"beta2_decay should be <= 0 but is: {beta2_decay}")
        check(eps[0] is None or eps[0] >= 0.0, f"epsilon1 should be >= 0 but is: {eps[0]}")
        check(eps[1] >= 0.0, f"epsilon2 should be >= 0 but is: {eps[1]}")
        check(d >= 1.0, f"Clipping threshold d should be >= 1 but is: {d}")
        check(weight_decay >= 0.0, f"weight_decay should be >= 0 but is: {weight_decay}")
        super().__init__(params, options(locals(), "lr beta2_decay eps d weight_decay foreach maximize"))

    def _state_of(self, param: Tensor) -> dict[str, object]:
        state = self.state[param]
        if not state:
            shape, kind = param._data.shape, param._data.dtype
            state["step"] = counter()
            if param._data.ndim > 1:
                state["row_var"] = wrap(np.zeros((*shape[:-1], 1), kind))
                state["col_var"] = wrap(np.zeros((*shape[:-2], 1, shape[-1]), kind))
            else:
                state["variance"] = wrap(np.zeros(shape, kind))
        return state

    def _mean_square(self, state: dict[str, Any], grad: Array, weight: float, eps: float) -> Array:
        if grad.ndim < 2:
            write(state["variance"], rounding.lerp(state["variance"]._data, np.square(grad), weight))
            return np.array(state["variance"]._data)
        for name, axis in (("row_var", -1), ("col_var", -2)):
            mean = np.square(np.linalg.norm(grad, axis=axis, keepdims=True)) / grad.shape[axis]
            write(state[name], rounding.lerp(state[name]._data, mean.astype(grad.dtype), weight))
        rows = state["row_var"]._data
        product: Array = rows @ state["col_var"]._data
        found: Array = product / np.maximum(rows.mean(axis=-2, keepdims=True), eps)
        return found

    def _update(self, param: Tensor, grad: Array, group: Group) -> None:
        state = self._state_of(param)
        step, lr = step_count(state), number(group["lr"])
        eps1, eps2 = group["eps"]
        eps1 = float(finfo(param.dtype).eps) if eps1 is None else eps1
        rate = min(lr, 1 / math.sqrt(step))
        size = float(np.linalg.norm(param._data)) / math.sqrt(param._data.size)
        rate *= max(eps2, size)
        if group["weight_decay"] != 0:
            write(param, rounding.scale(param._data, 1 - lr * group["weight_decay"]))
        square = self._mean_square(state, grad, step ** group["beta2_decay"], eps1)
        change = (grad / np.sqrt(np.maximum(square, eps1 * eps1))).astype(grad.dtype)
        large = float(np.linalg.norm(change)) / (math.sqrt(change.size) * group["d"])
        write(param, rounding.add(param._data, change, -rate / max(1.0, large)))


class Muon(Optimizer):
    """Jordan et al. (2024): the momentum of a matrix, orthogonalised by Newton and Schulz in bfloat16."""

    def __init__(
        self,
        params: object,
        lr: Any = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        check(not isinstance(lr, Tensor) or lr.numel() == 1, "Tensor lr must be 1-element")
        check(number(lr) >= 0.0, f"Learning rate should be >= 0 but is: {lr}")
        check(momentum >= 0.0, f"momentum should be >= 0 but is: {momentum}")
        check(weight_decay >= 0.0, f"weight decay should be >= 0 but is: {weight_decay}")
        known = adjust_lr_fn in (None, "original", "match_rms_adamw")
        check(known, f"Adjust learning rate function {adjust_lr_fn} is not supported")
        names = "lr weight_decay momentum nesterov ns_coefficients eps ns_steps adjust_lr_fn"
        super().__init__(params, options(locals(), names))
        for group in self.param_groups:
            for param in group["params"]:
                check(
                    param.ndim == 2,
                    f"Muon only supports 2D parameters whereas we found a parameter with size: {param.size()}",
                )

    def _update(self, param: Tensor, grad: Array, group: Group) -> None:
        state = self.state[param]
        if not state:
            state["momentum_buffer"] = wrap(np.zeros_like(grad))
        momentum, lr = group["momentum"], number(group["lr"])
        mean = rounding.lerp(state["momentum_buffer"]._data, grad, 1 - momentum)
        write(state["momentum_buffer"], mean)
        change = rounding.lerp(grad, mean, momentum) if group["nesterov"] else mean
        change = _orthogonal(change, group).astype(param._data.dtype)
        rows, columns = param._data.shape
        if group["adjust_lr_fn"] == "match_rms_adamw":
            rate = lr * 0.2 * math.sqrt(max(rows, columns))
        else:
            rate = lr * math.sqrt(max(1, rows / columns))
        now = rounding.scale(param._data, 1 - lr * group["weight_decay"])
        write(param, rounding.add(now, change, -rate))


def _orthogonal(matrix: Array, group: Group) -> Array:
    a, b, c = group["ns_coefficients"]
    check(group["ns_steps"] < 100, "Number of steps must be less than 100 for computational efficiency")
    x = wrap(matrix).bfloat16()
    tall = x.shape[0] > x.shape[1]
    x = x.T if tall else x
    x = x / x.norm().clamp(min=group["eps"])
    for _ in range(group["ns_steps"]):
        gram = x @ x.T
        x = T["addmm"](x, T["addmm"](gram, gram, gram, beta=b, alpha=c), x, beta=a)
    found: Array = (x.T if tall else x)._data
    return found


class SparseAdam(Optimizer):
    """Adam for sparse gradients: only the rows that a gradient specifies change, and their averages."""

    _takes_sparse = True

    def __init__(
        self,
        params: object,
        lr: object = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        check(number(lr) > 0.0, f"Invalid learning rate: {lr}")
        check(eps > 0.0, f"Invalid epsilon value: {eps}")
        check(0.0 <= betas[0] < 1.0, f"Invalid beta parameter at index 0: {betas[0]}")
        check(0.0 <= betas[1] < 1.0, f"Invalid beta parameter at index 1: {betas[1]}")
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})

    def _update(self, param: Tensor, grad: Array, group: Group) -> None:
        held = param._grad
        if held is None or held._coo is None:
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
        known, state = coalesced(held._coo, grad.shape), self.state[param]
        if not state:
            state.update(step=0, exp_avg=T["zeros_like"](param), exp_avg_sq=T["zeros_like"](param))
        state["step"] += 1
        if not known.values.size:
            return
        at, new = tuple(known.indices), -known.values if group["maximize"] else known.values
        beta1, beta2 = group["betas"]
        first, second = state["exp_avg"]._data, state["exp_avg_sq"]._data
        first[at] += (new - first[at]) * (1 - beta1)
        second[at] += (new * new - second[at]) * (1 - beta2)
        scale = (1 - beta2 ** state["step"]) ** 0.5 / (1 - beta1 ** state["step"])
        by = first[at] / (np.sqrt(second[at]) + grad.dtype.type(group["eps"]))
        param._data[at] += (-number(group["lr"]) * scale * by).astype(grad.dtype)
        param._count_write()
