"""`torch.nn.utils`: clipping gradients, parameters as one vector, sequences of different lengths."""

import gradviz.torch.nn.utils.rnn as rnn
from gradviz.torch.nn.utils.clip import clip_grad_norm, clip_grad_norm_, clip_grad_value_, get_total_norm
from gradviz.torch.nn.utils.vector import parameters_to_vector, vector_to_parameters

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "get_total_norm",
    "parameters_to_vector",
    "rnn",
    "vector_to_parameters",
]
