"""`torch.func`: the functions under that name. Derivatives are in `derivatives.py`, `vmap` in `maps.py`, modules as
functions in `stateless.py`."""

from __future__ import annotations

from collections.abc import Callable

from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.transforms.layered import unwrapped, wrappers
from gradviz.torch.derivatives import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp
from gradviz.torch.maps import vmap
from gradviz.torch.stateless import functional_call, replace_all_batch_norm_modules_, stack_module_state

__all__ = [
    "debug_unwrap",
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]


def functionalize(func: Callable[..., object], *, remove: str = "mutations") -> Callable[..., object]:
    """Return the function itself: its results are the same without in-place writes."""
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\n"
            "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced "
            "with their out-of-place equivalents.\n"
            "     remove='mutations_and_views': In addition to the above, all aliasing operators {view} will be "
            "replaced with their non-aliasing counterparts, {view}_copy.\n"
        )
    return func


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """The tensor inside the wrappers of the transforms, to inspect its numbers."""
    return unwrapped(tensor, recurse) if wrappers(tensor) else tensor
