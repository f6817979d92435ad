"""`torch.amp`: mixed precision for hardware that is not there. On the CPU it is off, as PyTorch itself leaves it when a
script asks for CUDA."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any


class autocast:
    """Off: everything is computed in the types that the tensors have."""

    def __init__(
        self, device_type: str = "cuda", dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if enabled and device_type == "cpu":
            raise RuntimeError(
                "torch.autocast on the CPU is not supported in GradViz; convert the tensors with .bfloat16() instead"
            )
        if enabled and device_type == "cuda":
            warnings.warn(
                "User provided device_type of 'cuda', but CUDA is not available. Disabling", UserWarning, stacklevel=2
            )

    def __enter__(self) -> autocast:
        return self

    def __exit__(self, *exc: object) -> None:
        pass

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            return func(*args, **kwargs)

        return wrapped


class GradScaler:
    """Off: the loss is not scaled, and steps are taken as they are."""

    def __init__(self, device: str = "cuda", init_scale: float = 65536.0, enabled: bool = True, **options: Any) -> None:
        if enabled and device == "cuda":
            warnings.warn(
                "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.",
                UserWarning,
                stacklevel=2,
            )
        elif enabled:
            raise RuntimeError("torch.amp.GradScaler on the CPU is not supported in GradViz; leave it out")

    def scale(self, outputs: Any) -> Any:
        """The loss itself."""
        return outputs

    def unscale_(self, optimizer: Any) -> None:
        """Nothing was scaled."""

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """A step of the optimizer."""
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale: Any = None) -> None:
        """There is no scale."""

    def get_scale(self) -> float:
        """One."""
        return 1.0

    def is_enabled(self) -> bool:
        """False."""
        return False

    def state_dict(self) -> dict[str, Any]:
        """Empty."""
        return {}


def custom_fwd(fwd: Any = None, *, device_type: str = "", cast_inputs: Any = None) -> Any:
    """The method itself: nothing is cast."""
    return fwd if fwd is not None else lambda function: function


def custom_bwd(bwd: Any = None, *, device_type: str = "") -> Any:
    """The method itself: nothing is cast."""
    return bwd if bwd is not None else lambda function: function


def is_autocast_available(device_type: str) -> bool:
    """Whether PyTorch has an autocast for the device."""
    return device_type in ("cpu", "cuda", "xpu", "mps", "hpu", "mtia")
