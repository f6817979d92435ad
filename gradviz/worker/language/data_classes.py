"""`dataclasses` for snippets.

`@dataclass` adds nothing that the snippet could not have written itself: the methods are a text in its language, which
passes the policy and is compiled with its hooks, and they are put on a class as the `class` statement would have. First
the fields are read, through the guard, which may call the snippet; then everything is checked and put there, which
calls nobody. Python's own module never gets a class of a snippet. Next: `classes`."""

from __future__ import annotations

import collections
import copy
import dataclasses
import inspect
import itertools
import re
import reprlib
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING
from typing import Any

from gradviz.engine.kernel.tensor import ORDINARY
from gradviz.worker.language.classes import add_methods, check_patterns, check_text, find_abstract
from gradviz.worker.language.guard import Guard, place
from gradviz.worker.language.policy import Refusal
from gradviz.worker.language.run_texts import run_code
from gradviz.worker.objects.kept_memory import method_of
from gradviz.worker.objects.type_slots import heirs

Field = dataclasses.Field[Any]
_FIELD, _OF_CLASS, _FOR_INIT = dataclasses._FIELD, dataclasses._FIELD_CLASSVAR, dataclasses._FIELD_INITVAR  # type: ignore[attr-defined]
_UNSET: Any = dataclasses._HAS_DEFAULT_FACTORY  # type: ignore[attr-defined]
_FIELDS, _OPTIONS = "__dataclass_fields__", "__dataclass_params__"  # pprint looks for them, too
_TRUE, _FALSE = "init repr eq match_args".split(), "order unsafe_hash frozen kw_only slots weakref_slot".split()
_ORDER = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}
_FREEZING = {"__setattr__": "assign to", "__delattr__": "delete"}
_KINDS = {"ClassVar": _OF_CLASS, "InitVar": _FOR_INIT, "KW_ONLY": dataclasses.KW_ONLY}
_NAMED = re.compile(r"(?:\s*\w+\s*\.)?\s*(\w+)")  # in an annotation that is a text, with its module
_NEWER = sys.version_info >= (3, 13)

# --- fields ---


def field(**given: Any) -> object:
    """`dataclasses.field`."""
    return dataclasses.field(**given | {"metadata": dict(given.get("metadata") or {})})


def fields_of(thing: object) -> dict[str, Field] | None:
    """Return all that `@dataclass` has found in a class, or in that of an object; None if it has seen neither."""
    cls = thing if isinstance(thing, type) else type(thing)
    is_ours = type(method_of(cls, _OPTIONS)) is types.SimpleNamespace
    return method_of(cls, _FIELDS) if is_ours else None


def fields(class_or_instance: object) -> tuple[Field, ...]:
    """`dataclasses.fields`."""
    found = fields_of(class_or_instance)
    if found is None:
        raise TypeError("must be called with a dataclass type or instance")
    return tuple(each for each in found.values() if _kind(each) is _FIELD)


def is_dataclass(obj: object) -> bool:
    """`dataclasses.is_dataclass`."""
    return fields_of(obj) is not None


def _kind(each: Any) -> object:
    return each._field_type


def _has_default(each: Field) -> bool:
    return each.default is not MISSING or each.default_factory is not MISSING


def _kind_of(annotation: object) -> object:
    """Return which kind of field an annotation is about; `KW_ONLY` is none."""
    if isinstance(annotation, str):
        found = _NAMED.match(str.__str__(annotation))
        return _KINDS.get(found[1], _FIELD) if found else _FIELD
    if annotation is typing.ClassVar or typing.get_origin(annotation) is typing.ClassVar:
        return _OF_CLASS
    if annotation is dataclasses.InitVar or type(annotation) is dataclasses.InitVar:
        return _FOR_INIT
    return annotation if annotation is dataclasses.KW_ONLY else _FIELD


def _own_fields(guard: Guard, cls: type, kw_only: bool) -> Iterator[Field]:
    """Read the fields of a class; only here are attributes read, which may call the snippet."""
    seen = False
    for name, annotation in list(vars(cls).get("__annotations__", {}).items()):
        kind = _kind_of(annotation)
        if kind is not dataclasses.KW_ONLY:
            yield _field_of(guard, cls, name, annotation, kind, kw_only)
        elif seen:
            raise TypeError(f"{name!r} is KW_ONLY, but KW_ONLY has already been specified")
        else:
            seen = kw_only = True


def _field_of(guard: Guard, cls: type, name: str, annotation: Any, kind: object, kw_only: bool) -> Field:
    given = vars(cls).get(name)
    if type(given) is not dataclasses.Field:
        given = guard.getattr(cls, name, MISSING)
    if type(given) is not dataclasses.Field:
        given = field(default=MISSING if isinstance(given, types.MemberDescriptorType) else given)
    made: Any = copy.copy(given)  # several classes may have the same one
    made.name, made.type, made._field_type = name, annotation, kind
    for option in ("init", "repr", "hash", "compare", "kw_only"):
        asked = getattr(made, option)
        setattr(made, option, asked if asked is None or asked is MISSING else bool(asked))
    if kind is not _FIELD and made.default_factory is not MISSING:
        raise TypeError(f"field {name} cannot have a default factory")
    if kind is _OF_CLASS and made.kw_only is not MISSING:
        raise TypeError(f"field {name} is a ClassVar but specifies kw_only")
    if kind is not _OF_CLASS and made.kw_only is MISSING:
        made.kw_only = kw_only
    if kind is _FIELD and method_of(type(made.default), "__hash__") is None:
        raise ValueError(f"mutable default {type(made.default)} for field {name} is not allowed: use default_factory")
    return made  # type: ignore[no-any-return]


def _inherited(cls: type, frozen: bool) -> dict[str, Field]:
    """Return the fields of the base classes, which have to be frozen as this class is."""
    found: dict[str, Field] = {}
    are_frozen: list[bool] = []
    for base in cls.__mro__[:0:-1]:
        theirs = fields_of(base)
        if theirs is not None:
            found.update(theirs)
            are_frozen.append(method_of(base, _OPTIONS).frozen)
    if any(are_frozen) and not frozen:
        raise TypeError("cannot inherit non-frozen dataclass from a frozen one")
    if frozen and are_frozen and not (all(are_frozen) if _NEWER else any(are_frozen)):
        raise TypeError("cannot inherit frozen dataclass from a non-frozen one")
    return found


# --- methods ---


class _Text:
    """The text of the methods, and the names that it uses, which are those of no field."""

    def __init__(self, known: Iterable[str]) -> None:
        self._lines: list[str] = []
        self._names: dict[str, object] = {}
        self._stem = "_"
        while any(each.startswith(self._stem) for each in known):
            self._stem += "_"

    def named(self, value: object) -> str:
        """Return a name for a value."""
        name = f"{self._stem}{len(self._names)}"
        self._names[name] = value
        return name

    def add(self, head: str, *body: str) -> None:
        """Add a method."""
        self._lines += [f"def {head}:", *(f"    {each}" for each in body or ("pass",))]

    def made(self, guard: Guard, cls: type) -> dict[str, Any]:
        """Return the methods: functions of the snippet."""
        offered = {"hash": guard.identities.hash, "NotImplemented": NotImplemented}
        around = {"__builtins__": offered, "__name__": cls.__module__, **guard.hooks(), **self._names}
        try:
            code = guard.compiler("\n".join(self._lines), "<string>", "")
        except Refusal as refusal:
            raise TypeError(f"@dataclass can't write this: {refusal.what}") from None
        found: dict[str, Any] = {}
        run_code(code, around, found)
        for name, function in found.items():
            function.__qualname__ = f"{cls.__qualname__}.{name}"
        return found


def _write_init(text: _Text, shown: list[Field], cls: type, options: dict[str, bool]) -> None:
    positional = [each for each in shown if each.init and not each.kw_only]
    for before, each in itertools.pairwise(positional):
        if _has_default(before) and not _has_default(each):
            after = f" {before.name!r}" if _NEWER else ""
            raise TypeError(f"non-default argument {each.name!r} follows default argument{after}")
    me = text.named(None) if any(each.name == "self" for each in shown) else "self"
    unset, plain = text.named(_UNSET), text.named(object)
    parameters: dict[bool, list[str]] = {False: [me], True: []}  # by whether they are given by name only
    body = []
    for each in shown:
        value = each.name
        default = "" if each.default is MISSING else text.named(each.default)
        if each.default_factory is not MISSING:
            default, call = unset, f"{text.named(each.default_factory)}()"
            value = f"{call} if {value} is {unset} else {value}" if each.init else call
        elif not each.init:
            value = default if options["slots"] else ""  # the attribute of the class will do
        if each.init:
            ending = f" = {default}" if default else ""
            parameters[bool(each.kw_only)].append(f"{each.name}: {text.named(each.type)}{ending}")
        if value and _kind(each) is _FIELD:
            frozen = f"{plain}.__setattr__({me}, {each.name!r}, {value})"
            body.append(frozen if options["frozen"] else f"{me}.{each.name} = {value}")
    if method_of(cls, "__post_init__") is not None:
        body.append(f"{me}.__post_init__({', '.join(each.name for each in shown if _kind(each) is _FOR_INIT)})")
    listed = parameters[False] + (["*", *parameters[True]] if parameters[True] else [])
    text.add(f"__init__({', '.join(listed)}) -> None", *body)


def _write_others(text: _Text, own: list[Field], options: dict[str, bool], hashed: bool) -> None:
    compared = [each.name for each in own if each.compare]
    mine, theirs = (f"({''.join(f'{me}.{name}, ' for name in compared)})" for me in ("self", "other"))
    alike, otherwise = "if other.__class__ is self.__class__:", "return NotImplemented"
    if options["repr"]:
        shown = ", ".join(f"{each.name}={{self.{each.name}!r}}" for each in own if each.repr)
        text.add("__repr__(self)", f'return f"{{self.__class__.__qualname__}}({shown})"')
    if options["eq"] and _NEWER:
        found = " and ".join(f"self.{name} == other.{name}" for name in compared) or "True"
        text.add("__eq__(self, other)", "if self is other: return True", alike, f"    return {found}", otherwise)
    elif options["eq"]:
        text.add("__eq__(self, other)", alike, f"    return {mine} == {theirs}", otherwise)
    for name, sign in _ORDER.items() if options["order"] else ():
        text.add(f"{name}(self, other)", alike, f"    return {mine} {sign} {theirs}", otherwise)
    if hashed:
        names = [each.name for each in own if (each.compare if each.hash is None else each.hash)]
        text.add("__hash__(self)", f"return hash(({''.join(f'self.{name}, ' for name in names)}))")


def _frozen(guard: Guard, act: str, own: frozenset[str]) -> Callable[..., None]:
    """Return what refuses to set or delete attributes; `__init__` sets them by `object.__setattr__`, as the snippet
    may."""

    def refuse(self: object, name: str, *value: object) -> None:
        here = next(each for each in type(self).__mro__ if vars(each).get(act) is refuse)
        if type(self) is here or name in own:
            raise dataclasses.FrozenInstanceError(f"cannot {_FREEZING[act]} field {name!r}")
        getattr(super(here, self), act)(name, *value)

    guard.frozen.add(refuse)
    return refuse


def _once(method: Any) -> Any:
    """Return the `__repr__` that writes dots for an object within itself; pprint looks at what it wraps."""
    made: Any = reprlib.recursive_repr()(method)
    method.__qualname__, made.__wrapped__ = "__create_fn__.<locals>.__repr__", method
    return made


def _methods(guard: Guard, cls: type, found: dict[str, Field], options: dict[str, bool]) -> dict[str, Any]:
    """Return what the class gets, which it does not have yet when this raises an error."""
    given = {name for name in vars(cls) if _is_given(guard, cls, name)}
    for name, value in vars(cls).items():
        if type(value) is dataclasses.Field and name not in vars(cls).get("__annotations__", ()):
            raise TypeError(f"{name!r} is a field but has no type annotation")
    if options["order"] and not options["eq"]:
        raise ValueError("eq must be true if order is true")
    shown = [each for each in found.values() if _kind(each) is not _OF_CLASS]
    own = [each for each in shown if _kind(each) is _FIELD]
    if "__eq__" in given and vars(cls).get("__hash__", given) is None:
        given.discard("__hash__")  # Python has put it there
    hashed = options["unsafe_hash"] or (options["eq"] and options["frozen"] and "__hash__" not in given)
    text = _Text(found)
    if options["init"]:
        _write_init(text, shown, cls, options)
    _write_others(text, own, options, hashed)
    for name in (*_ORDER, *_FREEZING, "__hash__"):
        option = "order" if name in _ORDER else "frozen" if name in _FREEZING else "unsafe_hash"
        if options[option] and name in given:
            advice = f"{'' if _NEWER else '.'} Consider using functools.total_ordering" if name in _ORDER else ""
            raise TypeError(f"Cannot overwrite attribute {name} in class {cls.__name__}{advice}")
    if options["weakref_slot"] and not options["slots"]:
        raise TypeError("weakref_slot is True but slots is False")
    made = text.made(guard, cls)
    if options["repr"]:
        made["__repr__"] = _once(made["__repr__"])
    for name in _FREEZING if options["frozen"] else ():
        made[name] = _frozen(guard, name, frozenset(each.name for each in own))
    if options["eq"] and not hashed:
        made["__hash__"] = None
    if options["match_args"]:
        made["__match_args__"] = tuple(each.name for each in shown if each.init and not each.kw_only)
    return {name: each for name, each in made.items() if name not in given}


def _is_given(guard: Guard, cls: type, name: str) -> bool:
    """Whether the snippet has defined a name of its class, and not GradViz when the class was made."""
    value = vars(cls)[name]
    around = getattr(value, "__wrapped__", MISSING) if type(value) is types.FunctionType else MISSING
    inherited = next((vars(base)[name] for base in cls.__mro__[1:] if name in vars(base)), None)
    return around is not inherited and not guard.identities.has_put(value)


# --- @dataclass ---


def _decorated(guard: Guard, cls: Any, options: dict[str, bool]) -> type:
    if not isinstance(cls, type) or not guard.owns(cls) or type(cls) not in ORDINARY:
        raise TypeError("dataclass works on classes of the snippet")
    own = list(_own_fields(guard, cls, options["kw_only"]))
    found = _inherited(cls, options["frozen"]) | {each.name: each for each in own}
    methods = _methods(guard, cls, found, options)
    for heir in (cls, *heirs(cls)):
        check_patterns(guard, heir, found)
    if methods.keys() & {"__eq__", "__hash__"}:
        check_text(cls, compares=True)
    for each in [each for each in own if type(vars(cls).get(each.name)) is dataclasses.Field]:
        guard.delattr(cls, each.name)
        if each.default is not MISSING:
            guard.setattr(cls, each.name, each.default)
    made = _with_slots(guard, cls, found, options) if options["slots"] else cls
    add_methods(made, methods | {_FIELDS: found, _OPTIONS: types.SimpleNamespace(**options)})
    find_abstract(made)  # from here on, the snippet may be called
    if not vars(made).get("__doc__"):
        describe_class(made)
    if made is not cls:
        guard.classes.welcome(made)
    return made


def _with_slots(guard: Guard, cls: type, found: dict[str, Field], options: dict[str, bool]) -> type:
    """Return a class in place of this one, with slots."""
    if "__slots__" in vars(cls):
        raise TypeError(f"{cls.__name__} already specifies __slots__")
    taken: set[str] = set()
    for base in cls.__mro__[1:-1]:
        theirs = vars(base).get("__slots__", ())
        taken.update([theirs] if isinstance(theirs, str) else theirs, ["__weakref__"] if base.__weakrefoffset__ else [])
    names = [each.name for each in found.values() if _kind(each) is _FIELD]
    kept = {key: each for key, each in vars(cls).items() if key not in (*names, "__dict__", "__weakref__")}
    slots = [*names, *(["__weakref__"] if options["weakref_slot"] else [])]
    kept |= {"__slots__": tuple(each for each in slots if each not in taken), "__qualname__": cls.__qualname__}
    return guard.classes.remake(cls, kept | (_moving(guard) if options["frozen"] else {}))


def _moving(guard: Guard) -> dict[str, object]:
    """Return what `copy` asks of a frozen class with slots."""

    def __getstate__(self: object) -> list[object]:
        return [guard.getattr(self, each.name) for each in fields(self)]

    def __setstate__(self: object, state: list[object]) -> None:
        for each, value in zip(fields(self), state, strict=True):
            place(guard, self, each.name, value)

    return {"__getstate__": __getstate__, "__setstate__": __setstate__}


def describe_class(cls: Any) -> None:
    """Give a class the docstring that Python writes, which asks defaults and annotations for their text."""
    method = method_of(cls, "__init__")
    try:
        whole = inspect.signature(method) if type(method) is types.FunctionType else inspect.Signature()
        parameters = list(whole.parameters.values())[1:]
        told = str(whole.replace(parameters=parameters)).replace(" -> None", "")
    except (TypeError, ValueError):
        told = ""
    cls.__doc__ = f"{cls.__name__}{told}"


def dataclass_names(guard: Guard) -> dict[str, object]:
    """Return the names of `dataclasses` for one run."""

    def dataclass(cls: Any = None, /, **given: object) -> Any:
        options = dict.fromkeys(_TRUE, True) | dict.fromkeys(_FALSE, False)
        for name, value in given.items():
            if name not in options:
                raise TypeError(f"dataclass() got an unexpected keyword argument {name!r}")
            options[name] = bool(value)
        return (lambda each: _decorated(guard, each, options)) if cls is None else _decorated(guard, cls, options)

    def replace(obj: Any, /, **changes: object) -> object:
        check_instance(obj, "replace")
        wrong = TypeError if _NEWER else ValueError
        for each in (fields_of(obj) or {}).values():
            if not each.init and each.name in changes:
                told = "is declared with init=False, it cannot be specified with replace()"
                raise wrong(f"field {each.name} {told}")
            if _kind(each) is _OF_CLASS or not each.init or each.name in changes:
                continue
            if _kind(each) is _FOR_INIT and each.default is MISSING:
                raise wrong(f"InitVar {each.name!r} must be specified with replace()")
            changes[each.name] = guard.getattr(obj, each.name)
        return type(obj)(**changes)

    def unfolded(value: Any, make: Callable[[Any], object]) -> Any:
        kind = type(value)
        if fields_of(kind) is not None:
            return make([(each.name, unfolded(guard.getattr(value, each.name), make)) for each in fields(value)])
        if isinstance(value, tuple) and guard.hasattr(value, "_fields"):
            return kind(*[unfolded(each, make) for each in value])
        if isinstance(value, list | tuple):
            return kind(unfolded(each, make) for each in value)
        if isinstance(value, dict):
            pairs = ((unfolded(key, make), unfolded(each, make)) for key, each in value.items())
            return kind(value.default_factory, pairs) if isinstance(value, collections.defaultdict) else kind(pairs)
        return copy.deepcopy(value)

    def asdict(obj: object, *, dict_factory: Callable[[Any], object] = dict) -> object:
        check_instance(obj, "asdict")
        return unfolded(obj, dict_factory)

    def astuple(obj: object, *, tuple_factory: Callable[[Any], object] = tuple) -> object:
        check_instance(obj, "astuple")
        return unfolded(obj, lambda pairs: tuple_factory([value for _, value in pairs]))

    def check_instance(obj: object, what: str) -> None:
        if isinstance(obj, type) or not is_dataclass(obj):
            raise TypeError(f"{what}() should be called on dataclass instances")

    made: list[Any] = [dataclass, replace, asdict, astuple, field, fields, is_dataclass]
    of_python = {name: getattr(dataclasses, name) for name in ("KW_ONLY", "InitVar", "FrozenInstanceError", "MISSING")}
    return of_python | {each.__name__: each for each in made}
