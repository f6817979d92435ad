"""`torch.autocast` on the CPU: which functions compute in the small type, which in float32, which in the widest type of
their operands, and the conversions beforehand. It is switched on in `gradviz.torch.amp`; `api.py` gives each function
in the table its conversions, which check a single switch while no autocast is on."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.state import on_new_run, state
from gradviz.engine.kernel.tensor import Tensor

Change = Callable[[Tensor], Tensor]


class Settings:
    """The settings of autocast for each kind of device; `state.autocast` is the CPU's type while it is on."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Reset to the state of a new process."""
        self.enabled = {"cpu": False}
        self.dtype = {"cpu": dtypes.bfloat16}
        self.cache = True
        self.nesting = 0
        self.refresh()

    def refresh(self) -> None:
        """Publish the settings of the CPU to the operations."""
        state.autocast = self.dtype["cpu"] if self.enabled["cpu"] else None


settings = Settings()
on_new_run(settings.reset)
_converted: dict[int, tuple[Tensor, Tensor]] = {}  # parameters in the small type, until the outermost autocast ends

_LINALG = "cholesky cholesky_ex cond eig eigh eigvals eigvalsh householder_product inv inv_ex lstsq matrix_rank qr "
_LINALG += "solve svd svdvals tensorinv tensorsolve"
_FFT = "fft fft2 fftn hfft ifft ifft2 ifftn ihfft irfft irfft2 irfftn rfft rfft2 rfftn"
_SINGLE = """avg_pool3d binary_cross_entropy binary_cross_entropy_with_logits grid_sample polar prod quantile
nanquantile
stft cdist trace view_as_complex cholesky cholesky_inverse cholesky_solve inverse lu_solve orgqr ormqr pinverse geqrf
qr svd triangular_solve mse_loss cosine_embedding_loss nll_loss cross_entropy hinge_embedding_loss kl_div l1_loss
smooth_l1_loss huber_loss margin_ranking_loss multilabel_margin_loss soft_margin_loss triplet_margin_loss
multi_margin_loss poisson_nll_loss ctc_loss max_pool3d max_unpool2d max_unpool3d adaptive_avg_pool3d adaptive_max_pool3d
fractional_max_pool2d fractional_max_pool3d reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d
replication_pad3d"""
_SMALL = """conv1d conv2d conv3d bmm mm baddbmm addmm addbmm linear matmul __matmul__ __rmatmul__ conv_tbc
conv_transpose1d conv_transpose2d conv_transpose3d prelu scaled_dot_product_attention linalg_vecdot linalg_matmul
mkldnn_rnn_layer"""
_POLICY = dict.fromkeys(_SMALL.split(), "small")
_POLICY |= dict.fromkeys(_SINGLE.split(), "single")
_POLICY |= dict.fromkeys((f"linalg_{name}" for name in _LINALG.split()), "single")
_POLICY |= dict.fromkeys((f"fft_{name}" for name in _FFT.split()), "single")
_POLICY |= dict.fromkeys(("stack", "cat", "index_copy"), "widest")


def casting(fn: Callable[..., object], name: str) -> Any:
    """The function with its conversions, if the table has it under this name."""
    policy = _POLICY.get(name)
    if policy is None:
        return fn

    def call(*args: object, **keywords: object) -> object:
        target = state.autocast
        if target is None or keywords.get("out") is not None:
            return fn(*args, **keywords)
        state.autocast = None  # operations inside the function are not converted again
        try:
            change = _change(policy, target, (*args, *keywords.values()))
            # PyTorch converts the last operand first, which shows in the order of the nodes.
            keywords = dict(reversed([(key, _each(change, keywords[key])) for key in reversed(keywords)]))
            return fn(*reversed([_each(change, one) for one in reversed(args)]), **keywords)
        finally:
            state.autocast = target

    functools.update_wrapper(call, fn)
    del call.__wrapped__  # type: ignore[attr-defined]
    return call


def _each(change: Change, value: Any) -> Any:
    """A tensor, or the tensors of a list, converted."""
    if isinstance(value, Tensor):
        return change(value)
    if type(value) in (list, tuple):
        return type(value)(_each(change, one) for one in value)
    return value


def _change(policy: str, target: dtypes.dtype, values: Iterable[object]) -> Change:
    if policy == "small":
        return lambda each: _in_small(each, target)
    if policy == "widest":
        target = _widest(target, values)
    else:
        target = dtypes.float32
    return lambda each: each.to(target) if _eligible(each) else each


def _eligible(each: Tensor) -> bool:
    kind = each.dtype
    return kind.is_floating_point and kind is not dtypes.float64


def _in_small(each: Tensor, target: dtypes.dtype) -> Tensor:
    """Converted; that of a parameter is cached for the next function that takes it."""
    if not _eligible(each) or each.dtype is target:
        return each
    kept = each._requires_grad and each._node is None and each._base is None and each.dtype is dtypes.float32
    if not (kept and settings.cache):
        return each.to(target)
    found = _converted.get(id(each))
    if found is None:
        found = _converted[id(each)] = each, each.to(target)
    return found[1]


def _widest(target: dtypes.dtype, values: Iterable[object]) -> dtypes.dtype:
    found = target
    for value in values:
        for each in value if isinstance(value, list | tuple) else (value,):
            if not isinstance(each, Tensor) or not _eligible(each):
                continue
            if dtypes.float32 in (found, each.dtype):
                found = dtypes.float32
            elif each.dtype is not target:
                raise RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")
    return found


@on_new_run
def clear() -> None:
    """Drop the cached parameters."""
    _converted.clear()
