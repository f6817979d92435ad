"""What a snippet gets from `import torch`: PyTorch's names over our engine, and no mathematics. `import gradviz.torch
as torch` works by itself in any Python. The reference for its behaviour is PyTorch 2.13 on the CPU."""

from __future__ import annotations

import builtins as _builtins
import math as _math
import sys as _sys
from typing import TYPE_CHECKING as _CHECKED

from gradviz.engine import ops as _ops
from gradviz.engine import options as _options
from gradviz.engine.kernel import dtypes as _dtypes
from gradviz.engine.kernel import memory as _memory
from gradviz.engine.kernel.devices import device
from gradviz.engine.kernel.dtypes import dtype, get_default_dtype, set_default_dtype
from gradviz.engine.kernel.modes import (
    enable_grad,
    inference_mode,
    is_anomaly_enabled,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from gradviz.engine.kernel.printing import set_printoptions
from gradviz.engine.kernel.state import state as _state
from gradviz.engine.kernel.tensor import Size, Tensor
from gradviz.engine.numerics.distributions import Generator
from gradviz.engine.ops.draw import generator as default_generator
from gradviz.engine.run import api as _api
from gradviz.engine.run import tensor_gradients as _tensor_gradients
from gradviz.engine.run.arguments import RETURN_TYPES as _RETURN_TYPES
from gradviz.engine.transforms import custom_functions as _custom
from gradviz.torch.legacy import (
    BFloat16Tensor,
    BoolTensor,
    ByteTensor,
    CharTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
)
from gradviz.torch.pytorch_names import rehome as _rehome

__version__ = "2.13.0+cpu"
pi, e, inf, nan = _math.pi, _math.e, _math.inf, _math.nan
newaxis = None
has_lapack = has_mkl = has_openmp = True

# imported to fill the tables of names
_ready = (_custom, _ops, _options, _tensor_gradients)

bool = _dtypes.bool_
uint8, int8, int16, int32, int64 = _dtypes.uint8, _dtypes.int8, _dtypes.int16, _dtypes.int32, _dtypes.int64
short, int, long = int16, int32, int64
float16, bfloat16, float32, float64 = _dtypes.float16, _dtypes.bfloat16, _dtypes.float32, _dtypes.float64
half, float, double = float16, float32, float64
complex64, complex128 = _dtypes.complex64, _dtypes.complex128
cfloat, cdouble = complex64, complex128
strided, sparse_coo, sparse_csr = _memory.STRIDED, _memory.SPARSE_COO, _memory.SPARSE_CSR
layout, memory_format = _memory.layout, _memory.memory_format
globals().update(_memory.FORMATS)
return_types = _RETURN_TYPES
_METHODS_ONLY = """
absolute_ add_ addcdiv_ addcmul_ arctan2_ atan2_ bitwise_and_ bitwise_left_shift_ bitwise_not_ bitwise_or_
bitwise_right_shift_ bitwise_xor_ copysign_ digamma_ div_ divide_ erfinv_ floor_divide_ fmod_ heaviside_ hypot_ igamma_
igammac_ index_add_ index_copy_ index_fill_ index_reduce_ lerp_ lgamma_ logaddexp2_ logaddexp_ logical_and_
logical_not_ logical_or_ logical_xor_ masked_fill_ masked_scatter_ mul_ mvlgamma_ nextafter_ pow_ put_ remainder_
renorm_ scatter_ scatter_add_ scatter_reduce_ sgn_ sign_ sub_ true_divide_
""".split()
globals().update({_name: _found for _name, _found in _api.FUNCTIONS.items() if _name not in _METHODS_ONLY})

_rehome(__name__, {"fft": _api.FFT, "linalg": _api.LINALG, "special": _api.SPECIAL, "signal": {}}, keep=True)
_rehome(f"{__name__}.signal", {"windows": _api.WINDOWS}, keep=True)
_PLATFORMS = dict.fromkeys(("cuda", "hip", "rocm", "xpu"))
_rehome(__name__, {"version": {"__version__": __version__, "debug": False, **_PLATFORMS}}, keep=True)

from gradviz.torch import _C as _C  # noqa: E402
from gradviz.torch import (  # noqa: E402
    amp,
    autograd,
    backends,
    compiler,
    distributions,
    func,
    jit,
    masked,
    nn,
    optim,
    profiler,
    random,
    sparse,
    testing,
    utils,
)
from gradviz.torch import devices as _devices  # noqa: E402
from gradviz.torch import overrides as overrides  # noqa: E402
from gradviz.torch import pytorch_names as _missing  # noqa: E402
from gradviz.torch import storage as storage  # noqa: E402
from gradviz.torch.amp import GradScaler, autocast  # noqa: E402
from gradviz.torch.func import vmap  # noqa: E402
from gradviz.torch.maps import legacy_vmap as _legacy_vmap  # noqa: E402
from gradviz.torch.nn.modules.rnn import gru_cell, lstm_cell, rnn_relu_cell, rnn_tanh_cell  # noqa: E402
from gradviz.torch.serialization import load, save  # noqa: E402
from gradviz.torch.settings import *  # noqa: E402, F403

__all__ = [
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "Generator",
    "GradScaler",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
    "Size",
    "Tensor",
    "amp",
    "autocast",
    "autograd",
    "backends",
    "compile",
    "compiler",
    "default_generator",
    "device",
    "distributions",
    "dtype",
    "enable_grad",
    "func",
    "get_default_dtype",
    "gru_cell",
    "inference_mode",
    "is_anomaly_enabled",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_warn_always_enabled",
    "jit",
    "load",
    "lstm_cell",
    "masked",
    "nn",
    "no_grad",
    "optim",
    "profiler",
    "random",
    "rnn_relu_cell",
    "rnn_tanh_cell",
    "save",
    "set_default_dtype",
    "set_grad_enabled",
    "set_printoptions",
    "set_warn_always",
    "sparse",
    "testing",
    "utils",
    "vmap",
]
__all__ += "accelerator cpu cuda fft linalg mps signal special version".split()  # modules without a file


def compile(model: object = None, **options: object) -> object:
    """Return the function or module itself: nothing is compiled, so that every operation remains visible."""
    if model is not None and not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    return model if model is not None else lambda function: function


def set_warn_always(mode: _builtins.bool) -> None:
    """Choose whether PyTorch's own warnings are given each time instead of once per process."""
    _state.warn_always = mode


def is_warn_always_enabled() -> _builtins.bool:
    """Return whether PyTorch's own warnings are given each time."""
    return _state.warn_always


def _assert(condition: object, message: object) -> None:
    """Raise AssertionError with this message if the condition is false."""
    if not condition:
        raise AssertionError(message)


def is_storage(obj: object) -> _builtins.bool:
    """Whether this is the memory of a tensor."""
    return isinstance(obj, storage.TypedStorage | storage.UntypedStorage)


for _name, _home in {
    "device": "torch",
    "dtype": "torch",
    "Generator": "torch._C",
}.items():
    globals()[_name].__module__ = _home  # shown when a snippet prints a type

torch = _sys.modules[__name__]  # PyTorch has it in these places
autograd.torch = nn.functional.torch = nn.init.torch = torch  # type: ignore[attr-defined, assignment]
_ready_too = _devices  # importing it makes torch.cuda and similar modules
_rehome(__name__, {"_vmap_internals": {"_vmap": _legacy_vmap}}, keep=True)  # private, but used by tests of autograd
_missing.install()

if _CHECKED:  # names that the engine registers; at run time `pytorch_names.py` answers for the others
    from collections.abc import Callable

    def __getattr__(name: str) -> Callable[..., Tensor]:
        raise AttributeError(name)
