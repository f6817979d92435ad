"""`__torch_function__`: what a class says for itself that PyTorch's functions do with its objects, be it derived from
`Tensor` or not. A function looks for it where it has met an argument of another class than PyTorch's own, so that it
costs nothing where there is none; the operators and attributes of a derived class do at once, in `Overridable`, which
stands between it and `Tensor`.

While a function runs for such a tensor, the tensor is a plain one: no method of the class is called inside. See
`api.py` for the functions, and `gradviz.torch.overrides` for what a snippet gets."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from inspect import getattr_static
from types import FunctionType
from typing import cast

from gradviz.engine.kernel import devices, dtypes, memory
from gradviz.engine.kernel.rows import ROWS
from gradviz.engine.kernel.state import on_new_run, state
from gradviz.engine.kernel.tensor import Size, Tensor
from gradviz.engine.run.apply import call

NAME = "__torch_function__"
Asking = Callable[..., object]
Keywords = Mapping[str, object]


# The parameters of functions that are written in Python there, those behind `/` as they are handed on by name;
# `signatures.py` fills it in.
WRITTEN_IN_PYTHON: dict[str, str] = {}
# Types of arguments and their items that stay as they are; a parameter's comes to them.
AS_THEY_ARE: set[type] = {Tensor, int, float, bool, complex, str, type(None), dtypes.dtype, FunctionType}
_OWN_CLASSES: set[type] = set()  # PyTorch's tensors, and parameters


class Overridden(Exception):
    """An argument was met whose class may say for itself what the function does."""


def disabled(func: Asking, types: object, args: tuple[object, ...] = (), kwargs: Keywords | None = None) -> object:
    """The `__torch_function__` of a class that says nothing: `torch._C._disabled_torch_function_impl`."""
    with without_overrides():
        return func(*args, **(kwargs or {}))


def overrides(kind: type) -> bool:
    """Whether objects of a class say for themselves what functions do with them."""
    found = getattr(kind, NAME, None)
    return found is not None and found is not disabled


def is_own(kind: type) -> bool:
    """Whether a class of tensors is PyTorch's own."""
    return kind in _OWN_CLASSES


def is_met(kind: type) -> bool:
    """Whether a function has to stop for an argument of this class: it may say something, or is a tensor's, whose
    methods are not to be called inside."""
    if modes:
        return True
    return kind not in _OWN_CLASSES and (issubclass(kind, Tensor) or (state.overriding and overrides(kind)))


@contextmanager
def without_overrides() -> Iterator[None]:
    """Let functions take tensors of derived classes as any others inside the `with` block."""
    before, state.overriding = state.overriding, False
    try:
        yield
    finally:
        state.overriding = before


# --- which arguments decide ---


def deciding(given: Iterable[object]) -> list[object]:
    """One object of each class that overrides functions, in the order in which they are asked: from left to right, but
    a derived class before its base."""
    found: list[object] = []
    for each in given:
        kind = type(each)
        if kind is Tensor or any(type(one) is kind for one in found) or not overrides(kind):
            continue
        at = next((nr for nr, one in enumerate(found) if issubclass(kind, type(one))), len(found))
        found.insert(at, each)
    return found


def _relevant(given: Iterable[object]) -> Iterator[object]:
    """The arguments, and what lists among them hold."""
    for each in given:
        if type(each) is list or type(each) is tuple:
            yield from each
        else:
            yield each


# Functions that take any object's values.
_NEVER_ASK = frozenset({"torch.tensor", "torch.as_tensor", "Tensor.new_tensor"})


def dispatched(public: Asking, key: str, args: Sequence[object], keywords: Keywords) -> object:
    """What the first class says that says anything; None of them decides if overriding is off: NotImplemented."""
    if not modes and (not state.overriding or key in _NEVER_ASK):
        return NotImplemented
    relevant = [*_relevant((*args, *keywords.values()))]
    found = deciding(relevant) if state.overriding else []
    if not found and not modes:
        return NotImplemented
    header = WRITTEN_IN_PYTHON.get(key)
    if header is None:
        return ask(public, key, found, map(type, found), tuple(args), dict(keywords) if keywords else None)
    return ask(public, key, found, with_tensor(found, relevant), *_by_name(header, args, keywords))


def with_tensor(found: Iterable[object], relevant: Iterable[object]) -> list[type]:
    """The classes that decide, and Tensor if there is one, as functions that PyTorch has written in Python say them."""
    types = [type(each) for each in found]
    if Tensor not in types and any(type(each) is Tensor for each in relevant):
        types.append(Tensor)
    return types


_FACTS: dict[type, str] = {
    dtypes.dtype: "dtype",
    Size: "shape size",
    int: """size stride ndim dim ndimension numel nelement element_size itemsize nbytes storage_offset data_ptr
    output_nr _version get_device __len__""",
    tuple: "stride",
    bool: """is_leaf requires_grad retains_grad is_meta is_cpu is_mps is_sparse is_sparse_csr is_contiguous
    is_floating_point is_complex is_signed is_coalesced""",
    devices.device: "device",
    memory.layout: "layout",
}
_KINDS = {
    f"Tensor.{name}": tuple(kind for kind, names in _FACTS.items() if name in names.split())
    for name in " ".join(_FACTS.values()).split()
}


def _checked(key: str, answer: object) -> object:
    """An answer; what the engine itself asks tensors for is of the type that it expects."""
    wanted = _KINDS.get(key)
    if wanted is not None and (
        type(answer) not in wanted or (type(answer) is tuple and any(type(each) is not int for each in answer))
    ):
        kinds = " or ".join(each.__name__ for each in wanted)
        raise TypeError(f"{NAME}: for torch.{key} it must return {kinds} in GradViz, not {type(answer).__name__}")
    return answer


def _asker(one: object) -> Asking:
    """What the class of an object has to say, whatever the object itself holds."""
    found, method = getattr_static(type(one), NAME), getattr(one, NAME)
    if getattr(method, "__func__", method) is not getattr(found, "__func__", found):
        raise TypeError(f"{NAME} of '{type(one).__name__}' is no method of the class")
    return cast(Asking, method)


# Built-in functions of `torch.nn.functional` that are none of `torch`.
_OF_NN = "avg_pool2d avg_pool3d gelu linear one_hot scaled_dot_product_attention softplus softshrink".split()


def _said(key: str) -> str:
    """The name of a function in an error, which tells where PyTorch has it inside."""
    place, _, name = key.rpartition(".")
    if place in ("linalg", "special", "fft"):
        return f"torch.{place}.{place}_{name}"
    if place == "torch":
        return f"torch.functional.{name}" if key in WRITTEN_IN_PYTHON else key
    if place == "nn.functional" and key not in WRITTEN_IN_PYTHON:
        return f"torch.nn.{name}" if name in _OF_NN else f"torch.{name}"
    return key if place.startswith("torch.") else f"torch.{key}"


def ask(
    public: Asking,
    key: str,
    found: Sequence[object],
    types: Iterable[type],
    args: tuple[object, ...],
    keywords: dict[str, object] | None,
) -> object:
    """Ask the objects one after another; raises TypeError if none has an answer."""
    kinds, listed = tuple(types), ""
    if modes:
        with _without_innermost() as mode:
            answer = _asker(mode)(public, kinds, args, keywords)
        if answer is not NotImplemented:
            return _checked(key, answer)
        listed = f"  - mode object {mode!r}\n"
    for each in found:
        answer = _asker(each)(public, kinds, args, keywords)
        if answer is not NotImplemented:
            return _checked(key, answer)
    name = _said(key)
    if keywords is not None and key in WRITTEN_IN_PYTHON:
        kinds_asked = [type(each) for each in found]
        raise TypeError(f"no implementation found for '{name}' on types that implement {NAME}: {kinds_asked}")
    listed += "".join(f"  - tensor subclass {type(each)}\n" for each in found)
    raise TypeError(
        f"Multiple dispatch failed for '{name}'; all {NAME} handlers returned NotImplemented:\n\n{listed}\n"
        "For more information, try re-running with TORCH_LOGS=not_implemented"
    )


@contextmanager
def plain(given: Iterable[object]) -> Iterator[None]:
    """Let tensors of derived classes among the arguments be plain ones, or parameters, inside the `with` block."""
    changed: list[tuple[Tensor, type]] = []
    try:
        for each in _relevant(given):
            kind = type(each)
            if kind not in _OWN_CLASSES and isinstance(each, Tensor):
                each.__class__ = next(base for base in kind.__mro__ if base in _OWN_CLASSES)
                changed.append((each, kind))
        yield
    finally:
        for each, kind in changed:
            each.__class__ = kind  # type: ignore[assignment]


# --- modes, which are asked about everything ---


modes: list[object] = []  # the open ones, the innermost last
_usual: set[type] = set()  # what AS_THEY_ARE holds while there is none


def open_mode(mode: object) -> None:
    """Ask this object about each function and operator from now on."""
    modes.append(mode)
    _look_for_modes()


def close_mode() -> None:
    """No longer ask the innermost one."""
    if not modes:
        raise RuntimeError("trying to pop from empty mode stack")
    modes.pop()
    _look_for_modes()


@contextmanager
def _without_innermost() -> Iterator[object]:
    """While a mode answers, it is not asked itself."""
    mode = modes.pop()
    _look_for_modes()
    try:
        yield mode
    finally:
        open_mode(mode)


def _look_for_modes() -> None:
    """While a mode is open, functions stop at every argument, and plain tensors have the operators and attributes of
    `Overridable`; while none is, looking for one costs nothing."""
    if bool(modes) is bool(_usual):
        return
    if modes:
        _usual.update(AS_THEY_ARE)
        AS_THEY_ARE.clear()
        _operators.attributes = {name: vars(Tensor)[name] for name in _operators.attributes}
        _operators.use({name: vars(Overridable)[name] for name in (*_operators.plain, *_operators.attributes)})
        return
    AS_THEY_ARE.update(_usual)
    _usual.clear()
    _operators.use({**_operators.without_modes, **_operators.attributes})


@on_new_run
def _forget() -> None:
    modes.clear()
    _operators.without_modes = _operators.plain
    _look_for_modes()
    _operators.use(_operators.plain)


# --- how functions that PyTorch has written in Python hand on their arguments ---


@functools.cache
def _signature(header: str) -> inspect.Signature:
    parsed = ast.parse(f"def f({header}): ...").body[0]
    assert isinstance(parsed, ast.FunctionDef)
    given, kind = parsed.args, inspect.Parameter
    places = [*given.posonlyargs, *given.args]
    only, unsaid = len(given.posonlyargs), len(places) - len(given.defaults)
    made = [
        kind(
            each.arg,
            kind.POSITIONAL_ONLY if at < only else kind.POSITIONAL_OR_KEYWORD,
            default=kind.empty if at < unsaid else ast.literal_eval(given.defaults[at - unsaid]),
        )
        for at, each in enumerate(places)
    ]
    if given.vararg is not None:
        made.append(kind(given.vararg.arg, kind.VAR_POSITIONAL))
    for each, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        said = kind.empty if default is None else ast.literal_eval(default)
        made.append(kind(each.arg, kind.KEYWORD_ONLY, default=said))
    return inspect.Signature(made)


def _by_name(header: str, args: Sequence[object], keywords: Keywords) -> tuple[tuple[object, ...], dict[str, object]]:
    """The arguments as the function would hand them on."""
    signature = _signature(header)
    positional = [each.name for each in signature.parameters.values() if each.kind is each.POSITIONAL_ONLY]
    first = [keywords[name] for name in positional[len(args) :] if name in keywords]
    rest = {name: value for name, value in keywords.items() if name not in positional}
    try:
        bound = signature.bind(*args, *first, **rest)
    except TypeError:
        return tuple(args), dict(keywords)
    bound.apply_defaults()
    handed = [value for name, value in bound.arguments.items() if name in positional]
    for name, value in bound.arguments.items():
        if signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            handed += value
    by_name = {
        name: value
        for name, value in bound.arguments.items()
        if name not in positional and signature.parameters[name].kind is not inspect.Parameter.VAR_POSITIONAL
    }
    return tuple(handed), by_name


# --- derived classes ---

_NO_TENSOR = (
    "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure your class "
    "inherits from Tensor."
)


def as_subclass(self: Tensor, cls: type) -> Tensor:
    """The same memory and history as a tensor of another class."""
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {type(cls).__name__})")
    if not issubclass(cls, Tensor):
        raise TypeError(_NO_TENSOR)
    with without_overrides(), plain((self,)):
        made: Tensor = call(ROWS["alias"], self)
    made.__class__ = cls
    return made


def make_subclass(cls: type, data: Tensor, require_grad: bool = False) -> Tensor:
    """A tensor of another class over the same memory, without its history."""
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {type(cls).__name__})")
    for at, (name, value, kind) in enumerate((("data", data, Tensor), ("require_grad", require_grad, bool)), start=2):
        if not isinstance(value, kind):
            given = type(value).__name__
            raise TypeError(f"_make_subclass(): argument '{name}' (position {at}) must be {kind.__name__}, not {given}")
    if not issubclass(cls, Tensor):
        raise TypeError(_NO_TENSOR)
    if require_grad and data._data.dtype.kind in "biu":
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    with without_overrides(), plain((data,)):
        made = data.detach()
        made.requires_grad_(require_grad)
    made.__class__ = cls
    return made


def converted(value: object, cls: type) -> object:
    """A result with its tensors as those of a class."""
    if cls is Tensor:
        return value
    if isinstance(value, Tensor) and not isinstance(value, cls):
        value = as_subclass(value, cls)
    if isinstance(value, (tuple, list)):
        items, make = [converted(each, cls) for each in value], cast(Asking, type(value))
        return make(*items) if hasattr(value, "fields") else make(items)
    return value


def default(
    cls: type, func: Asking, types: Iterable[type], args: tuple[object, ...] = (), kwargs: Keywords | None = None
) -> object:
    """Compute with plain tensors; results are of the class."""
    if not all(issubclass(cls, each) for each in types):
        return NotImplemented
    named = {} if kwargs is None else kwargs
    inside = plain((*args, *named.values())) if _is_operator(func) else nullcontext()
    with without_overrides(), inside:
        found = func(*args, **named)
        return found if type(func) is Accessor and func.stored else converted(found, cls)


def _is_operator(func: object) -> bool:
    """Whether it is an operator of tensors that has no look at the classes of its operands."""
    name = getattr(func, "__name__", "")
    return type(name) is str and name.strip("_") not in _KEPT and name[:2] == "__" and method_of(name) is func


# The method that PyTorch calls for an operator: one of its own functions, or one written in Python under its own name.
_CALLED = {
    "add": "add", "radd": "add", "iadd": "add_", "sub": "sub", "isub": "sub_", "mul": "mul", "rmul": "mul",
    "imul": "mul_", "truediv": "div", "itruediv": "div_", "mod": "remainder", "imod": "remainder_", "neg": "neg",
    "abs": "abs", "matmul": "matmul", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge", "ne": "ne", "pos": "positive",
    "pow": "pow",
}  # fmt: skip
_OWN = """rsub rtruediv floordiv rfloordiv ifloordiv rmod rpow ipow rmatmul eq invert and rand iand or ror ior xor rxor
ixor lshift rlshift ilshift rshift rrshift irshift getitem setitem delitem bool int float complex index len contains
reversed repr format""".split()
_IN_PYTHON = frozenset("pow rsub rdiv rtruediv floordiv rfloordiv rmod rpow rmatmul rlshift rrshift".split())


def foreign(name: str, self: Tensor, other: object) -> object:
    """What an operator does with an operand that is neither tensor nor number: its class may say so."""
    if not is_met(type(other)):
        return NotImplemented
    called = _CALLED.get(name, f"__{name}__")
    try:
        return dispatched(getattr(Tensor, called), f"Tensor.{called}", (self, other), {})
    except TypeError:
        return NotImplemented


_KEPT = frozenset("repr format".split())  # which look at the class itself


class Overridable(Tensor):
    """What a derived class has between itself and `Tensor`: operators and attributes that ask it."""

    __slots__ = ()
    __hash__ = Tensor.__hash__
    __str__ = object.__str__  # by `__repr__`

    def __iter__(self) -> Iterator[Tensor]:
        if not self.dim():
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))


class _Operators:
    """The operators of plain tensors: as they are written until there is a derived class, since looking at the classes
    of operands takes time. Attributes are kept from when a mode replaces them: a worker changes them before."""

    def __init__(self) -> None:
        self.plain: dict[str, object] = {}
        self.careful: dict[str, object] = {}
        self.without_modes = self.plain
        self.attributes: dict[str, object] = dict.fromkeys(("__iter__", "__str__"))

    def use(self, chosen: Mapping[str, object]) -> None:
        """Let plain tensors have these."""
        for name, function in chosen.items():
            if vars(Tensor)[name] is not function:
                setattr(Tensor, name, function)

    def be_careful(self) -> None:
        """From now on look at the operands: there is a class of the snippet's, whose methods are not to be called."""
        self.without_modes = self.careful
        if not modes:
            self.use(self.careful)


_operators = _Operators()


def _careful(name: str, own: Asking) -> Asking:
    """An operator of plain tensors that asks the class of an operand, or else takes it as a plain tensor."""
    if name in _KEPT:
        return own
    asking = cast(Asking, vars(Overridable)[f"__{name}__"])

    @functools.wraps(own)
    def operate(self: Tensor, *others: object) -> object:
        given = (self, *others)
        if all(type(each) in AS_THEY_ARE or not is_met(type(each)) for each in _relevant(given)):
            return own(self, *others)
        if state.overriding and deciding(_relevant(given)):
            return asking(self, *others)
        with plain(given):
            return own(self, *others)

    return operate


def method_of(name: str) -> Asking:
    """The method of tensors that looks for no mode."""
    return cast(Asking, _operators.without_modes.get(name) or vars(Tensor).get(name))


def _operator(name: str) -> Asking:
    called = _CALLED.get(name, "__rdiv__" if name == "rtruediv" else f"__{name}__")
    own, key = f"__{name}__", f"Tensor.__{name}__" if name in _IN_PYTHON else f"Tensor.{called}"
    forward = _CALLED.get(name[1:], f"__{name[1:]}__") if name[0] == "r" and name[1:] in (*_CALLED, *_OWN) else ""
    is_binary = name in _CALLED or name in _IN_PYTHON

    def operate(self: Tensor, *others: object) -> object:
        if not state.overriding and not modes:
            with plain(() if name in _KEPT else (self, *others)):
                return getattr(Tensor, own)(self, *others)
        try:
            if forward and type(others[0]) is Tensor is not type(self):  # whose method Python would have called
                return dispatched(method_of(forward), f"Tensor.{forward}", (others[0], self), {})
            return dispatched(method_of(called), key, (self, *others), {})
        except TypeError:
            if is_binary:
                return NotImplemented
            raise

    operate.__name__, operate.__qualname__ = own, f"Tensor.{own}"
    return operate


class Accessor:
    """`Tensor.shape.__get__` and its like: what a class is asked about an attribute of its tensors."""

    __slots__ = ("__name__", "_act", "_where")

    def __init__(self, act: Asking, name: str, where: str) -> None:
        self._act, self.__name__, self._where = act, name, where

    def __call__(self, tensor: object, *given: object) -> object:
        if not isinstance(tensor, Tensor):
            name, kind = self._where, type(tensor).__name__
            raise TypeError(f"descriptor '{name}' for 'torch._C.TensorBase' objects doesn't apply to a '{kind}' object")
        with plain((tensor,)):
            return self._act(tensor, *given)

    @property
    def full_name(self) -> str:
        """`torch.Tensor.shape.__get__` and the like."""
        return f"torch.Tensor.{self._where}.{self.__name__}"

    @property
    def stored(self) -> bool:
        """Whether it returns a tensor that is kept somewhere, as it is."""
        return self._where == "grad" and self.__name__ == "__get__"

    def __repr__(self) -> str:
        return f"<method-wrapper '{self.__name__}' of getset_descriptor object>"


Accessor.__name__, Accessor.__module__ = "method-wrapper", "builtins"  # as PyTorch's is called


def _attribute(name: str, own: property) -> property:
    get = Accessor(own.fget, "__get__", name)  # type: ignore[arg-type]
    put = Accessor(own.fset, "__set__", name)  # type: ignore[arg-type]
    remove = Accessor(own.fdel, "__delete__", name)  # type: ignore[arg-type]

    def read(self: Tensor) -> object:
        found = deciding((self,)) if state.overriding else []
        if not found and not modes:
            return get(self)
        return ask(get, f"Tensor.{name}", found, map(type, found), (self,), None)

    def write(self: Tensor, value: object) -> None:
        if dispatched(put, "", (self, value), {}) is NotImplemented:
            put(self, value)

    def delete(self: Tensor) -> None:
        if dispatched(remove, "", (self,), {}) is NotImplemented:
            remove(self)

    return property(read, write, delete, own.__doc__)


def class_made(cls: type[Tensor]) -> None:
    """What happens to a new class that is derived from Tensor."""
    if cls.__basicsize__ != Tensor.__basicsize__:
        raise TypeError(f"{cls.__name__}: __slots__ in a class derived from Tensor are not in GradViz; leave them out")
    _operators.be_careful()
    if overrides(cls) and Overridable not in cls.__mro__:
        cls.__bases__ = tuple(Overridable if each is Tensor else each for each in cls.__bases__)


def _same(value: bool, _: Tensor) -> bool:
    return value


def install() -> None:
    """Fill in `Overridable`, once all methods of tensors are there, and let classes be derived."""
    found = [Tensor]
    for each in found:
        found += [kind for kind in each.__subclasses__() if kind is not Overridable]
    _OWN_CLASSES.update(found)
    for name in (*_CALLED, *_OWN):
        special = f"__{name}__"
        setattr(Overridable, special, _operator(name))
        _operators.plain[special] = vars(Tensor)[special]
        _operators.careful[special] = _careful(name, vars(Tensor)[special])
    for name, own in list(vars(Tensor).items()):
        read = property(functools.partial(_same, own)) if name[:3] == "is_" and isinstance(own, bool) else own
        if isinstance(read, property) and (name[0] != "_" or name == "_version"):
            setattr(Overridable, name, _attribute(name, read))
            _operators.attributes[name] = None
    for name, method in ((NAME, default), ("__init_subclass__", class_made)):
        setattr(Tensor, name, classmethod(method))
