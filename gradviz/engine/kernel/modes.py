"""Modes that a snippet switches on and off, each a context manager, as in PyTorch: `no_grad`, `enable_grad`,
`set_grad_enabled` and `inference_mode`, which are also decorators; and anomaly mode, `set_detect_anomaly` and
`detect_anomaly`, whose checks are in `run/backward.py`."""

from __future__ import annotations

import functools
import inspect
import sys
import traceback
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any, cast

from gradviz.engine.kernel.state import state

_CLASS = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions or "
    "methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` method "
    "and nothing else."
)


class _Mode:
    """A context manager that is also a decorator, for functions and for generators."""

    def __call__(self, fn: Callable[..., object]) -> Callable[..., Any]:
        if inspect.isclass(fn):
            warnings.warn(_CLASS, FutureWarning, stacklevel=2)
            fn.__init__ = self(fn.__init__)  # type: ignore[method-assign]
            return fn
        if inspect.isgeneratorfunction(fn):
            return self._wrap_generator(fn)

        def decorate_context(*args: object, **kwargs: object) -> object:
            with self.clone():
                return fn(*args, **kwargs)

        decorate_context.__qualname__ = "context_decorator.<locals>.decorate_context"
        return functools.update_wrapper(decorate_context, fn)

    def _wrap_generator(self, fn: Callable[..., Any]) -> Callable[..., object]:
        @functools.wraps(fn)
        def wrapped(*args: object, **kwargs: object) -> Any:
            generator = fn(*args, **kwargs)
            step: Callable[[], Any] = functools.partial(generator.send, None)
            while True:
                try:
                    with self.clone():
                        value = step()
                except StopIteration as end:
                    return end.value
                try:  # what the caller sends or throws, and its close, go on to the generator, under the mode again
                    step = functools.partial(generator.send, (yield value))
                except GeneratorExit:
                    with self.clone():
                        generator.close()
                    raise
                except BaseException as error:  # noqa: BLE001  # it is passed on
                    step = functools.partial(generator.throw, error)

        return wrapped

    def clone(self) -> _Mode:
        """A fresh instance for each call."""
        return type(self)()

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, *exc: object) -> None:
        raise NotImplementedError


class _GradMode(_Mode):
    value = False

    def __enter__(self) -> None:
        self.previous = state.grad
        state.grad = self.value

    def __exit__(self, *exc: object) -> None:
        state.grad = self.previous


class no_grad(_GradMode):
    """Operations inside are not tracked."""

    def __new__(cls, orig_func: Callable[..., object] | None = None) -> Any:
        made = super().__new__(cls)
        return made if orig_func is None else made(orig_func)


class enable_grad(_GradMode):
    """Operations inside are tracked, also within `no_grad`."""

    value = True

    def __new__(cls, orig_func: Callable[..., object] | None = None) -> Any:
        made = super().__new__(cls)
        return made if orig_func is None else made(orig_func)


class set_grad_enabled(_Mode):
    """Switch tracking at once; as a context manager it restores the previous state at the end."""

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(
                f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {type(mode).__name__}"
            )
        self.previous = state.grad
        self.mode = bool(mode)
        state.grad = self.mode

    def __call__(self, fn: Callable[..., object]) -> Callable[..., Any]:
        state.grad = self.previous
        return super().__call__(fn)

    def clone(self) -> set_grad_enabled:
        return set_grad_enabled(self.mode)

    def __enter__(self) -> None:
        state.grad = self.mode

    def __exit__(self, *exc: object) -> None:
        state.grad = self.previous

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"


class set_multithreading_enabled(_Mode):
    """Remembered only: a backward pass runs in the calling thread."""

    def __init__(self, mode: bool) -> None:
        self.prev, self.mode = state.multithreading, mode
        state.multithreading = mode

    def clone(self) -> set_multithreading_enabled:
        return set_multithreading_enabled(self.mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        state.multithreading = self.prev


class _force_original_view_tracking(_Mode):
    """Remembered only: a view's history is always rebuilt from its place in the base."""

    enabled = False

    def __init__(self, mode: bool) -> None:
        self.prev, self.mode = _force_original_view_tracking.enabled, mode
        _force_original_view_tracking.enabled = mode

    def clone(self) -> _force_original_view_tracking:
        return _force_original_view_tracking(self.mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        _force_original_view_tracking.enabled = self.prev


class inference_mode(_Mode):
    """Like `no_grad`, and tensors made inside can never take part in autograd; with False, both are off."""

    def __new__(cls, mode: object = True) -> Any:
        made = super().__new__(cls)
        if not isinstance(mode, bool):  # a function
            made.mode = True
            return made(cast(Callable[..., object], mode))
        return made

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def clone(self) -> inference_mode:
        return inference_mode(self.mode)

    def __enter__(self) -> None:
        self.previous = (state.grad, state.inference)
        state.grad, state.inference = not self.mode, self.mode

    def __exit__(self, *exc: object) -> None:
        state.grad, state.inference = self.previous


def is_grad_enabled() -> bool:
    """Return whether operations are tracked now."""
    return state.grad


def is_inference_mode_enabled() -> bool:
    """Return whether inference mode is on."""
    return state.inference


# --- anomaly mode ---


_NO_FILE = ("<string>", "<frozen ")


class set_detect_anomaly:
    """Switch anomaly mode at once; as a context manager it restores the previous state at the end."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.previous = (state.anomaly, state.anomaly_nan)
        state.anomaly, state.anomaly_nan = mode, check_nan

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        state.anomaly, state.anomaly_nan = self.previous


def is_anomaly_enabled() -> bool:
    """Return whether anomaly mode is on."""
    return state.anomaly


class detect_anomaly:
    """While this is open, an error in backward names the forward line that made the node."""

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled "
            "for debugging.",
            UserWarning,
            stacklevel=2,
        )

    def __enter__(self) -> None:
        self.previous = (state.anomaly, state.anomaly_nan)
        state.anomaly, state.anomaly_nan = True, self.check_nan

    def __exit__(self, *exc: object) -> None:
        state.anomaly, state.anomaly_nan = self.previous


def forward_stack() -> list[str]:
    """The snippet's part of the call stack, for anomaly mode's message: without the program around and below it."""
    frames = [each for each in traceback.walk_stack(sys._getframe()) if not _is_own(each[0])]
    return traceback.StackSummary.extract(reversed(frames)).format()


def _is_own(frame: FrameType) -> bool:
    name = frame.f_globals.get("__name__")
    is_of_gradviz = type(name) is str and name.split(".")[0] == "gradviz"
    return is_of_gradviz or frame.f_code.co_filename.startswith(_NO_FILE)
