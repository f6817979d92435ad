"""A recorder around a PyTorch job: assembled from the parts, with everything that is hooked into PyTorch while it
records and removed afterwards: modes that observe operations, hooks of modules and optimizers, a wrapper around the
function that runs the backward pass. The recording is written to the file in whole batches, which remain even if the
job is killed."""

from __future__ import annotations

import functools
import os
import time
import traceback
import weakref
from collections.abc import Callable, Collection
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
import torch.nn.modules.module as modules
import torch.optim.optimizer as optimizers
from torch.nn.parameter import is_lazy

from gradviz.engine.kernel.state import DATA_LOADER
from gradviz.recorder import rank_of, too_old
from gradviz.recorder.backward import Backward, Observed, has_ranks
from gradviz.recorder.forward import Forward, given_to
from gradviz.recorder.gap import Gap, remembered
from gradviz.recorder.output import Output, guarded
from gradviz.recorder.rows import Rows, now
from gradviz.recorder.values import FULL, NONE, POLICIES, not_compiled
from gradviz.trace.record.chosen import Choice, Thinning
from gradviz.trace.record.gaps import iterations_left
from gradviz.trace.record.location import RegionStack, place_of
from gradviz.trace.record.recorder import settings_text
from gradviz.trace.table.encoding import BUDGET
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.recording import About, Ending
from gradviz.trace.table.schema import ELEMENT, GATHERED

if _told := too_old(torch.__version__):
    raise ImportError(_told)

_GRAD = torch._C.TensorBase.grad
_HOOKS = 3  # of modules: before, after, and that the latter is always called


class _Grad(property):
    """`Tensor.grad` while it is observed; PyTorch's compiler asks of attributes whose they are."""

    __objclass__, __name__ = _GRAD.__objclass__, _GRAD.__name__


@dataclass(frozen=True)
class Wishes:
    """What to keep of a job: which iterations (calls of an optimizer's `step`, from 0; None: all), of which modules
    (parts of their paths; None: all), and how much of each value."""

    steps: Choice | Thinning | Collection[int] | None = None
    values: str = FULL
    modules: Collection[str] | None = None
    budget: int = BUDGET  # bytes of values

    def __post_init__(self) -> None:
        if self.values not in POLICIES:
            raise ValueError(f"values={self.values!r}: one of {', '.join(map(repr, POLICIES))} is meant")

    def policy_of(self, path: str) -> str:
        """How much is kept of the values in this module."""
        wanted = self.modules is None or any(f".{each}." in f".{path}." for each in self.modules)
        return self.values if wanted else NONE

    def takes(self, iteration: int, regions: RegionStack, steps: int = 0, size: int = 0) -> bool:
        """Whether this iteration, in these loops, is recorded, if the recording has so many steps and bytes already.
        Asked of those that are not, too, so it must take next to no time."""
        if isinstance(self.steps, Thinning):
            return self.steps.takes(iteration, steps, size)
        if isinstance(self.steps, Choice):
            is_left_known = self.steps.last and regions.innermost_loop()
            return self.steps.takes(iteration, iterations_left(regions.stack) - 1 if is_left_known else -1)
        return self.steps is None or iteration in self.steps


class Modules:
    """The names of the modules of a job and of their parameters, and which modules are running."""

    def __init__(self, rows: Rows, output: Output, wishes: Wishes, flush: Callable[[], None]) -> None:
        self._rows, self.output = rows, output
        self._wishes = wishes
        self._flush = flush
        self._paths: dict[int, str] = {}  # by identity
        self._around: list[str] = []  # how much was kept of values outside the running modules
        self._owners: dict[int, str] = {}  # by identity: the module it is named after, "" once it has been called
        self._below: dict[int, str] = {}  # by identity: paths below the outermost running module
        self._lazy: list[tuple[weakref.ref[Any], str, str]] = []  # what has no shape yet, its name and its owner's
        self._sharded = ""  # the module that some of its parameters belong to

    def enter(self, module: Any) -> None:
        """A module is called."""
        path = self._path(module)
        if not self._around:
            self._below = {id(part): name for name, part in _listed(module.named_modules)}
            if has_ranks():
                self._name_shards(path, module)
        if self._owners.get(id(module)):
            self._name_buffers(module)
        self._rows.regions.enter(self._below.get(id(module)) or path)
        self._around.append(self._rows.value.policy)
        self._rows.value.policy = self._wishes.policy_of(path)

    def exit(self, module: Any) -> None:
        """A module returns; does nothing if recording began within it."""
        if self._around:
            self._name_gathered(module)
            lazy, self._lazy = self._lazy, []
            for reference, name, owner in lazy:
                if (x := reference()) is not None:
                    self._name(x, name, owner)
            self._rows.regions.exit()
            self._rows.value.policy = self._around.pop()

    def set_output_hook(self, original: Any, hook: Any, result: Any) -> Any:
        """A module with hooks for its backward pass returns: what passes the gradients to them belongs to it, too."""
        try:
            return original(hook, result)
        finally:
            self._has_set_up(hook.module)

    @guarded
    def _has_set_up(self, module: Any) -> None:
        if not self._rows.quiet:
            self._flush()
            self.exit(module)

    def load(self, original: Any, batches: Any) -> Any:
        """A DataLoader puts a batch together, in this process or with the workers that it has."""
        is_told = self._begin_to_load()
        try:
            return original(batches)
        finally:
            if is_told:
                self._has_loaded()

    @guarded
    def _begin_to_load(self) -> bool:
        if self._rows.quiet:
            return False
        self._flush()
        self._rows.regions.enter(DATA_LOADER)
        return True

    @guarded
    def _has_loaded(self) -> None:
        self._flush()
        self._rows.regions.exit()

    def name(self, name: str, root: Any) -> None:
        """Name a module, and its parameters after it."""
        for path, part in _listed(root.named_modules):
            self._paths.setdefault(id(part), path or name)
            self._owners.setdefault(id(part), name)
        for path, parameter in _listed(root.named_parameters):
            self._name(parameter, path, name)

    def _name(self, x: Any, name: str, owner: str) -> None:
        """Name a parameter or buffer, if need be when its module has been called for the first time."""
        if is_lazy(x):
            self._lazy.append((weakref.ref(x), name, owner))
        else:
            self._rows.name(x, name, owner, ELEMENT)

    def _name_buffers(self, module: Any) -> None:
        """Name the buffers of a module, such as running statistics, when it is first called."""
        owner, path = self._owners[id(module)], self._path(module)
        self._owners[id(module)] = ""
        for name, buffer in module.named_buffers(recurse=False):
            self._name(buffer, name if path == owner else f"{path}.{name}", owner)

    def _path(self, module: Any) -> str:
        return self._paths.get(id(module), type(module).__name__)

    def _name_shards(self, name: str, root: Any) -> None:
        """Name a module whose parameters are sharded, which may have happened after it was named."""
        shards = [parameter for parameter in root.parameters() if hasattr(parameter, "to_local")]
        if any(self._rows.known(parameter) < 0 for parameter in shards):
            self.name(name, root)
        if shards:
            self._sharded = name

    def _name_gathered(self, module: Any) -> None:
        """Within a module the parameters are whole, and different tensors from the shards that the optimizer has."""
        if self._sharded:
            path = self._path(module)
            for name, parameter in module.named_parameters(recurse=False):
                if not hasattr(parameter, "to_local") and self._rows.known(parameter) >= 0:
                    own = name if path == self._sharded else f"{path}.{name}"
                    self._rows.name(parameter, own + GATHERED, self._sharded, ELEMENT)


class Requests:
    """What the job asks of tensors while it is recorded: hooks, and results that keep their `.grad`. By way of its own
    `__torch_function__` it asks twice."""

    def __init__(self, rows: Rows, output: Output, backward: Backward, flush: Callable[[], None]) -> None:
        self._rows, self.output, self._backward, self._flush = rows, output, backward, flush

    def watch(self, undo: Callable[..., Any]) -> None:
        """Observe them from now on; `undo` is told what ends it."""
        undo(_replace(torch.Tensor, "register_hook", self._register_hook))
        undo(_replace(torch.Tensor, "register_post_accumulate_grad_hook", self._register_accumulated))
        undo(_replace(torch.Tensor, "retain_grad", self._retain_grad))
        undo(_replace(torch._C._autograd, "_push_saved_tensors_default_hooks", self._push_hooks))
        undo(_replace(torch._C._autograd, "_pop_saved_tensors_default_hooks", self._pop_hooks))

    def _push_hooks(self, original: Any, pack: Any, unpack: Any) -> Any:
        """`saved_tensors_hooks`: what packs a result runs before the result has its node, so it is not recorded."""
        original(pack if isinstance(pack, torch.nn.Module) else _quiet(self._rows, pack), unpack)
        self._rows.packing += 1

    def _pop_hooks(self, original: Any) -> None:
        original()
        self._rows.packing = max(0, self._rows.packing - 1)

    def _register_hook(self, original: Any, tensor: Any, hook: Any) -> Any:
        """`Tensor.register_hook`: each call of the hook is a step."""
        told = functools.partial(self._passed, weakref.ref(tensor))
        return original(tensor, hook if isinstance(hook, Observed) else Observed(hook, told))

    @guarded
    def _passed(self, tensor: weakref.ref[Any], before: Any, after: Any) -> None:
        number = self._number_of(tensor)
        if number >= 0:
            self._backward.hooks.passed(number, before, after if isinstance(after, torch.Tensor) else before)

    def _register_accumulated(self, original: Any, tensor: Any, hook: Any) -> Any:
        """`Tensor.register_post_accumulate_grad_hook`: each call of the hook is a step, after what it changed."""
        return original(tensor, hook if isinstance(hook, Observed) else Observed(hook, self._accumulated))

    @guarded
    def _accumulated(self, tensor: Any, _: Any) -> None:
        number = self._number_of(lambda: tensor)
        if number >= 0:
            self._backward.hooks.called("post_accumulate", -1, number, -1, -1)

    def _number_of(self, tensor: Callable[[], Any]) -> int:
        """The number of a tensor whose hook was called, -1 if that is not recorded."""
        if self._rows.call < 0 or self._rows.quiet or (x := tensor()) is None:
            return -1
        return self._rows.known(x)

    def _retain_grad(self, original: Any, tensor: Any) -> None:
        """`Tensor.retain_grad`: a result keeps its `.grad`."""
        original(tensor)
        self._retains(tensor)

    @guarded
    def _retains(self, tensor: Any) -> None:
        rows = self._rows
        if rows.quiet or not tensor.retains_grad:
            return
        self._flush()
        number = rows.number(tensor)
        rows.add("flags", rows.steps - 1, number, True, True, False)
        self._backward.retained[number] = weakref.ref(tensor)


class Job:
    """Records what happens between `begin` and `end` in the calling thread."""

    def __init__(self, path: Path, source: str, script: str, wishes: Wishes) -> None:
        self._wishes = wishes
        self.rows = rows = Rows(source, script, wishes.values, wishes.budget)
        rows.quiet = 1
        about = About(source, Path(script).name, f"PyTorch {torch.__version__}", _now(), *rank_of())
        self.output = output = Output(path, about, rows.writer, torch._C.DisableTorchFunction)
        self._backward = Backward(rows, output)
        self._forward = Forward(rows, output, self._backward)
        self._backward.flush = flush = self._forward.flush
        self._backward.pause, self._backward.resume = self._forward.pause, self._forward.resume
        self.modules = Modules(rows, output, wishes, flush)
        self._requests = Requests(rows, output, self._backward, flush)
        self._undo, self._closely = ExitStack(), ExitStack()  # hooks: of the job, of one recorded iteration
        self._gap = Gap(rows, self._backward)
        self._iteration = self._set_grads = 0
        self._is_on = False

    @property
    def is_recording(self) -> bool:
        """Whether recording is on at present."""
        return self._is_on and not self.rows.quiet

    def watch(self, look: Callable[..., None]) -> None:
        """Call `look` before each operation and backward call, and `look(anew=True)` where older tensors came in."""
        self._forward.line = self._backward.line = look

    # hooks into PyTorch

    @guarded
    def begin(self) -> None:
        """Record from now on."""
        undo = self._undo.callback
        undo(optimizers.register_optimizer_step_post_hook(self._updated).remove)
        undo(_replace(torch, "compile", _compile_in_parts))
        self._requests.watch(undo)
        if hasattr(modules, "_has_any_global_hook"):
            undo(_replace(modules, "_has_any_global_hook", _has_hooks_of_others))
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.output.leave)
        self._switch(self._is_next_taken())

    def _set_grad(self, x: Any, grad: Any) -> None:
        """`x.grad = ...`, observed by a property: a mode of functions would turn PyTorch's fast paths off. A
        `__torch_function__` of the job comes here once more."""
        before = self._set_grads
        _GRAD.__set__(x, grad)
        if self._set_grads == before:
            self._set_grads += 1
            self._has_set_grad(x, grad)

    @guarded
    def _has_set_grad(self, x: Any, grad: Any) -> None:
        number = self.rows.known(x) if self.is_recording else -1
        if number >= 0:
            self._forward.flush()
            self._backward.grad_row(Kind.CLEAR_GRAD, number, grad, self.rows.sites.here(2))
            if grad is not None:
                self._backward.keep_grad(x, number)

    def _switch(self, on: bool) -> None:
        if on == self._is_on:
            return
        self._is_on = on
        if on:
            self.rows.quiet = 0
            self._go_on()
            self._look_closely()
        else:
            self._forward.updating = 0
            self._forward.resume()
            self._settle()
            self._forward.let_go()
            self.rows.quiet = 1
            self._closely.close()

    @guarded
    def _go_on(self) -> None:
        self._gap.end(self._iteration)

    @guarded
    def _settle(self) -> None:
        self._forward.flush()
        self.rows.value.forget()
        self._gap.begin(self._iteration)

    @guarded
    def _look_closely(self) -> None:
        """Observe what costs the job time in each iteration: only while one is recorded."""
        undo = self._closely.callback
        self.rows.leaves.watch_again()
        undo(self.rows.leaves.let_go)
        undo(optimizers.register_optimizer_step_pre_hook(self._before_update).remove)
        undo(modules.register_module_forward_pre_hook(self._enter).remove)
        undo(modules.register_module_forward_hook(self._exit, always_call=True).remove)
        undo(_replace(torch.utils.hooks.BackwardHook, "setup_output_hook", self.modules.set_output_hook))
        undo(_replace(torch.autograd, "_engine_run_backward", self._backward.run))
        undo(_replace(torch.autograd, "_make_grads", self._backward.make_grads))
        undo(_replace(torch.utils.data.dataloader._BaseDataLoaderIter, "__next__", self.modules.load))
        undo(_replace(torch.UntypedStorage, "resize_", self._resize))
        undo(_replace(torch.Tensor, "as_subclass", functools.partial(_unobserved, self._forward)))
        self._watch_grads(undo)
        self._closely.enter_context(self._forward)

    def _watch_grads(self, undo: Callable[..., Any]) -> None:
        """Observe `x.grad = ...`."""
        observed = _Grad(_GRAD.__get__, self._set_grad, _GRAD.__delete__, _GRAD.__doc__)
        plain = torch.overrides.get_default_nowrap_functions()  # whose results are not made into those of a subclass
        torch.Tensor.grad = observed
        plain.add(observed.__get__)
        undo(plain.discard, observed.__get__)
        undo(delattr, torch.Tensor, "grad")

    def _resize(self, original: Any, storage: Any, nbytes: int) -> Any:
        """Memory gets another size; FSDP frees that of its parameters and takes it again so."""
        had = storage.nbytes()
        found = original(storage, nbytes)
        if not had and nbytes:
            self._has_memory(storage)
        return found

    @guarded
    def _has_memory(self, storage: Any) -> None:
        self.rows.value.allocated(storage)
        self.rows.memory.refilled.add(int(storage._cdata))

    # modules and optimizers

    @not_compiled
    @guarded
    def _enter(self, module: Any, _: Any) -> None:
        if self.is_recording:
            self._forward.recover()
            self._forward.flush()
            self.modules.enter(module)

    @not_compiled
    @guarded
    def _exit(self, module: Any, _: Any, result: Any) -> None:
        if self.is_recording and (result is None or not _has_full_hooks(module)):
            self._forward.flush()
            self.modules.exit(module)

    @guarded
    def name(self, tensor: Any, name: str, rank: int) -> None:
        """Name a tensor of the job."""
        if self.is_recording and tensor.layout is not None and not is_lazy(tensor):
            self._forward.flush()
            if self.rows.call < 0 or self.rows.known(tensor) >= 0:  # else a gradient that a hook was given
                self.rows.name(tensor, name, "", rank)

    @guarded
    def name_module(self, name: str, root: Any) -> None:
        """Name a module of the job, and its parameters after it."""
        self._forward.flush()
        self.modules.name(name, root)

    @guarded
    def _before_update(self, _: Any, arguments: Any, more: Any) -> None:
        if self.is_recording:
            self._forward.flush()
            if not more and len(arguments) == 1:  # without a closure, which is recorded
                self._forward.pause()
            self._forward.updating += 1

    def _updated(self, optimizer: Any, *_: Any) -> None:
        """An optimizer updated its parameters; an iteration is over."""
        if self._is_on:
            self._end_update(optimizer)
        if not self.rows.quiet or not self._is_on:
            self._iteration += 1
            if self._is_next_taken() is not self._is_on:
                self._switch(not self._is_on)

    @guarded
    def _end_update(self, optimizer: Any) -> None:
        if self.is_recording:
            self._forward.updating = max(0, self._forward.updating - 1)
            if not self._forward.updating:
                self._forward.resume()
            self.rows.value.forget()
            self._forward.flush()
            self._write_update(optimizer)
            self._forward.written.clear()
            self.output.write()

    def _is_next_taken(self) -> bool:
        rows, output = self.rows, self.output
        return not output.is_over and self._wishes.takes(self._iteration, rows.regions, rows.steps, output.size)

    def _write_update(self, optimizer: Any) -> None:
        rows, text = self.rows, self.rows.text
        self._gap.updates(optimizer)
        step = rows.step(Kind.OPTIMIZER, -1, -1, rows.writer.count("optimizers"), rows.sites.here(2))
        rows.add("optimizers", step, text(type(optimizer).__name__))
        rows.add("clock", step, now())
        for group in optimizer.param_groups:
            settings = text(settings_text({key: _plain(each) for key, each in group.items() if key != "params"}))
            for parameter in group["params"]:
                number = rows.known(parameter)
                if parameter.grad is None or number < 0:
                    continue
                rows.wrote(step, parameter)
                rows.add("updates", step, number, settings, *remembered(rows, optimizer.state.get(parameter, {})))

    # the end

    @guarded
    def print(self, stream: str, text: str) -> None:
        """The job printed this."""
        if self.is_recording:
            self._forward.flush()
            rows = self.rows
            kind = Kind.PRINT if stream == "out" else Kind.WARNING
            step = rows.step(kind, -1, -1, rows.writer.count("texts"), rows.sites.here(2))
            rows.add("texts", step, rows.text(stream), rows.text(text))

    def flush(self) -> None:
        """Write the rows of the last operation."""
        if self.is_recording:
            self._forward.flush()

    def end(self, error: BaseException | None = None, at: TracebackType | None = None) -> None:
        """Stop recording; with the error that ended the job, and all frames that it came from."""
        self._switch(on=False)
        self._undo.close()
        self._end(error, at)
        self.output.tell()

    @guarded
    def _end(self, error: BaseException | None, at: TracebackType | None) -> None:
        self._gap.end(self._iteration, is_over=True)
        ending = Ending(seconds=self.output.seconds)
        if error is not None and not isinstance(error, SystemExit):
            ending = self._raised(error, at, ending.seconds)
        self.output.end(ending)

    def _raised(self, error: BaseException, at: TracebackType | None, seconds: float) -> Ending:
        rows, text, kind = self.rows, self.rows.text, type(error).__name__
        places = [place_of(each) for each in traceback.extract_tb(at) if each.filename == rows.sites.filename]
        place = (places or [(None,) * 4])[-1]
        last = traceback.format_exception_only(error)[-1].strip()
        whole = text("".join(traceback.format_exception(error)))
        step = rows.step(Kind.ERROR, -1, -1, 0, rows.sites.at(place)[0])
        for number in given_to(rows, at):
            rows.add("given", step, number)
        rows.add("errors", step, text(kind), text(str(error)), place[0] or -1, whole, text(last))
        return Ending("raised", last, place[0] or -1, seconds)


def _replace(owner: Any, name: str, around: Any) -> Callable[[], None]:
    """Wrap one of PyTorch's functions, in a way that the compiler leaves alone; returns what puts it back."""
    original = getattr(owner, name)

    @not_compiled
    @functools.wraps(original)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return around(original, *args, **kwargs)

    setattr(owner, name, wrapped)
    return lambda: setattr(owner, name, original)


def _listed(named: Callable[[], Any]) -> list[tuple[str, Any]]:
    """The parts of a module by name; nothing where the job has put in what PyTorch itself can't list."""
    try:
        return [*named()]
    except Exception:  # noqa: BLE001  the method may be the job's own
        return []


def _unobserved(forward: Forward, original: Any, *arguments: Any) -> Any:
    """A function of PyTorch that is no step; older versions refuse this one where operations are observed."""
    is_paused = forward.pause()
    try:
        return original(*arguments)
    finally:
        if is_paused:
            forward.resume()


def _quiet(rows: Rows, pack: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that is called without being recorded."""

    @functools.wraps(pack, updated=())
    def called(x: Any) -> Any:
        with rows.quietly:
            return pack(x)

    return called


def _compile_in_parts(original: Any, *arguments: Any, fullgraph: bool = False, **settings: Any) -> Any:
    """`torch.compile`: it leaves alone what is recorded, which `fullgraph` would call an error."""
    return original(*arguments, **settings)


def _has_hooks_of_others(original: Any) -> bool:
    """Whether the job has hooks for all modules: a compiled module warns of them, and should not because of ours."""
    kinds = [value for name, value in vars(modules).items() if name.startswith("_global_") and "_hooks" in name]
    return bool(original()) and sum(map(len, kinds)) > _HOOKS


def _has_full_hooks(module: Any) -> bool:
    """Whether a module has hooks for its backward pass, which it gets its results ready for when it returns."""
    pre = module._backward_pre_hooks or modules._global_backward_pre_hooks
    own = module._backward_hooks or modules._global_backward_hooks
    return bool(pre or (own and module._get_backward_hooks()[0]))


def _now() -> str:
    return time.strftime("%Y-%m-%d %H:%M")


def _plain(setting: Any) -> Any:
    """A number; a learning rate may be a tensor."""
    return float(setting) if isinstance(setting, torch.Tensor) and setting.numel() == 1 else setting
