"""The catalogue of operations for drawings: their ports, parameters and outputs, derived from the rows of the engine
and the signatures of its public functions. A wrapper (`out=`, NumPy's names, autocast) accepts anything, so the
signatures are those of the functions that it wraps. `python -m gradviz.engine.catalogue` writes
`resources/catalogue.json`, which `gradviz.document.catalogue` reads; what can't be derived is in `catalogue_tables` and
`catalogue_words`."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any

from gradviz import RESOURCES
from gradviz.engine import catalogue_tables as tables
from gradviz.engine import catalogue_words as words
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops import ranges
from gradviz.engine.reference import Entry, entries
from gradviz.engine.run.api import FFT, FUNCTIONAL, FUNCTIONS, LINALG, SPECIAL, UNSAID

_INNER = ("fn", "offered", "prepare", "function", "view")  # where wrappers hold the function that they wrap
REQUIRED = inspect.Parameter.empty
Data = dict[str, Any]  # an entry, or a part of one


@dataclass(frozen=True)
class Argument:
    """One argument; `type` is its annotation, "" if it has none; `spread`: takes any number of values, as `*args`
    does."""

    name: str
    type: str = ""
    default: object = REQUIRED
    keyword_only: bool = False
    spread: bool = False


def arguments(function: Callable[..., object]) -> tuple[Argument, ...]:
    """The arguments of the innermost function that names them, skipping wrappers that only forward theirs."""
    found = []
    for each in inspect.signature(_innermost(function)).parameters.values():
        if each.kind is not inspect.Parameter.VAR_KEYWORD:
            kind = "" if each.annotation is REQUIRED else str(each.annotation).strip("'\"")
            kind = "Any" if kind == "object" else kind
            only, spread = each.kind is inspect.Parameter.KEYWORD_ONLY, each.kind is inspect.Parameter.VAR_POSITIONAL
            default = None if each.default is UNSAID else each.default
            found.append(Argument(each.name, kind, default, only and not spread, spread))
    return tuple(found)


def _innermost(function: Callable[..., object]) -> Callable[..., object]:
    while True:
        inner = _wrapped(function)
        if inner is None:
            return function
        function = inner


def _wrapped(function: Callable[..., object]) -> Callable[..., object] | None:
    if not isinstance(function, FunctionType) or function.__closure__ is None:
        return None
    kinds = {each.kind for each in inspect.signature(function, follow_wrapped=False).parameters.values()}
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        return None
    cells = dict(zip(function.__code__.co_freevars, function.__closure__, strict=True))
    for name in _INNER:
        if name in cells and isinstance(cells[name].cell_contents, FunctionType):
            inner: Callable[..., object] = cells[name].cell_contents
            return inner
    return None


def written(text: str) -> tuple[Argument, ...]:
    """The arguments as written in a `def`: "input: Tensor, *, alpha: float = 1"."""
    tree = ast.parse(f"def function({text}): pass").body[0]
    assert isinstance(tree, ast.FunctionDef)
    args = tree.args
    none: list[ast.expr | None] = [None] * (len(args.args) - len(args.defaults))
    pairs = [(each, default, False) for each, default in zip(args.args, none + list(args.defaults), strict=True)]
    pairs += [(each, default, True) for each, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    found = [
        Argument(each.arg, _type(each), REQUIRED if default is None else ast.literal_eval(default), only)
        for each, default, only in pairs
    ]
    if args.vararg is not None:
        found.insert(len(args.args), Argument(args.vararg.arg, _type(args.vararg), REQUIRED, False, True))
    return tuple(found)


def _type(arg: ast.arg) -> str:
    return "" if arg.annotation is None else ast.unparse(arg.annotation)


_ready = ranges  # importing it fills the tables
FILE = RESOURCES / "catalogue.json"
_F, _FULL = "F.", "nn.functional."
_PLACES = (("", FUNCTIONS), (_F, FUNCTIONAL), ("linalg.", LINALG), ("special.", SPECIAL), ("fft.", FFT))
_TENSORS = frozenset(
    """input other tensor tensors condition mat1 mat2 mat vec vec1 vec2 batch1 batch2 exponent end src
min max values operands elements test_elements mean std""".split()
)
_DIM = frozenset("dim dim0 dim1 dim2 start_dim end_dim dimension axis0 axis1".split())
_DIMS = frozenset("dims source destination".split())
_SHAPE = frozenset("size shape sizes repeats normalized_shape".split())
_INTS = frozenset("kernel_size stride padding dilation output_padding output_size shifts pad s sections".split())
_SELF = re.compile(r"\bself\b", re.ASCII)  # what rows call the first operand
_SEVERAL = {"Dim", "Any"}  # annotations of the engine that mean "one dimension or several"
_SHORT = frozenset(
    """dim0 dim1 dim dims size shape repeats start_dim end_dim dimension kernel_size normalized_shape p n k
chunks split_size_or_sections indices_or_sections equation dtype diagonal start length source destination shifts sizes
output_size pad negative_slope index groups""".split()
)  # written without their names, as long as none is left out


@dataclass
class _Call:
    """A public function and what is known about it."""

    key: str  # with "F." for "nn.functional."
    function: Callable[..., object] | None
    rows: list[Entry] = field(default_factory=list)

    @property
    def full(self) -> str:
        return self.key.replace(_F, _FULL, 1) if self.key.startswith(_F) else self.key

    @property
    def name(self) -> str:
        return self.key.rsplit(".", 1)[-1]


def _calls() -> list[_Call]:
    """All functions that have an entry, by their best known name."""
    others = {name for more in tables.OTHER_NAMES.values() for name in more.split()}
    found = []
    for prefix, table in _PLACES:
        for name, function in table.items():
            key = prefix + name
            left_out = key in tables.LEFT_OUT or (name.endswith(tables.LEFT_OUT_ENDINGS) and name not in tables.KEPT)
            if not (
                _elsewhere(prefix, name) or left_out or key in others or name.startswith(tables.LEFT_OUT_BEGINNINGS)
            ):
                found.append(_Call(key, function))
    found += [_Call(f"Tensor.{name}", None) for name in (*tables.TENSOR_ONLY, *sorted(tables.ATTRIBUTES))]
    return [*found, _Call("Tensor.__getitem__", None)]


def _elsewhere(prefix: str, name: str) -> bool:
    """True if the function is better known under another module."""
    if prefix == "":
        return name in FUNCTIONAL and name not in tables.TORCH_FIRST
    return (prefix == _F and name in tables.TORCH_FIRST) or (prefix == "special." and name in FUNCTIONS)


def _known() -> dict[str, list[Entry]]:
    """The entries of the reference, by the names that they are called by."""
    found: dict[str, list[Entry]] = {}
    for each in entries():
        for name in each.calls:
            found.setdefault(name.removeprefix("torch."), []).append(each)
    return found


def _arguments(call: _Call) -> tuple[Argument, ...]:
    if call.key == "Tensor.__getitem__":
        return written("input, index: index, indices: Tensors = None")
    if call.key.startswith("Tensor."):
        return (*written("input"), *written(tables.TENSOR_ONLY.get(call.name, "")))
    assert call.function is not None
    text = tables.SIGNATURES.get(call.key)
    found = written(text) if text is not None else arguments(call.function)
    left_out = tables.LEFT_OUT_ARGUMENTS | ({"reduce"} if any(each.name == "reduction" for each in found) else set())
    return tuple(_kept(found, left_out))


def _kept(found: tuple[Argument, ...], left_out: frozenset[str]) -> Iterator[Argument]:
    """The arguments without those that a drawing does not have; arguments after a dropped one become keyword-only."""
    skipped = False
    for each in found:
        if each.name in left_out:
            skipped = skipped or not (each.keyword_only or each.spread)
        else:
            yield replace(each, keyword_only=True) if skipped and not each.spread else each


def _is_port(call: _Call, each: Argument) -> bool:
    if each.type not in ("", "Any", "Tensors", "OptionalTensor"):
        return "Tensor" in each.type
    numbers = tables.NUMBERS.get(call.key, "").split()
    return each.type != "Any" or each.name in _TENSORS or each.name in numbers


def _port(call: _Call, each: Argument) -> dict[str, object]:
    return {
        "name": each.name,
        "optional": each.default is not REQUIRED,
        "number": each.name in tables.NUMBERS.get(call.key, "").split(),
        "variadic": each.spread or "Tensors" in each.type or "[Tensor" in each.type,
        "spread": each.spread,
        "keyword_only": each.keyword_only,
        "explicit": each.name in tables.EXPLICIT.get(call.key, "").split(),
    }


def _choices(call: _Call, name: str) -> list[str]:
    found = tables.CHOICES.get(f"{call.key}.{name}", tables.CHOICES.get(name, ""))
    return found.split()


def _kind(call: _Call, each: Argument) -> str:
    name, kind = each.name, each.type
    if name == "dtype":
        return "dtype"
    if kind in ("dim", "dims", "ints", "shape", "number", "text", "numbers", "index"):
        return "choice" if kind == "text" and _choices(call, name) else kind
    if isinstance(each.default, bool) or kind.startswith("bool"):
        return "bool"
    if name in _DIM:
        return "dims" if kind in _SEVERAL else "dim"
    for names, found in ((_DIMS, "dims"), (_INTS, "ints"), (_SHAPE, "shape")):
        if name in names and not kind.startswith(("int", "float")):
            return found
    if kind.startswith("str") or isinstance(each.default, str):
        return "number" if name in ("p", "ord") else "choice" if _choices(call, name) else "text"
    plain = kind.split(" ")[0] if kind else type(each.default).__name__
    return {"int": "int", "float": "float", "Sequence[int]": "ints"}.get(plain, "number")


def _param(call: _Call, each: Argument) -> Data:
    kind = _kind(call, each)
    required = each.default is REQUIRED
    default = None if each.default is REQUIRED else each.default
    return {
        "name": each.name,
        "kind": kind,
        "default": default,
        "required": required,
        "optional": not required and default is None,
        "choices": _choices(call, each.name) if kind in ("choice", "number", "ints") else [],
        "keyword_only": each.keyword_only,
        "positional": not each.keyword_only and (each.spread or (required and each.name in _SHORT)),
        "spread": each.spread,
    }


def _outputs(call: _Call, params: list[dict[str, object]]) -> dict[str, object]:
    text = tables.OUTPUTS.get(call.key, "result")
    if text == "*":
        names = [each["name"] for each in params]
        tell = ("chunks", "split_size_or_sections", "indices_or_sections", "shape")
        found = [name for name in tell if name in names]
        return {"many": found[0] if found else "names" if call.key == "unbind" else "inputs"}
    parts = text.split()
    more = [(parts[at + 2], part[1:]) for at, part in enumerate(parts) if part.startswith("+")]
    conditions = {at + step for at, part in enumerate(parts) if part.startswith("+") for step in range(3)}
    return {"outputs": [part for at, part in enumerate(parts) if at not in conditions], "more": more}


def _style(call: _Call) -> str:
    if call.key == "Tensor.__getitem__":
        return "index"
    if call.key.startswith("Tensor."):
        return "attribute" if call.name in tables.ATTRIBUTES else "method"
    if call.key in tables.OPERATORS:
        return "operator"
    return "method" if call.key in tables.METHODS else "function"


def _aliases(call: _Call, first: str) -> list[str]:
    """Other names of the function, and the methods that call it."""
    others = tables.OTHER_NAMES.get(call.key, "").split()
    found = [name.replace(_F, _FULL, 1) if name.startswith(_F) else name for name in others]
    if call.key.startswith("Tensor."):
        return found
    if call.key.startswith(_F) and call.name in FUNCTIONS and call.key not in words.OTHER_ARGUMENTS:
        found.append(call.name)
    for prefix, table in _PLACES:
        if prefix and call.key == call.name and call.name in table and f"{prefix}{call.name}" not in words.APART:
            found.append(prefix.replace(_F, _FULL) + call.name)
    names = {name for name in others if "." not in name} - tables.TENSOR_ONLY.keys()
    if not call.key.startswith(("linalg.", "fft.")) and call.name not in tables.TENSOR_ONLY:
        names.add(call.name)  # the method `norm` is `torch.norm`, not `torch.linalg.norm`
    methods = [name for name in sorted(names) if callable(inspect.getattr_static(Tensor, name, None))]
    if first in ("input", "tensor", "A", "self", "x"):
        found += [f"Tensor.{name}" for name in methods]
    return [*dict.fromkeys(found)]


def _shown(call: _Call, first: str) -> Data:
    """Category, symbol, brief description and formula: those of the reference if the function has its own row."""
    rows = [each for each in call.rows if each.brief]
    row = max(rows, key=lambda each: (len(each.gradients), -len(each.symbol)), default=None)
    symbol, brief, formula = words.shown(call.key)
    doc = inspect.getdoc(call.function) if call.function is not None else ""
    return {
        "category": words.category(call.key, row.category if row else "other"),
        "symbol": symbol or (row.symbol if row else call.name),
        "brief": (brief or (row.brief if row else (doc or "").split("\n\n")[0].replace("\n", " "))).replace("`", ""),
        "formula": formula or (row.formula if row else ""),
        "gradients": [[_SELF.sub(first, part) for part in each] for each in row.gradients] if row else [],
    }


def _link(call: _Call) -> str:
    if call.name == "__getitem__":
        return "https://docs.pytorch.org/docs/2.13/tensor_view.html"
    return f"https://docs.pytorch.org/docs/2.13/generated/torch.{call.full}.html"


def _entry(call: _Call) -> Data:
    args = _arguments(call)
    ports = [_port(call, each) for each in args if _is_port(call, each)]
    params = [_param(call, each) for each in args if not _is_port(call, each)]
    return {
        "key": call.full,
        "name": "index" if call.name == "__getitem__" else call.name,
        **_shown(call, args[0].name),
        "ports": ports,
        "params": params,
        **_outputs(call, params),
        "style": _style(call),
        "operator": tables.OPERATORS.get(call.key, ""),
        "words": words.WORDS.get(call.key, "").split(),
        "link": _link(call),
        "order": [each.name for each in args],
        "aliases": _aliases(call, args[0].name),
        "used": words.used(call.key),
        "shares": call.key in tables.SHARES or (call.key.endswith("_") and not call.key.endswith("__")),
    }


_LONG = 11  # characters that a symbol does not have


def _in_place(plain: Data) -> Data | None:
    """The entry of the method that writes the result into the first operand; None if there is none. What draws numbers
    has other arguments there, and what would give a view of the operand changes the operand itself, not its memory."""
    own = [] if "." in plain["key"] else [f"Tensor.{plain['key']}"]
    names = [f"{name}_" for name in dict.fromkeys((*own, *plain["aliases"])) if name.startswith("Tensor.")]
    names = [name for name in names if callable(inspect.getattr_static(Tensor, name.removeprefix("Tensor."), None))]
    changes_memory = not plain["shares"] or plain["key"] == "conj_physical"
    if not names or not changes_memory or plain["category"] == "random":
        return None
    first, *others = plain["ports"]
    if plain["order"][0] != first["name"]:
        return None
    augmented = len(others) == 1 and plain["operator"] not in tables.UNAUGMENTED
    sign = f"{plain['operator']}=" if augmented else ""
    symbol = plain["name"] if plain["operator"] and len(plain["name"]) < _LONG else plain["symbol"]
    return plain | {
        "key": names[0],
        "name": names[0].removeprefix("Tensor."),
        "symbol": sign or f"{symbol}_",
        "brief": f"{plain['brief'].rstrip('.')}, in place.",
        "formula": f"x ← {plain['formula']}" if plain["formula"] else "",
        "ports": [first | {"number": False}, *others],
        "style": "method",
        "operator": "",
        "words": [*plain["words"], "inplace", *([sign] if sign else [])],
        "link": f"https://docs.pytorch.org/docs/2.13/generated/torch.{names[0]}.html",
        "aliases": names[1:],
        "used": 0,
        "shares": True,
    }


def made() -> list[Data]:
    """All entries as plain data, by category, the most used first."""
    known = _known()
    found: list[Data] = []
    for call in _calls():
        call.rows = known.get(call.full, []) or known.get(call.name, [])
        found.append(_entry(call))
    found += [entry for plain in found if (entry := _in_place(plain)) is not None]
    order = {name: at for at, name in enumerate(words.CATEGORIES)}
    return sorted(found, key=lambda each: (order[each["category"]], -each["used"], each["key"]))


_PLAIN: dict[str, object] = {
    "optional": False, "number": False, "variadic": False, "spread": False, "keyword_only": False, "default": None,
    "explicit": False, "required": False, "choices": [], "positional": False, "params": [], "outputs": ["result"],
    "style": "function", "operator": "", "words": [], "aliases": [], "more": [], "many": "", "used": 0,
    "gradients": [], "shares": False,
}  # fmt: skip


def _short(data: Data) -> dict[str, object]:
    """The entry without fields that have the record's defaults."""
    kept = {name: value for name, value in data.items() if name not in _PLAIN or value != _PLAIN[name]}
    for name in ("ports", "params"):
        if name in kept:
            kept[name] = [_short(each) for each in kept[name]]
    return kept


def text() -> str:
    """The text of the file: one entry per line."""
    lines = [json.dumps(_short(each), ensure_ascii=False) for each in made()]
    return "[\n" + ",\n".join(lines) + "\n]\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
