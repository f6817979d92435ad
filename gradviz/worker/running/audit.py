"""The audit hook of a worker: an additional barrier on every system, and on Windows the only one besides the language
policy that prevents reading files.

Calling `refuse_from_now_on` is the last thing a worker does before it accepts a snippet. From then on, every audited
act (files, programs, sockets, frames, lists of objects, code from text, imports from disk) is refused, whoever asks,
until the process ends: there is no way back to be found, because none exists. What GradViz's own functions must still
do is permitted only to their code: looking at a frame, reading a traceback, or running a text that the policy
has accepted."""

from __future__ import annotations

import collections
import sys
import typing
from collections.abc import Mapping
from types import CodeType, MappingProxyType
from typing import Any

from gradviz.engine.kernel.formula import compiled
from gradviz.engine.kernel.modes import forward_stack
from gradviz.engine.run import overrides
from gradviz.trace.record.location import Sites
from gradviz.trace.record.recorder import Recorder
from gradviz.worker.language import data_classes, errors, run_texts
from gradviz.worker.modules import own_modules
from gradviz.worker.running import fresh, runner

# "compile" compiles a type hint in quotation marks; running code is "exec"
_HARMLESS = frozenset({"builtins.id", "array.__new__", "compile", "time.sleep", "sys.unraisablehook", "sys.excepthook"})

# The engine asks for the signatures of its formulas, the recorder for the code of a frame that it holds. No snippet can
# spell these names, and reading them changes nothing.
_READABLE = frozenset({"f_code", "__code__", "__defaults__", "__kwdefaults__"})


def refuse_from_now_on() -> None:
    """Install the hook, which can be neither removed nor disabled."""
    modules, getframe, error = sys.modules, sys._getframe, PermissionError
    harmless, readable, by_code = _HARMLESS, _READABLE, _permitted()
    nobody: frozenset[CodeType] = frozenset()

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "object.__getattr__":  # this and the next one occur with every recorded step
            if arguments[1] in readable:
                return
        elif event == "sys._getframe":
            if arguments[0].f_code in lookers:
                return
        elif event in harmless or (event == "import" and arguments[0] in modules):
            return
        elif event == "object.__setattr__" and arguments[1] == "__class__":
            return  # a lazy layer of the engine turns into the layer it stands for
        act = f"{event} {arguments[1]}" if event == "object.__getattr__" else event
        asking = getframe().f_back
        if asking is not None and asking.f_code in by_code.get(act, nobody):
            return
        raise error(f"not available in GradViz snippets: {event}")

    lookers = (*_lookers(), hook.__code__)  # hashing code is slow
    sys.addaudithook(hook)


def _lookers() -> list[CodeType]:
    """Return the code that asks for its own frame to find the line of the snippet, and passes on nothing else."""
    busy: Any = Recorder.busy
    asking = (forward_stack, runner.snippet_line, run_texts._locals)
    return [Sites.here.__code__, busy.fget.__code__, *(function.__code__ for function in asking)]


def _permitted() -> Mapping[str, frozenset[CodeType]]:
    """Return the other acts that GradViz's code still needs, with the code that may do them."""
    names_module: Any = typing._caller  # type: ignore[attr-defined]
    acts: dict[str, tuple[Any, ...]] = {
        "object.__getattr__ tb_frame": (Sites.raised, errors.calls_of),
        "object.__setattr__": (
            collections.namedtuple,
            data_classes.describe_class,
            fresh.restore_class,
            overrides.class_made,
        ),
        **dict.fromkeys(("sys._getframe", "sys._getframemodulename"), (names_module,)),  # a module's name
        # code made from texts they built, with names that are checked; code that the policy has accepted
        "exec": (collections.namedtuple, run_texts.run_code),
        # for a checked snippet and its modules; for the engine's own formulas
        "function.__new__": (runner.Runner._execute, own_modules.OwnModules._run, compiled),
    }
    return MappingProxyType({act: frozenset(each.__code__ for each in able) for act, able in acts.items()})
