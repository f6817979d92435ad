"""`import argparse` and `tyro` for scripts that read their settings from a command line: `sys.argv` of the run, which
holds what the user typed as arguments of the script; without any, defaults apply.

Python's own parser does the work behind a restricted interface: it gets plain text and the snippet's functions, and
nothing of it is handed out; its output goes where print's goes. No option is read from a file. Next:
`standard_modules`, which offers it."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import operator
import posixpath
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn, TypeVar

from gradviz.worker.language.data_classes import fields, is_dataclass
from gradviz.worker.language.guard import Guard
from gradviz.worker.language.stand_in import stand_in
from gradviz.worker.objects.arguments import keep_methods
from gradviz.worker.policy_names import HERE

R = TypeVar("R")
PROGRAM = "snippet.py"  # in sys.argv, until a run has a name
_ACTIONS = frozenset("store store_const store_true store_false append append_const extend count help version".split())
_TEXTS = ("help", "dest", "metavar", "version", "nargs", "action")
_FORMATS: dict[str, type[argparse.HelpFormatter]] = {
    each.__name__: each
    for each in (
        argparse.HelpFormatter,
        argparse.ArgumentDefaultsHelpFormatter,
        argparse.RawDescriptionHelpFormatter,
        argparse.RawTextHelpFormatter,
        argparse.MetavarTypeHelpFormatter,
    )
}
_BOOLEAN = "BooleanOptionalAction"
_MARKS = {"SUPPRESS": argparse.SUPPRESS, "REMAINDER": argparse.REMAINDER, "OPTIONAL": "?", "ZERO_OR_MORE": "*"}


class _Parser(argparse.ArgumentParser):
    """Python's parser, which prints where the snippet prints."""

    def __init__(self, write: Callable[[str, str], None], **options: Any) -> None:
        self._send = write
        super().__init__(**options)

    def _print_message(self, message: str, file: object = None) -> None:
        if message:
            self._send("err" if file is sys.stderr else "out", message)


class Namespace:
    """The result of `parse_args`; each run has its own subclass, which the snippet may change."""

    def __init__(self, **values: object) -> None:
        for name, value in values.items():
            _check(name)
            setattr(self, name, value)

    def __repr__(self) -> str:
        return f"Namespace({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"

    def __eq__(self, other: object) -> bool:
        return self.__dict__ == other.__dict__ if isinstance(other, Namespace) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __contains__(self, name: object) -> bool:
        return name in self.__dict__


@keep_methods
class _Options:
    """What options are added to: a parser or a group of one. The real one stays inside a function."""

    def __init__(self, real: object) -> None:
        if not isinstance(real, argparse._ActionsContainer):  # built by a parser's class
            raise TypeError(f"objects of this class are not {HERE} but by ArgumentParser")
        self._real: Any = real

    def add_argument(self, *names: str, **options: object) -> None:
        """Add an option or positional argument."""
        plain = {key: _plain_option(key, value) for key, value in options.items()}
        for name in [*map(_text, names), plain.get("dest") or "x"]:
            _check(name)
        self._real.add_argument(*map(_text, names), **plain)

    def add_argument_group(self, title: str | None = None, description: str | None = None) -> _Options:
        """Add a group of options with its own title in the help."""
        return _Options(self._real.add_argument_group(_text(title), _text(description)))

    def add_mutually_exclusive_group(self, *, required: bool = False) -> _Options:
        """Add options of which at most one may be given."""
        return _Options(self._real.add_mutually_exclusive_group(required=bool(required)))

    def set_defaults(self, **values: object) -> None:
        """Set names and values in addition to the options."""
        for name in values:
            _check(name)
        self._real.set_defaults(**values)

    def get_default(self, dest: str) -> object:
        """Return the value that applies when nothing is given."""
        return self._real.get_default(_text(dest))


def _check(name: str) -> None:
    if type(name) is not str or name.lstrip("-").startswith("_"):
        raise ValueError(f"an argument can't be called '{name}' in GradViz snippets")


def _text(value: object) -> Any:
    """Return the text as a plain str, in case it is of a class of the snippet; None stays None."""
    return value if value is None else str.__str__(value)


def _plain_option(key: str, value: Any) -> Any:
    if key == "choices":
        return None if value is None else list(value)
    if key == "required":
        return bool(value)
    if key == "metavar" and isinstance(value, tuple):
        return tuple(map(_text, value))
    if key == "nargs" and isinstance(value, int):
        return int(value)
    if key in _TEXTS:
        value = _text(value)
    if key == "action":
        if value == _BOOLEAN:
            return argparse.BooleanOptionalAction
        if value is not None and value not in _ACTIONS:
            raise ValueError(f'unknown action "{value}"')
    return value


@keep_methods
class _CommandLine(_Options):
    """`argparse.ArgumentParser` for the command line of the run."""

    def __init__(
        self,
        real: _Parser,
        write: Callable[[str, str], None],
        namespace: type[Namespace],
        argv: Sequence[str],
    ) -> None:
        super().__init__(real)
        self._argv = argv
        self._write = write
        self._namespace = namespace

    def parse_known_args(self, args: Iterable[str] | None = None, namespace: object = None) -> tuple[object, list[str]]:
        """Return the settings, and the arguments that no option takes."""
        result = self._namespace() if namespace is None else namespace
        if not isinstance(result, Namespace):
            raise TypeError(f"a namespace that is not argparse.Namespace is not {HERE}")
        given = [_text(each) for each in (self._argv[1:] if args is None else args)]
        found, rest = self._real.parse_known_args(given, argparse.Namespace(**result.__dict__))
        for name, value in vars(found).items():
            setattr(result, name, value)
        return result, rest

    def parse_args(self, args: Iterable[str] | None = None, namespace: object = None) -> object:
        """Return the settings: from `args` if given, otherwise from the command line."""
        result, rest = self.parse_known_args(args, namespace)
        if rest:
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        return result

    def _of_command(self, real: _Parser) -> _CommandLine:
        """Return the parser of a command."""
        return _CommandLine(real, self._write, self._namespace, self._argv)

    def add_subparsers(self, *, required: bool = False, **options: str) -> _Commands:
        """Let the first argument be one of several commands, each with options of its own."""
        unknown = sorted(options.keys() - {"title", "description", "prog", "dest", "help", "metavar"})
        if unknown:
            raise TypeError(f"add_subparsers' {unknown[0]} is not {HERE}; leave it out")
        plain = {key: _text(value) for key, value in options.items()}
        _check(plain.get("dest") or "x")
        parser_class = functools.partial(_Parser, self._write)
        real = self._real.add_subparsers(required=bool(required), parser_class=parser_class, **plain)
        return _Commands(real, self)

    def format_usage(self) -> str:
        """Return the line that says how to call the script."""
        return str(self._real.format_usage())

    def format_help(self) -> str:
        """Return the description of every option."""
        return str(self._real.format_help())

    def print_usage(self, file: object = None) -> None:
        """Print that line."""
        self._write("out", self.format_usage())

    def print_help(self, file: object = None) -> None:
        """Print that description."""
        self._write("out", self.format_help())

    def error(self, message: str) -> NoReturn:
        """Print how to use the script, and end it."""
        self._real.error(_text(message))
        raise SystemExit(2)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """End the script."""
        self._real.exit(status, _text(message))
        raise SystemExit(status)


@keep_methods
class _Commands:
    """What `add_subparsers` returns: the commands of a script."""

    def __init__(self, real: object, around: _CommandLine) -> None:
        if not isinstance(real, argparse._SubParsersAction):  # built by a parser
            raise TypeError(f"objects of this class are not {HERE} but by add_subparsers")
        self._real: Any = real
        self._around = around

    def add_parser(
        self, name: str, *, help: str | None = None, aliases: Iterable[str] = (), **options: Any
    ) -> _CommandLine:
        """Add a command; returns the parser of its options."""
        settings = {**_settings(**options), "aliases": [_text(each) for each in aliases]}
        if help is not None:
            settings["help"] = _text(help)
        return self._around._of_command(self._real.add_parser(_text(name), **settings))


def _settings(
    formatter_class: str = "HelpFormatter",
    argument_default: object = None,
    conflict_handler: str = "error",
    **given: object,
) -> dict[str, Any]:
    """Return the settings of Python's parser; TypeError for one that is not offered."""
    if formatter_class not in _FORMATS:
        raise ValueError(f"a formatter_class of one's own is not {HERE}; use one of argparse's")
    texts, switches = {"prog", "usage", "description", "epilog"}, {"add_help", "allow_abbrev"}
    unknown = sorted(given.keys() - texts - switches)
    if unknown:
        raise TypeError(f"ArgumentParser's {unknown[0]} is not {HERE}; leave it out")
    return {
        "formatter_class": _FORMATS[formatter_class],
        "argument_default": argument_default,
        "conflict_handler": _text(conflict_handler),
        **{key: _text(value) if key in texts else bool(value) for key, value in given.items()},
    }


def command_line_module(guard: Guard, write: Callable[[str, str], None], argv: Sequence[str]) -> object:
    """Return the stand-in for argparse for one run."""
    guard.plain_bases += (Namespace,)
    own: type[Namespace] = guard.adopt(type("Namespace", (Namespace,), {"__module__": "argparse"}))

    def ArgumentParser(
        prog: str | None = None,
        usage: str | None = None,
        description: str | None = None,
        epilog: str | None = None,
        **options: Any,
    ) -> _CommandLine:
        texts: dict[str, Any] = {"usage": usage, "description": description, "epilog": epilog}
        return _CommandLine(
            _Parser(write, **_settings(prog=prog or _program(argv), **texts, **options)), write, own, argv
        )

    names: dict[str, Any] = {"ArgumentParser": ArgumentParser, "Namespace": own}
    names |= {"ArgumentTypeError": argparse.ArgumentTypeError, "ArgumentError": argparse.ArgumentError}
    return stand_in("argparse", names | _MARKS | {name: name for name in (*_FORMATS, _BOOLEAN)})


def _program(argv: Sequence[str]) -> str:
    return posixpath.basename(_text(argv[0])) if argv else PROGRAM


def tyro_module(guard: Guard, write: Callable[[str, str], None], argv: Sequence[str]) -> Any:
    """Return the stand-in for tyro."""

    def cli(
        f: Callable[..., object], *, args: Iterable[str] | None = None, default: object = None, **texts: object
    ) -> Any:
        given = [_text(each) for each in (argv[1:] if args is None else args)]
        if not given:
            return operator.call(f) if default is None else default
        if not (isinstance(f, type) and is_dataclass(f)):
            raise TypeError(f"tyro.cli of what is no dataclass is not {HERE} with arguments; use argparse")
        found = _fields_of_line(_Parser(write, prog=_program(argv)), f, given)
        rest = () if default is None else (each.name for each in fields(f) if each.init)
        return f(**{name: guard.getattr(default, name) for name in rest} | found)

    return stand_in("tyro", {"cli": cli})


def _fields_of_line(parser: argparse.ArgumentParser, cls: Any, given: list[str]) -> dict[str, object]:
    """Return the fields of a dataclass given on a command line, such as --num-envs 4 or --no-cuda."""
    for each in (field for field in fields(cls) if field.init):
        kind = each.type if each.default is None or each.default is dataclasses.MISSING else type(each.default)
        kind = next((known for known in (bool, int, float, str) if kind is known or kind == known.__name__), str)
        names = {f"--{each.name}": None, f"--{each.name.replace('_', '-')}": None}
        how: dict[str, Any] = {"action": argparse.BooleanOptionalAction} if kind is bool else {"type": kind}
        parser.add_argument(*names, dest=each.name, default=argparse.SUPPRESS, **how)
    return vars(parser.parse_args(given))
