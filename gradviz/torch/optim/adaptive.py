"""Steps scaled by past gradients: `RMSprop`, `Adagrad` and `Adadelta`; and by running averages of the gradient and of
its square: `Adam` and its relatives, of which `NAdam` has Nesterov's momentum, `RAdam` a rectified variance. The order
of the arithmetic is PyTorch's, which decides the last digits."""

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


MOMENTS = ("exp_avg", "exp_avg_sq")


def _check(lr: Tensor | float, eps: float, betas: tuple[float, float], weight_decay: float) -> None:
    check_lr(lr)
    check(eps >= 0.0, f"Invalid epsilon value: {eps}")
    check(0.0 <= betas[0] < 1.0, f"Invalid beta parameter at index 0: {betas[0]}")
    check(0.0 <= betas[1] < 1.0, f"Invalid beta parameter at index 1: {betas[1]}")
    check(weight_decay >= 0.0, f"Invalid weight_decay value: {weight_decay}")


def _zeros(param: Tensor, *names: str) -> dict[str, Tensor]:
    return {name: wrap(np.zeros_like(param._data)) for name in names}


def _moments(state: Group, param: Tensor, grad: Array, group: Group) -> tuple[Array, Array, Array, Array]:
    """The gradient with weight decay, the present value, and both moments after this step."""
    (beta1, beta2), decay = group["betas"], group["weight_decay"]
    if decay != 0 and group["decoupled_weight_decay"]:
        write(param, rounding.scale(param._data, 1 - number(group["lr"]) * decay))
    elif decay != 0:
        grad = rounding.add(grad, param._data, decay)
    grad, mean, square, now = real(grad, state["exp_avg"]._data, state["exp_avg_sq"]._data, param._data)
    mean = rounding.lerp(mean, grad, 1 - beta1)
    square = rounding.addcmul(rounding.scale(square, beta2), grad, grad, 1 - beta2)
    write(state["exp_avg"], mean)
    write(state["exp_avg_sq"], square)
    return grad, now, mean, square


class Adam(Optimizer):
    """Kingma and Ba (2015); with `amsgrad` the variant of Reddi et al. (2018)."""

    def __init__(
        self,
        params: object,
        lr: Tensor | float = 1e-3,
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
        _check(lr, eps, betas, weight_decay)
        check_fused(fused, foreach, differentiable)
        names = """lr betas eps weight_decay amsgrad maximize foreach capturable differentiable fused
            decoupled_weight_decay"""
        super().__init__(params, options(locals(), names))

    def _update(self, param: Tensor, grad: Array, group: Group) -> None:
        state = self.state[param]
        if not state:
            state.update(step=counter(), **_zeros(param, *MOMENTS, *(["max_exp_avg_sq"] if group["amsgrad"] else [])))
        step, lr, (beta1, beta2) = step_count(state), number(group["lr"]), group["betas"]
        _, now, mean, square = _moments(state, param, grad, group)
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"]
            square = np.maximum(real(largest._data)[0], square)
            write(largest, square)
        root = rounding.root(square, (1 - beta2**step) ** 0.5, group["eps"])
        write(param, rounding.addcdiv(now, mean, root, -(lr / (1 - beta1**step))))


class AdamW(Adam):
    """Adam with weight decay decoupled from the gradient (Loshchilov and Hutter, 2019)."""

    def __init__(
        self,
        params: object,
        lr: Tensor | float = 1e-3,
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
    """Adam with the largest gradient instead of the mean square."""

    def __init__(
        self,
        params: object,
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
        _check(lr, eps, betas, weight_decay)
        names = "lr betas eps weight_decay foreach maximize differentiable capturable"
        super().__init__(params, options(locals(), names))

    def _update(self, param: Tensor, grad: Array, group: Group) -> None:
        state = self.state[param]
        if not state:
            state.update(step=counter(), **_zeros(param, "exp_avg", "exp_inf"))
        step = step_count(state)
        beta1, beta2 = group["betas"]
        if group["weight_decay"] != 0:
            grad = rounding.add(grad, param._data, group["weight_decay"])
        grad, mean, largest, now = real(grad, state["exp_avg"]._data, state["exp_inf"]._data, param._data)
        mean = rounding.lerp(mean, grad, 1 - beta1)
        largest = np.maximum(rounding.scale(largest, beta2), rounding.shift(np.abs(grad), group["eps"]))
        write(state["exp_avg"], mean)
        write(state["exp_inf"], largest)
        write(param, rounding.addcdiv(now, mean, largest, -(number(group["lr"]) / (1 - beta1**step))))


class NAdam(Optimizer):
    """Adam with Nesterov's momentum (Dozat, 2016)."""

    def __init__(
        self,
        params: object,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        _check(lr, eps, betas, weight_decay)
        check(momentum_decay >= 0.0, f"Invalid momentum_decay value: {momentum_decay}")
        names = """lr betas eps weight_decay momentum_decay decoupled_weight_decay maximize foreach capturable
            differentiable"""
        super().__init__(params, options(locals(), names))

    def _update(self, param: Tensor, grad: Array, group: Group) -> None:
        state = self.state[param]
        if not state:
            state.update(step=counter(), mu_product=wrap(np.ones((), np.float32)), **_zeros(param, *MOMENTS))
        product = state["mu_product"]
        step, lr, (beta1, beta2) = step_count(state), number(group["lr"]), group["betas"]
        grad, now, mean, square = _moments(state, param, grad, group)
        mu = beta1 * (1.0 - 0.5 * 0.96 ** (step * group["momentum_decay"]))
        mu_next = beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * group["momentum_decay"]))
        write(product, product._data * np.float32(mu))
        so_far = float(product._data)
        kind = square.dtype.type
        root = rounding.root(square / kind(1 - beta2**step), 1.0, group["eps"])
        now = rounding.addcdiv(now, grad, root, -lr * (1.0 - mu) / (1.0 - so_far))
        write(param, rounding.addcdiv(now, mean, root, -lr * mu_next / (1.0 - so_far * mu_next)))


class RAdam(Optimizer):
    """Adam with a rectified variance (Liu et al., 2019)."""

    def __init__(
        self,
        params: object,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        _check(lr, eps, betas, weight_decay)
        names = "lr betas eps weight_decay maximize foreach capturable decoupled_weight_decay differentiable"
        super().__init__(params, options(locals(), names))

    def _update(self, param: Tensor, grad: Array, group: Group) -> None:
        state = self.state[param]
        if not state:
            state.update(step=counter(), **_zeros(param, *MOMENTS))
        step, lr, (beta1, beta2) = step_count(state), number(group["lr"]), group["betas"]
        _, now, mean, square = _moments(state, param, grad, group)
        kind = mean.dtype.type
        moved = mean / kind(1 - beta1**step) * kind(lr)
        rest = 1 - beta2**step
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * beta2**step / rest
        if length > 5.0:
            rect = ((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)) ** 0.5
            moved = moved * (kind(rest**0.5) / rounding.root(square, 1.0, group["eps"])) * kind(rect)
        write(param, rounding.add(now, moved, -1.0))
