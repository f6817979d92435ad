"""The `__builtins__` of a snippet: Python's own if they are harmless, guarded ones, and some that only say why they are
not available."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from gradviz.torch.pytorch_names import is_pytorch, sentence
from gradviz.worker.language.classes import ClassMaker
from gradviz.worker.language.guard import Guard, own_names
from gradviz.worker.language.run_texts import text_builtins
from gradviz.worker.language.stand_in import plain_type
from gradviz.worker.modules.scratch_paths import open_
from gradviz.worker.policy_names import HERE, REFUSED_BUILTINS

PLAIN_BUILTINS = """ abs all any ascii bin bool bytearray bytes callable chr complex dict divmod enumerate filter
float format frozenset hex int isinstance issubclass iter len list map max min next object oct ord pow
property range repr reversed round set slice sorted staticmethod classmethod str sum super tuple zip None True False
Ellipsis NotImplemented __debug__ """.split()

GUARDED_BUILTINS = "getattr hasattr setattr delattr vars".split()


def snippet_builtins(
    guard: Guard,
    classes: ClassMaker,
    import_module: Callable[[str], object],
    printer: Callable[..., None],
    ask: Callable[[str], str],
    load_child: Callable[[str, str], object] = lambda name, child: None,
) -> dict[str, object]:
    """Return all builtins by name."""
    names = {name: getattr(builtins, name) for name in PLAIN_BUILTINS}
    names.update(_exceptions())
    names.update({name: _refused(name, way) for name, way in REFUSED_BUILTINS.items()})
    names.update(
        print=printer,
        help=_helper(printer),
        input=_input(ask),
        open=open_,
        **{name: _function(name, getattr(guard, name)) for name in GUARDED_BUILTINS},
        **{name: _function(name, getattr(guard.identities, name)) for name in ("id", "hash")},
        type=plain_type,
        exit=_leave,
        quit=_leave,
        __build_class__=classes.build_class,
        __import__=_importer(import_module, load_child),
    )
    made = of_namespace(names, guard, guard.globals)
    classes.never_bind(made.values())
    return made


def of_namespace(names: dict[str, object], guard: Guard, namespace: dict[str, object]) -> dict[str, object]:
    """Return the builtins for code that runs with the names of the snippet, or of one of its own modules."""

    def dir_(*things: object) -> list[str]:
        return guard.dir(*things) if things else sorted(own_names(namespace))

    def fresh(given: dict[str, object]) -> dict[str, object]:
        made = {"__name__": "__main__", **given, **{key: value for key, value in namespace.items() if "<" in key}}
        made["__builtins__"] = of_namespace(names, guard, made)
        return made

    dir_.__name__ = dir_.__qualname__ = "dir"
    return {**names, "dir": dir_, **text_builtins(guard, namespace, fresh)}


def _exceptions() -> dict[str, type[BaseException]]:
    return {
        name: value
        for name, value in vars(builtins).items()
        if isinstance(value, type) and issubclass(value, BaseException)
    }


def _function(name: str, method: Callable[..., object]) -> Callable[..., object]:
    """Return a method as a function whose text does not tell whose it is."""

    def call(*given: object) -> object:
        return method(*given)

    call.__name__ = call.__qualname__ = name
    return call


def _refused(name: str, way_round: str) -> Callable[..., NoReturn]:
    def refuse(*args: object, **kwargs: object) -> NoReturn:
        raise PermissionError(f"{name}() is not {HERE}; {way_round}")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


def _helper(printer: Callable[..., None]) -> Callable[..., None]:
    def help_(*things: object) -> None:
        printer("help() shows nothing in GradViz snippets; the inspector explains each operation")

    help_.__name__ = help_.__qualname__ = "help"
    return help_


def _input(ask: Callable[[str], str]) -> Callable[..., str]:
    def input_(prompt: object = "", /) -> str:
        return ask(str.__str__(str(prompt)))

    input_.__name__ = input_.__qualname__ = "input"
    return input_


def _leave(code: object = None) -> NoReturn:
    raise SystemExit(code)


def _importer(
    import_module: Callable[[str], object], load_child: Callable[[str, str], object]
) -> Callable[..., object]:
    def import_(
        name: object, globals: object = None, locals: object = None, fromlist: Any = (), level: object = 0
    ) -> object:
        # Note [Imports by C code]: NumPy imports lazily through the *caller's* __import__, with a list as fromlist. A
        # snippet can't name __import__; its statements pass a tuple or None. So a list means C code, which gets the
        # real module.
        if type(fromlist) is list and name in sys.modules:
            return sys.modules[name]
        if level or type(name) is not str:
            raise ImportError(f"a relative import is not {HERE}")
        # For a missing name in `from name import each` and in `import name.each as x`, Python itself would search
        # everything that is loaded.
        found = import_module(name)
        if not fromlist:
            return import_module(name.partition(".")[0])
        for each in fromlist:
            if not hasattr(found, each) and load_child(name, each) is None:
                known = is_pytorch(name, each)
                text = sentence(f"{name}.{each}") if known else f"cannot import name {each!r} from {name!r}"
                raise ImportError(text, name=name)
        return found

    return import_
