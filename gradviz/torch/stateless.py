"""Modules as functions of their parameters: `torch.func.functional_call`, `stack_module_state` for ensembles, and
batch norm without running statistics; `make_functional` of functorch, their older form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.torch.nn.modules.module import Module
from gradviz.torch.nn.modules.normalization import _BatchNorm

_ABSENT = object()


def _named(module: Any) -> dict[str, Tensor]:
    return {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }


def _untied(module: object, tensors: Mapping[str, object]) -> dict[str, object]:
    """The given tensors, extended to all names that a module has for the same tensor."""
    known = _named(module)
    names: dict[int, list[str]] = {}
    for name, tensor in known.items():
        names.setdefault(id(tensor), []).append(name)
    found = dict(tensors)
    for tied in names.values():
        given = [name for name in tied if name in tensors]
        if len({id(tensors[name]) for name in given}) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(given)}, which are tied. Consider using "
                "tie_weights=False"
            )
        if given:
            found.update(dict.fromkeys(tied, tensors[given[0]]))
    return found


def _check_keys(module: object, tensors: Mapping[str, object]) -> None:
    known = _named(module)
    missing, unexpected = known.keys() - tensors.keys(), tensors.keys() - known.keys()
    messages = [
        f"{what} key(s): {', '.join(map(repr, sorted(names)))}."
        for what, names in (("Unexpected", unexpected), ("Missing", missing))
        if names
    ]
    if messages:
        raise RuntimeError(
            "Error(s) in reparametrizing for {}:\n\t{}".format(type(module).__name__, "\n\t".join(messages))
        )


def _check_swap(owner: object, key: str, tensor: Tensor) -> None:
    """Refuse anything but a tensor, and one that would replace none: a method that Python looks up in the object, for
    example."""
    if tensor is not None and not isinstance(tensor, Tensor):
        raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    if not isinstance(owner, Module):
        raise TypeError(f"expected a torch.nn.Module, not '{type(owner).__name__}'")
    tables = [vars(owner).get(name, ()) for name in ("_parameters", "_buffers")]
    if key.startswith("_") and (key.endswith("__") or not any(key in each for each in tables)):
        raise TypeError(f"attribute `{key}` is no parameter or buffer; functional_call replaces tensors")
    before = getattr(owner, key, None)
    if before is not None and not isinstance(before, Tensor):
        raise TypeError(f"attribute `{key}`: {before} is not an instance of torch.Tensor")


@contextmanager
def _replaced(module: Any, tensors: Mapping[str, Any]) -> Iterator[None]:
    """Replace parameters and buffers of a module by other tensors inside the `with` block."""
    put_back = []
    for name, tensor in tensors.items():
        path, _, key = str.__str__(name).rpartition(".")
        owner = module.get_submodule(path)
        _check_swap(owner, key, tensor)
        tables = (owner._parameters, owner._buffers, owner.__dict__)
        known = next((table for table in tables if key in table), owner.__dict__)  # also an attribute that is neither
        put_back.append((known, key, known.get(key, _ABSENT)))
        known[key] = tensor
    try:
        yield
    finally:
        for known, key, value in reversed(put_back):
            if value is _ABSENT:
                del known[key]
            else:
                known[key] = value


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: object,
    args: object = None,
    kwargs: Any = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with given tensors instead of its own."""
    tensors = _one_dictionary(parameter_and_buffer_dicts)
    if tie_weights:
        tensors = _untied(module, tensors)
    if strict:
        _check_keys(module, tensors)
    given = () if args is None else args
    with _replaced(module, tensors):
        return module(*(given if isinstance(given, tuple) else (given,)), **(kwargs or {}))


def _one_dictionary(dicts: object) -> dict[str, object]:
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, Sequence):
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dicts)}"
        )
    if not all(isinstance(each, dict) for each in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    names = [name for each in dicts for name in each]
    repeated = [name for i, name in enumerate(names) if names.count(name) > 1 and names.index(name) == i]
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {name: tensor for each in dicts for name, tensor in each.items()}


def make_functional(
    model: Any, disable_autograd_tracking: bool = False
) -> tuple[Callable[..., object], tuple[object, ...]]:
    """A function of parameters and arguments that calls a copy of the module, and the copy's parameters."""
    if list(model.buffers()):
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    call, params, _ = make_functional_with_buffers(model, disable_autograd_tracking)
    return lambda params, *args, **kwargs: call(params, (), *args, **kwargs), params


def make_functional_with_buffers(
    model: Any, disable_autograd_tracking: bool = False
) -> tuple[Callable[..., object], tuple[object, ...], tuple[object, ...]]:
    """The same of a module with buffers, of which the function is, too."""
    copied = deepcopy(model)
    params, buffers = dict(copied.named_parameters()), dict(copied.named_buffers())
    names = (*params, *buffers)
    if disable_autograd_tracking:
        for each in params.values():
            each.requires_grad_(False)

    def call(params: Sequence[object], buffers: Sequence[object], *args: Any, **kwargs: Any) -> Any:
        return functional_call(copied, dict(zip(names, (*params, *buffers), strict=True)), args, kwargs)

    return call, tuple(params.values()), tuple(buffers.values())


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The parameters and the buffers of several equal modules, stacked."""
    if not len(models):
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(model) for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    params = [dict(model.named_parameters()) for model in models]
    buffers = [dict(model.named_buffers()) for model in models]
    return (
        {name: _stacked([each[name] for each in params], name) for name in params[0]},
        {name: _stacked([each[name] for each in buffers], name) for name in buffers[0]},
    )


def _stacked(tensors: list[Tensor], name: str) -> Tensor:
    tracked = {each.requires_grad for each in tensors}
    if len(tracked) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    made: Tensor = T["stack"](tensors)
    return made.detach().requires_grad_() if tracked == {True} else made


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Make every batch norm of the module one without running statistics."""
    for module in root.modules():
        if isinstance(module, _BatchNorm) and module.track_running_stats:
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
