"""`Optimizer`: parameter groups, per-parameter state, `zero_grad`, hooks, saving and loading. The arithmetic of a step
is in the subclasses (`sgd.py`, `adaptive.py`, …), whose `_update` gets one parameter at a time."""

from __future__ import annotations

import functools
import operator
import sys
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping
from copy import deepcopy
from itertools import chain
from typing import Any, NoReturn

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.graph import RemovableHandle
from gradviz.engine.kernel.messages import real_number
from gradviz.engine.kernel.modes import enable_grad, no_grad
from gradviz.engine.kernel.state import on_new_run, paused
from gradviz.engine.kernel.state import state as engine_state
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.run.inplace import put
from gradviz.torch.nn.modules.module import clear_grad
from gradviz.torch.nn.modules.registry import typename

Group = dict[str, Any]


_HOMES = {
    "Adamax": "torch.optim.adamax",
    "AdamW": "torch.optim.adamw",
    "Adagrad": "torch.optim.adagrad",
    "Adadelta": "torch.optim.adadelta",
    "RMSprop": "torch.optim.rmsprop",
    "NAdam": "torch.optim.nadam",
    "RAdam": "torch.optim.radam",
    "ASGD": "torch.optim.asgd",
}  # their modules in PyTorch, as printed for a type


EVERYWHERE: dict[str, OrderedDict[int, Callable[..., object]]] = {"pre": OrderedDict(), "post": OrderedDict()}
"""The hooks for the steps of all optimizers, by when they are called."""


@on_new_run
def remove_all() -> None:
    """Remove the hooks for all optimizers, as in a new process."""
    for hooks in EVERYWHERE.values():
        hooks.clear()


def register_optimizer_step_pre_hook(hook: Callable[..., object]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` before each step of every optimizer."""
    return _keep(EVERYWHERE["pre"], hook)


def register_optimizer_step_post_hook(hook: Callable[..., object]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` after each step of every optimizer."""
    return _keep(EVERYWHERE["post"], hook)


class _RequiredParameter:
    """The value of an option that has no default."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _RequiredParameter()


class Optimizer:
    """Holds parameters in groups with options, and updates them by their gradients."""

    _takes_sparse = False  # whether gradients may be sparse

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        for name in (
            "_optimizer_step_pre_hooks", "_optimizer_step_post_hooks", "_optimizer_state_dict_pre_hooks",
            "_optimizer_state_dict_post_hooks", "_optimizer_load_state_dict_pre_hooks",
            "_optimizer_load_state_dict_post_hooks",
        ):  # fmt: skip
            setattr(self, name, OrderedDict())
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + params.dtype.label
            )
        self.state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[Group] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith("gradviz."):
            cls.__module__ = _HOMES.get(cls.__name__, cls.__module__.removeprefix("gradviz."))
        if "step" in cls.__dict__:
            cls.step = _reported(cls.step)  # type: ignore[method-assign]

    # --- groups ---

    def add_param_group(self, param_group: Group) -> None:
        """Add a group of parameters with separate options."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        self._name_params(param_group)
        for param in param_group["params"]:
            if not isinstance(param, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {typename(param)}")
            if not self.defaults.get("differentiable") and not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        params = param_group["params"]
        if len(params) != len(set(params)):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        if not {p for group in self.param_groups for p in group["params"]}.isdisjoint(params):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def _name_params(self, param_group: Group) -> None:
        """Make the parameters a list; pairs of name and parameter are separated."""
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        listed = [params] if isinstance(params, Tensor) else list(params)
        names = [param[0] for param in listed if isinstance(param, tuple)]
        param_group["params"] = [param[1] if isinstance(param, tuple) else param for param in listed]
        if names:
            if len(names) != len(listed):
                raise ValueError("all optimizer params should be with/without names. Some param names are missing")
            param_group["param_names"] = names
        for group in self.param_groups:
            if ("param_names" in param_group) != ("param_names" in group):
                kind = "with names" if "param_names" in param_group else "without names"
                raise ValueError(
                    "all optimizer param groups should be with/without names. "
                    f"cannot add param group {kind} to the optimizer"
                )

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for index, group in enumerate(self.param_groups):
            text += f"\nParameter Group {index}\n"
            text += "".join(f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params")
        return text + ")"

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients of all parameters."""
        for group in self.param_groups:
            for param in group["params"]:
                clear_grad(param, set_to_none)

    # --- stepping ---

    def step(self, closure: Callable[[], object] | None = None) -> object:
        """Update every parameter that has a gradient; `closure` recomputes the loss first."""
        if type(self)._update is Optimizer._update:
            raise NotImplementedError
        loss = None
        if closure is not None:
            with enable_grad():
                loss = operator.call(closure)
        observer = engine_state.observer
        changed: list[Tensor] = []
        groups: list[Group] = []
        with no_grad(), paused():
            for group in self.param_groups:
                settings = {name: _setting(group[name]) for name in self.defaults if name in group}
                for param in group["params"]:
                    if param._grad is not None:
                        if observer is not None:
                            observer.before_write(param)
                        if settings.get("capturable"):
                            refuse_capturable(type(self).__name__, bool(settings.get("foreach")))
                        if param._grad.is_sparse and not self._takes_sparse:
                            refuse_sparse(self)
                        changed.append(param)
                        groups.append(group)
                        grad = param._grad._data
                        self._update(param, -grad if settings.get("maximize") else grad, settings)
        if observer is not None:
            observer.optimizer(type(self).__name__, changed, groups, self.state)
        return loss

    def _update(self, param: Tensor, grad: Array, group: Group) -> None:
        """Update one parameter in a step."""
        raise NotImplementedError

    def register_step_pre_hook(self, hook: Callable[..., object]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step."""
        return _register(self, "_optimizer_step_pre_hooks", hook, False)

    def register_step_post_hook(self, hook: Callable[..., object]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return _register(self, "_optimizer_step_post_hooks", hook, False)

    def register_state_dict_pre_hook(self, hook: Callable[..., object], prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer)` before `state_dict`."""
        return _register(self, "_optimizer_state_dict_pre_hooks", hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., object], prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` after `state_dict`."""
        return _register(self, "_optimizer_state_dict_post_hooks", hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., object], prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` before `load_state_dict`."""
        return _register(self, "_optimizer_load_state_dict_pre_hooks", hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., object], prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer)` after `load_state_dict`."""
        return _register(self, "_optimizer_load_state_dict_post_hooks", hook, prepend)

    # --- saving ---

    def state_dict(self) -> dict[str, object]:
        """State and groups, with numbers in place of parameters."""
        for hook in self.__dict__["_optimizer_state_dict_pre_hooks"].values():
            hook(self)
        numbers: dict[object, int] = {}
        groups = []
        start = 0
        for group in self.param_groups:
            numbers |= {param: at for at, param in enumerate(group["params"], start) if param not in numbers}
            start += len(group["params"])
            packed = {key: value for key, value in group.items() if key != "params"}
            packed["params"] = [numbers[param] for param in group["params"]]
            groups.append(packed)
        state = {numbers[key] if isinstance(key, Tensor) else key: value for key, value in self.state.items()}
        saved: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in self.__dict__["_optimizer_state_dict_post_hooks"].values():
            found = hook(self, saved)
            saved = saved if found is None else found
        return saved

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore what `state_dict` returned."""
        state_dict = state_dict.copy()
        for hook in self.__dict__["_optimizer_load_state_dict_pre_hooks"].values():
            found = hook(self, state_dict)
            state_dict = state_dict if found is None else found
        saved = deepcopy(state_dict["param_groups"])
        if len(self.param_groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(g["params"]) != len(s["params"]) for g, s in zip(self.param_groups, saved, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        ours = chain.from_iterable(group["params"] for group in self.param_groups)
        theirs = chain.from_iterable(group["params"] for group in saved)
        params = dict(zip(theirs, ours, strict=True))
        self.state = defaultdict(dict)
        for key, values in state_dict["state"].items():
            if key in params:
                self.state[params[key]] = {name: _cast(params[key], v, name) for name, v in values.items()}
            else:
                self.state[key] = values
        for group, new in zip(self.param_groups, saved, strict=True):
            new["params"] = group["params"]
        self.param_groups = saved
        self._restored({"state": self.state, "param_groups": saved})
        for hook in self.__dict__["_optimizer_load_state_dict_post_hooks"].values():
            hook(self)

    def _restored(self, state: dict[str, object]) -> None:
        """Called with the loaded state; the `__setstate__` of a user's class takes this name."""


def _keep(known: OrderedDict[int, Callable[..., object]], hook: Callable[..., object]) -> RemovableHandle:
    handle = RemovableHandle(known)
    known[handle.id] = hook
    return handle


def _register(optimizer: Optimizer, kind: str, hook: Callable[..., object], prepend: bool) -> RemovableHandle:
    known = optimizer.__dict__[kind]
    handle = _keep(known, hook)
    if prepend:
        known.move_to_end(handle.id, last=False)
    return handle


def _cast(param: Tensor, value: Tensor, name: str) -> Tensor:
    """Convert a loaded piece of state to the type of its parameter; the step count keeps its own."""
    if isinstance(value, Tensor):
        if name == "step" or not param.dtype.is_floating_point or value._data.dtype == param._data.dtype:
            return value
        return wrap(value._data.astype(param._data.dtype))
    return value


def _reported(step: Callable[..., object]) -> Callable[..., object]:
    """Wrap a `step` with the step hooks and the report to the observer."""

    @functools.wraps(step)
    def wrapper(self: Optimizer, *args: object, **kwargs: object) -> object:
        given: Any = (self, *args)
        for hook in (*EVERYWHERE["pre"].values(), *self.__dict__["_optimizer_step_pre_hooks"].values()):
            found = hook(self, given, kwargs)
            if found is not None:
                if not (isinstance(found, tuple) and len(found) == 2):
                    raise RuntimeError(
                        f"{step} must return None or a tuple of (new_args, new_kwargs), but got {found}."
                    )
                given, kwargs = (self, *list(found[0])[1:]), found[1]  # whatever stands in its place would get arrays
        if "_opt_called" in self.__dict__:  # a scheduler watches
            self.__dict__["_opt_called"] = True
        result = step(*given, **kwargs)
        for hook in (*self.__dict__["_optimizer_step_post_hooks"].values(), *EVERYWHERE["post"].values()):
            hook(self, given, kwargs)
        return result

    return wrapper


Optimizer.step = _reported(Optimizer.step)  # type: ignore[method-assign]


def number(value: Any) -> float:
    """The value of a setting that may be a tensor of one element."""
    return float(value._data.reshape(-1)[0]) if isinstance(value, Tensor) else value


_PLAIN = frozenset((float, int, bool, str, type(None)))


def _setting(value: object) -> object:
    """An option as an update reads it: NumPy gets numbers of Python's own types only."""
    if type(value) in _PLAIN or isinstance(value, Tensor):
        return value
    if isinstance(value, (tuple, list)):
        return tuple(map(_setting, value))
    return real_number(value)


def options(given: Mapping[str, object], names: str) -> Group:
    """The options of an optimizer by name, from the arguments of its `__init__` (`locals()`), in PyTorch's order."""
    return {name: given[name] for name in names.split()}


def check(condition: bool, message: str) -> None:
    """Refuse an invalid setting."""
    if not condition:
        raise ValueError(message)


def check_lr(lr: object) -> None:
    """Refuse a learning rate that is negative or has several elements."""
    check(not isinstance(lr, Tensor) or lr.numel() == 1, "Tensor lr must be 1-element")
    least = 0.0
    check(least <= number(lr), f"Invalid learning rate: {lr}")


def check_fused(fused: bool | None, foreach: bool | None, differentiable: bool) -> None:
    """Refuse contradictory choices of PyTorch's implementation; here there is only one."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


_BESIDES = {"NAdam": ", mu_products", "ASGD": ", mus, etas,"}  # what else is on the device


def refuse_sparse(optimizer: Optimizer) -> NoReturn:
    """Most optimizers need all elements of a gradient."""
    name = next(each.__name__ for each in type(optimizer).__mro__ if "_update" in vars(each))
    way = ", please consider SparseAdam instead" if name == "Adam" else ""
    raise RuntimeError(f"{name} does not support sparse gradients{way}")


def refuse_capturable(name: str, foreach: bool) -> NoReturn:
    """Graphs of operations are captured on other devices than the CPU."""
    fewer = name == "Adadelta" or (foreach and name != "Rprop")
    devices = ["cuda", "xpu", "hpu", "privateuseone", *([] if fewer else ["xla"])]
    besides = _BESIDES.get(name, "")
    raise AssertionError(
        f"If capturable=True, params{besides} and state_steps must be on supported devices: {devices}."
    )


def step_count(state: dict[str, Any]) -> float:
    """Count one more step in the state of a parameter."""
    state["step"]._data += 1
    return float(state["step"]._data)


def counter() -> Tensor:
    """The step count before the first step."""
    return wrap(np.zeros((), np.float32))


def real(*arrays: Array) -> tuple[Array, ...]:
    """Complex arrays as pairs of real numbers, others as they are."""
    return tuple(
        array.view(array.real.dtype).reshape(*array.shape, 2) if array.dtype.kind == "c" else array for array in arrays
    )


def write(target: Tensor, values: Array) -> None:
    """Write new numbers to a tensor, also real pairs to a complex one."""
    data = target._data
    put(target, values.reshape(-1).view(data.dtype).reshape(data.shape) if data.dtype != values.dtype else values)


def own_values(fn: object) -> dict[str, object]:
    """The attributes of a callable object of a user's class; Python's and PyTorch's objects have none."""
    known = {"torch", "gradviz", "numpy", *sys.stdlib_module_names}
    roots = [str.__str__(cls.__module__).split(".")[0] for cls in type(fn).__mro__[:-1]]
    return {} if any(root in known for root in roots) else fn.__dict__
