"""`torch.nn.utils`: clipping gradients, parameters as one vector, sequences of different lengths,
parametrizations and pruning."""

import gradviz.torch.nn.utils.parametrizations as parametrizations
import gradviz.torch.nn.utils.parametrize as parametrize
import gradviz.torch.nn.utils.rnn as rnn
import gradviz.torch.nn.utils.stateless as stateless
from gradviz.torch.nn.utils.clip import (
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
    parameters_to_vector,
    vector_to_parameters,
)
from gradviz.torch.nn.utils.fusion import (
    fuse_conv_bn_eval,
    fuse_conv_bn_weights,
    fuse_linear_bn_eval,
    fuse_linear_bn_weights,
    skip_init,
)
from gradviz.torch.nn.utils.normed import remove_spectral_norm, remove_weight_norm, spectral_norm, weight_norm

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
    "get_total_norm",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "skip_init",
    "spectral_norm",
    "stateless",
    "vector_to_parameters",
    "weight_norm",
]

for _module in (parametrizations, parametrize, rnn):
    for _found in vars(_module).values():
        if isinstance(_found, type) and _found.__module__ == _module.__name__:
            _found.__module__ = _module.__name__.removeprefix("gradviz.")  # shown by `print(type(layer))`
