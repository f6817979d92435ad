"""Modules of which scripts use a few names: other places of PyTorch's own functions, `importlib` as far as it answers
questions, `inspect` for the names of parameters and the text of the snippet's own functions and classes, versions and
other helpers around a script, downloads of what is attached, and what belongs to a notebook or only concerns the style
of plots.

They read nothing from disk, import nothing and hand out no frame, no code and no default of a parameter. Next:
`stand_ins`, which offers these, and `learning_modules` for scikit-learn."""

from __future__ import annotations

import ast
import errno
import functools
import importlib.metadata
import inspect
import linecache
import posixpath
import re
import sys
import types
import unicodedata
import warnings
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NoReturn

from gradviz.torch.stateless import make_functional, make_functional_with_buffers
from gradviz.torch.trees import PUBLIC
from gradviz.worker.language.guard import Guard
from gradviz.worker.language.stand_in import StandIn, stand_in
from gradviz.worker.modules.plots.facade import accept
from gradviz.worker.modules.saved_files import ByteBuffer
from gradviz.worker.modules.scratch import SCRATCH
from gradviz.worker.modules.scratch_paths import open_, plain_path
from gradviz.worker.modules.text_modules import loads
from gradviz.worker.objects.arguments import keep_methods
from gradviz.worker.objects.iterators import OWN
from gradviz.worker.policy_names import HERE


class Signature:
    """What `inspect.signature` returns: the parameters by name; each stands for its name only."""

    __slots__ = ("parameters",)

    def __init__(self, names: list[str]) -> None:
        self.parameters = {name: name for name in names}

    def __str__(self) -> str:
        return f"({', '.join(self.parameters)})"

    __repr__ = __str__


def inspect_module(guard: Guard) -> object:
    """Return the stand-in."""

    def signature(obj: object) -> Signature:
        if not callable(obj):
            raise TypeError(f"{obj!r} is not a callable object")
        return Signature(list(inspect.signature(obj).parameters))

    def getsource(object: Any) -> str:
        thing = object.__func__ if isinstance(object, types.MethodType) else object
        if guard.wrote(thing):
            lines = _lines_of(thing)
            return "".join(inspect.getblock(lines[thing.__code__.co_firstlineno - 1 :])) if lines else _not_found()
        if isinstance(thing, type) and guard.owns(thing):
            methods = (getattr(each, "__func__", each) for each in vars(thing).values())
            lines = next((_lines_of(each) for each in methods if guard.wrote(each)), [])
            return _class_in(lines, thing.__name__) or _not_found()
        raise TypeError(f"the source of {thing!r} is not {HERE}; only that of your own functions and classes is")

    def isclass(object: object) -> bool:
        return isinstance(object, type)

    def ismodule(object: object) -> bool:
        return isinstance(object, StandIn)

    chosen = (signature, getsource, isclass, ismodule)
    names: dict[str, object] = {function.__name__: function for function in chosen}
    names["isfunction"] = inspect.isfunction
    names["ismethod"] = inspect.ismethod
    return stand_in("inspect", names)


def _lines_of(function: Any) -> list[str]:
    """Return the lines of the file that a function is from, as far as this run has it; nothing is read for it."""
    kept = linecache.cache.get(function.__code__.co_filename, ())
    return kept[2] if len(kept) == 4 else []


def _not_found() -> NoReturn:
    raise OSError("could not get source code")


def _class_in(lines: list[str], name: str) -> str:
    """Return the text of a class of this name, "" if there is none."""
    for node in ast.walk(ast.parse("".join(lines))):
        if isinstance(node, ast.ClassDef) and node.name == name:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            return "".join(lines[first - 1 : node.end_lineno])
    return ""


# --- Notebooks, versions and other helpers ---

_SHOWN_AS_TEXT = "HTML Markdown Latex"
_SHOWN_ELSEWHERE = "SVG Image Audio Video IFrame"  # of a file or an address, which only a notebook can show
_ELSEWHERE = {  # other modules in which PyTorch has the same names
    "torch.utils.data.dataloader": "torch.utils.data",
    "torch.utils.data.dataset": "torch.utils.data",
    "torch.utils.data.sampler": "torch.utils.data",
    "torch.functional": "torch",
    "tensorboardX": "torch.utils.tensorboard",
    "torch.utils.tensorboard.writer": "torch.utils.tensorboard",
}


def public_names(module: object) -> dict[str, object]:
    """Return the public names of a stand-in."""
    return {name: getattr(module, name) for name in vars(type(module)) if not name.startswith("_")}


def torch_places(torch: Mapping[str, object]) -> dict[str, object]:
    """Return PyTorch's functions in other places, by module name."""
    made: dict[str, object] = {
        name: stand_in(name, public_names(torch[home])) for name, home in _ELSEWHERE.items() if home in torch
    }
    functional: Any = type(made["torch.functional"])
    functional.F = torch["torch.nn.functional"]
    older = {each.__name__: each for each in (make_functional, make_functional_with_buffers)}
    made["functorch"] = stand_in("functorch", public_names(torch["torch.func"]) | older)
    made["torch.utils._pytree"] = stand_in("torch.utils._pytree", {each.__name__: each for each in PUBLIC})
    made["torch.distributed"] = stand_in("torch.distributed", _of_one_process())
    made["torch.multiprocessing"] = stand_in("torch.multiprocessing", _PROCESSES)
    for name, module in made.items():
        parent, _, child = name.rpartition(".")
        if parent in torch and not hasattr(torch[parent], child):
            setattr(type(torch[parent]), child, module)
    return made


def _of_one_process() -> dict[str, object]:
    """Return those functions of `torch.distributed` that ask whether there are several processes."""
    without = "is_initialized is_nccl_available is_mpi_available is_torchelastic_launched is_ucc_available"
    found = dict.fromkeys(("is_available", "is_gloo_available"), _always(True))
    return found | dict.fromkeys(without.split(), _always(False))


def _always(value: object) -> Callable[..., object]:
    """Return a function that gives the same answer to all questions."""
    return lambda *_, **__: value


_PROCESSES = {"cpu_count": _always(1), "get_start_method": _always("fork")}
_PROCESSES |= dict.fromkeys(("set_start_method", "set_sharing_strategy", "freeze_support"), accept)


def question_modules(guard: Guard, offered: Mapping[str, object], load: Callable[[str], object]) -> dict[str, object]:
    """Return `importlib` and `inspect`: what exists here, and signatures and texts of the snippet's own functions."""

    def import_module(name: object, package: object = None) -> object:
        return load(str.__str__(name))

    def find_spec(name: object, package: object = None) -> object:
        plain = str.__str__(name)
        return stand_in("ModuleSpec", {"name": plain}) if plain in offered else None

    def version(distribution_name: object) -> str:
        plain = str.__str__(distribution_name)
        found = getattr(offered.get(plain), "__version__", None)
        if type(found) is not str:
            raise importlib.metadata.PackageNotFoundError(plain)
        return found

    util = stand_in("importlib.util", {"find_spec": find_spec})
    missing = importlib.metadata.PackageNotFoundError
    metadata = stand_in("importlib.metadata", {"version": version, "PackageNotFoundError": missing})
    root = stand_in("importlib", {"import_module": import_module, "util": util, "metadata": metadata})
    every = {"importlib": root, "importlib.util": util, "importlib.metadata": metadata}
    return every | {"inspect": inspect_module(guard)}


def notebook_modules(write: Callable[[str, str], None]) -> dict[str, object]:
    """Return `IPython.display`, which prints, and `matplotlib_inline`, whose styles are accepted."""

    def display(*things: object, **look: object) -> None:
        for each in things:
            write("out", str.__str__(str(each)) + "\n")

    shown: dict[str, object] = {"display": display, **dict.fromkeys(_SHOWN_AS_TEXT.split(), _text)}
    shown |= {kind: _named(kind) for kind in _SHOWN_ELSEWHERE.split()}
    shown |= {"clear_output": _always(None), "set_matplotlib_formats": _always(None)}
    inner = stand_in("IPython.display", shown)
    backend = stand_in("matplotlib_inline.backend_inline", {"set_matplotlib_formats": _always(None)})
    return {
        "IPython.display": inner,
        "IPython.core.display": inner,
        "IPython": stand_in("IPython", {"display": inner}),
        "matplotlib_inline.backend_inline": backend,
        "matplotlib_inline": stand_in("matplotlib_inline", {"backend_inline": backend}),
    }


def _text(data: object = "", **look: object) -> str:
    return str.__str__(data) if isinstance(data, str) else "<IPython.core.display.HTML object>"


def _named(kind: str) -> Callable[..., str]:
    """Return a class whose objects show as their names, as they do outside a notebook."""
    return lambda *given, **look: f"<IPython.core.display.{kind} object>"


# --- helpers around scripts ---


@functools.total_ordering
class Version:
    """A version number: of `packaging`, or the looser one of distutils. It can be compared with others and with
    texts."""

    __slots__ = ("_order", "_text", "release")

    _FORM = re.compile(r"v?(\d{1,9}(?:\.\d{1,9})*)[-_.]?(dev|alpha|beta|rc|post|a|b|c)?[-_.]?(\d{0,9})(\+[\w.]*)?")
    _STAGES: ClassVar = {"dev": -4, "a": -3, "alpha": -3, "b": -2, "beta": -2, "c": -1, "rc": -1, "": 0, "post": 1}

    def __init__(self, version: object) -> None:
        self._text = str.__str__(version)
        found = self._FORM.fullmatch(self._text.strip().lower())
        if found is None:
            raise InvalidVersion(f"Invalid version: {self._text!r}")
        self.release = tuple(int(part) for part in found[1].split("."))
        shown = list(self.release)
        while len(shown) > 1 and not shown[-1]:
            shown.pop()
        self._order = (shown, self._STAGES[found[2] or ""], int(found[3] or 0), found[4] or "")

    major = property(lambda self: self.release[0], doc="The first number.")
    minor = property(lambda self: (*self.release, 0)[1], doc="The second.")
    micro = property(lambda self: (*self.release, 0, 0)[2], doc="The third.")
    base_version = property(lambda self: ".".join(map(str, self.release)), doc="The numbers alone.")
    is_prerelease = property(lambda self: self._order[1] < 0, doc="Whether it comes before the release.")

    def __eq__(self, other: object) -> bool:
        known = _version_of(other)
        return NotImplemented if known is None else bool(self._order == known._order)

    def __lt__(self, other: object) -> bool:
        known = _version_of(other)
        return NotImplemented if known is None else bool(self._order < known._order)

    def __hash__(self) -> int:
        return hash((tuple(self._order[0]), self._order[1:]))

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Version('{self._text}')>"


class InvalidVersion(ValueError):
    """The text is not a version."""


def _version_of(thing: object) -> Version | None:
    if type(thing) is Version:
        return thing
    return Version(thing) if isinstance(thing, str) else None


_LONGEST_LITERAL = 100_000


def _literal_eval(node_or_string: object) -> object:
    """Return the value of a text that holds a number, a text, or a list, tuple, dict or set of such."""
    if not isinstance(node_or_string, str):
        raise ValueError(f"malformed node or string: {type(node_or_string).__name__!r}")
    text = str.__str__(node_or_string)
    if len(text) > _LONGEST_LITERAL:
        raise ValueError(f"a literal may have {_LONGEST_LITERAL:,} characters in GradViz snippets")
    return ast.literal_eval(text)


_ASCII = {"\u00df": "ss", "\u00e6": "ae", "\u00c6": "AE", "\u00f8": "o", "\u00d8": "O", "\u0153": "oe", "\u0152": "OE"}
_ASCII |= {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "--", "\u2026": "..."}
_ASCII |= {"\u0142": "l", "\u0141": "L", "\u0111": "d", "\u0110": "D", "\u00f0": "d", "\u00fe": "th", "\u00a0": " "}


def _unidecode(string: object, *how: object) -> str:
    """Return the text with Latin letters without their accents; other scripts are dropped."""
    parts = (_ASCII.get(each) or unicodedata.normalize("NFKD", each) for each in str.__str__(string))
    return "".join(parts).encode("ascii", "ignore").decode()


_SYSTEM = {"darwin": "Darwin", "win32": "Windows"}.get(sys.platform, "Linux")
_PLATFORM = {  # what would tell one computer from another is "", as Python says of what it can't find out
    **{"system": _SYSTEM, "platform": _SYSTEM, "python_version": sys.version.split()[0]},
    **{"python_implementation": "CPython", "machine": "", "processor": "", "release": "", "version": ""},
}


def _decoded(
    filename: object, mode: object = "r", encoding: object = None, errors: object = "strict", buffering: object = -1
) -> object:
    """Open a file as `codecs.open` does."""
    return open_(filename, mode, encoding=encoding, errors=errors)


def helper_modules(guard: Guard) -> dict[str, object]:
    """Return versions, literals, the Python 2 that scripts still support, graphs as text, tables of models, and
    downloads."""
    versions = {"parse": Version, "Version": Version, "InvalidVersion": InvalidVersion}
    version = stand_in("packaging.version", versions)
    loose = stand_in("distutils.version", {"LooseVersion": Version, "StrictVersion": Version})
    numbers = {name: value for name, value in vars(errno).items() if name[:1] == "E"}
    drawing = {"Digraph": Digraph, "Graph": Graph}
    return {
        "packaging": stand_in("packaging", {"version": version}),
        "packaging.version": version,
        "distutils": stand_in("distutils", {"version": loose}),
        "distutils.version": loose,
        "ast": stand_in("ast", {"literal_eval": _literal_eval}),
        "errno": stand_in("errno", numbers),
        "codecs": stand_in("codecs", {"open": _decoded}),
        "multiprocessing": stand_in("multiprocessing", _PROCESSES),
        "platform": stand_in("platform", {name: _always(text) for name, text in _PLATFORM.items()}),
        "unidecode": stand_in("unidecode", {"unidecode": _unidecode}),
        "graphviz": stand_in("graphviz", drawing),
        **_download_modules(guard),
    }


# --- graphs as text ---


class Digraph:
    """What `graphviz.Digraph` collects: the text in Graphviz's language."""

    _kind, _arrow = "digraph", "->"

    def __init__(self, name: object = None, comment: object = None, **look: Any) -> None:
        self._name = "" if name is None else str.__str__(name)
        self._comment = "" if comment is None else f"// {str.__str__(comment)}\n"
        self.graph_attr, self.node_attr, self.edge_attr = ({**(look.get(f"{part}_attr") or {})} for part in _PARTS)
        self.body: list[str] = []
        self.format: Any = look.get("format") or "pdf"

    def attr(self, kw: Any = None, **attrs: Any) -> None:
        """Set the attributes of what follows."""
        self.body.append(f"\t{_pairs(attrs) if kw is None else str.__str__(kw) + _attributes(None, attrs)}\n")

    def node(self, name: Any, label: Any = None, **attrs: Any) -> None:
        """Add a node."""
        self.body.append(f"\t{_quoted(name)}{_attributes(label, attrs)}\n")

    def edge(self, tail_name: object, head_name: object, label: object = None, **attrs: object) -> None:
        """Add an edge."""
        ends = f"{_quoted(tail_name)} {self._arrow} {_quoted(head_name)}"
        self.body.append(f"\t{ends}{_attributes(label, attrs)}\n")

    def edges(self, tail_head_iter: Any) -> None:
        """Add several edges."""
        for tail, head in tail_head_iter:
            self.edge(tail, head)

    @property
    def source(self) -> str:
        """The complete text."""
        looks = zip(_PARTS, (self.graph_attr, self.node_attr, self.edge_attr), strict=True)
        first = "".join(f"\t{part}{_attributes(None, look)}\n" for part, look in looks if look)
        name = f"{_quoted(self._name)} " if self._name else ""
        return f"{self._comment}{self._kind} {name}{{\n{first}{''.join(self.body)}}}\n"

    def save(self, filename: object = None, directory: object = None) -> str:
        """Write the text into the folder of the run, and return its path."""
        own = f"{self._name or type(self).__name__}.gv"
        name = own if filename is None else plain_path(filename)
        path = name if directory is None else posixpath.join(plain_path(directory), name)
        SCRATCH.create(path, makes_folders=True).data[:] = self.source.encode()
        return path

    def render(self, filename: Any = None, directory: Any = None, format: Any = None, **how: object) -> str:
        """Write the text. There is no picture, as no program is started for a snippet; a warning says so."""
        path = self.save(filename, directory)
        made = f"{path}.{str.__str__(format or self.format)}"
        warnings.warn(f"{made} is not drawn, as no program is started for a snippet: {path} has its text", stacklevel=2)
        return made

    view = render

    def pipe(self, *given: object, **how: object) -> NoReturn:
        """Refused: Graphviz itself is not available."""
        raise PermissionError("no program is started for a snippet; GradViz draws the graph itself: leave it out")

    def __str__(self) -> str:
        return self.source


class Graph(Digraph):
    """The same without arrows."""

    _kind, _arrow = "graph", "--"


Digraph.__module__ = Graph.__module__ = "graphviz.graphs"  # which their text says
_PARTS = ("graph", "node", "edge")
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|-?(?:\.\d+|\d+(?:\.\d*)?)")


def _quoted(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"expected str, not {type(name).__name__}")
    text = str.__str__(name)
    if _PLAIN_NAME.fullmatch(text) and text.lower() not in ("node", "edge", "graph", "digraph", "subgraph", "strict"):
        return text
    return '"' + text.replace('"', '\\"') + '"'


def _attributes(label: object, attrs: dict[str, object]) -> str:
    pairs = _pairs({} if label is None else {"label": label}), _pairs(attrs)
    return f" [{' '.join(filter(None, pairs))}]" if any(pairs) else ""


def _pairs(attrs: dict[str, object]) -> str:
    given = sorted((_quoted(key), _quoted(value)) for key, value in attrs.items() if value is not None)
    return " ".join(f"{key}={value}" for key, value in given)


# --- downloads: there is no network, but what is attached under the name of an address can be downloaded ---


def _download_modules(guard: Guard) -> dict[str, object]:
    request = {
        "urlretrieve": _retrieve,
        "urlopen": _opened,
        "build_opener": _opener_class(guard),
        "install_opener": accept,
    }
    inner = stand_in("urllib.request", {**request, "Request": _address})
    errors = stand_in("urllib.error", {"URLError": OSError, "HTTPError": OSError})
    urllib = stand_in("urllib", {"request": inner, "error": errors})
    failures = {"RequestException": OSError, "ConnectionError": ConnectionError, "HTTPError": OSError}
    problems = stand_in("requests.exceptions", failures)
    ranges = {"range": range, "xrange": range, "zip": zip, "zip_longest": OWN["zip_longest"]}
    moves = stand_in("six.moves", {**ranges, "urllib": urllib})
    of_python = {"PY2": False, "PY3": True, "string_types": (str,), "integer_types": (int,), "text_type": str}
    return {
        "urllib": urllib,
        "urllib.request": inner,
        "urllib.error": errors,
        "requests": stand_in("requests", {"get": _get, "exceptions": problems, **failures}),
        "requests.exceptions": problems,
        "six": stand_in("six", {**of_python, "binary_type": bytes, "moves": moves}),
        "six.moves": moves,
        "six.moves.urllib": urllib,
        "six.moves.urllib.request": inner,
    }


def _opener_class(guard: Guard) -> type:
    """Return the class that scripts create to send the name of a browser, which they write into it."""

    class OpenerDirector:
        def __init__(self, *given: object) -> None:
            self.addheaders: Any = []

        def open(self, fullurl: object, *more: object, **how: object) -> ByteBuffer:
            return _opened(fullurl)

    return guard.adopt(OpenerDirector)


def _address(url: object, *given: object, **how: object) -> object:
    return url


def _attached(url: object, asked: str) -> bytes:
    """Return what is attached under the last part of an address."""
    name = posixpath.basename(str.__str__(url).partition("?")[0].rstrip("/"))
    found = SCRATCH.files.get(SCRATCH.meant(name)) if name else None
    if found is None:
        told = f"No such file or directory: {asked} is not {HERE}; a snippet has no network, attach the file"
        raise FileNotFoundError(2, told, name or str.__str__(url))
    return bytes(found.data)


def _opened(url: object, *given: object, **how: object) -> ByteBuffer:
    return ByteBuffer(_attached(url, "urllib.request.urlopen"))


def _retrieve(url: object, filename: object = None, *given: object, **how: object) -> tuple[str, None]:
    data = _attached(url, "urllib.request.urlretrieve")
    name = posixpath.basename(str.__str__(url)) if filename is None else plain_path(filename)
    content = SCRATCH.create(name, makes_folders=True)
    SCRATCH.take(content, len(data))
    content.data[:] = data
    return name, None


@keep_methods
class Response:
    """What `requests.get` returns for an attached file."""

    __slots__ = ("content", "url")

    status_code, ok, reason, encoding = 200, True, "OK", "utf-8"

    def __init__(self, url: object, content: bytes) -> None:
        self.url, self.content = url, content

    @property
    def text(self) -> str:
        """The content as text."""
        return self.content.decode("utf-8", "replace")

    @property
    def headers(self) -> dict[str, str]:
        """The size."""
        return {"content-length": str(len(self.content))}

    def json(self) -> object:
        """Return the content parsed as JSON."""
        return loads(self.text)

    def raise_for_status(self) -> None:
        """Do nothing: there was no error."""

    def iter_content(self, chunk_size: int = 1, **how: object) -> object:
        """Yield the content in pieces."""
        size = max(1, int(chunk_size))
        return iter([self.content[at : at + size] for at in range(0, len(self.content), size)])

    def __enter__(self) -> Response:
        return self

    def __exit__(self, *error: object) -> None:
        """Do nothing: nothing was open."""


def _get(url: object, *given: object, **how: object) -> Response:
    return Response(url, _attached(url, "requests.get"))
