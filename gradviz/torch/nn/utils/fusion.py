"""Batch normalisation folded into the layer before it, for evaluation, and modules made without initial values."""

from __future__ import annotations

import copy
from typing import Any

from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.torch.nn.parameter import Parameter


def fuse_conv_bn_weights(
    conv_w: Any,
    conv_b: Any,
    bn_rm: object,
    bn_rv: Any,
    bn_eps: float,
    bn_w: object,
    bn_b: object,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """The weight and bias of a convolution that does both."""
    conv_b = T["zeros_like"](bn_rm) if conv_b is None else conv_b
    bn_w = T["ones_like"](bn_rm) if bn_w is None else bn_w
    bn_b = T["zeros_like"](bn_rm) if bn_b is None else bn_b
    scale = bn_w * T["rsqrt"](bn_rv + bn_eps)
    shape = [1, -1] if transpose else [-1, 1]
    weight = conv_w * scale.reshape(shape + [1] * (len(conv_w.shape) - 2))
    bias = (conv_b - bn_rm) * scale + bn_b
    return Parameter(weight.detach(), conv_w.requires_grad), Parameter(bias.detach(), conv_b.requires_grad)


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A convolution that does what convolution and normalisation do, in evaluation."""
    if conv.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    fused = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def fuse_linear_bn_weights(
    linear_w: Any, linear_b: Any, bn_rm: object, bn_rv: Any, bn_eps: float, bn_w: object, bn_b: object
) -> tuple[Parameter, Parameter]:
    """The weight and bias of a linear layer that does both."""
    linear_b = T["zeros_like"](bn_rm) if linear_b is None else linear_b
    scale = bn_w * T["rsqrt"](bn_rv + bn_eps)
    weight = linear_w * scale.unsqueeze(-1)
    bias = (linear_b - bn_rm) * scale + bn_b
    return Parameter(weight.detach(), linear_w.requires_grad), Parameter(bias.detach(), linear_b.requires_grad)


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A linear layer that does what layer and normalisation do, in evaluation."""
    if linear.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    fused = copy.deepcopy(linear)
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError("To fuse, linear.out_features == bn.num_features or bn.num_features == 1")
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused


def skip_init(module_cls: Any, *args: object, **kwargs: object) -> Any:
    """A module whose parameters have arbitrary values."""
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, **kwargs).to_empty(device=device)
