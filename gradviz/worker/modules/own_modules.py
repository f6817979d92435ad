"""The modules that run as the snippet does: the `.py` files that are attached to it, imported as Python would, and the
packages of others that GradViz ships as they are (`resources/packages`).

Each passes the policy as the snippet does, when it is first imported, and runs in its own namespace; functions and
classes in it are the snippet's. `import` returns an object that looks up names in this namespace, and has no others. A
file that was attached without its folder is found by its own name: `from helper.plots import draw` finds `plots.py`.
Next: `policy`, which decides what an import means, and `document.snippet`, where the files come from."""

from __future__ import annotations

import types
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping
from typing import Any

from gradviz import RESOURCES
from gradviz.trace.record.instrument import HOOK
from gradviz.trace.table.schema import ELEMENT
from gradviz.worker.language.guard import Guard
from gradviz.worker.language.policy import Refusal
from gradviz.worker.modules.scratch import HOME
from gradviz.worker.modules.snippet_builtins import of_namespace
from gradviz.worker.policy_names import MODULE_NAMES, is_dunder

_READABLE = MODULE_NAMES | {"__name__", "__file__"}
_OURS = ("torch", "gradviz", "numpy", "sys", "builtins", "__future__")  # names that never mean an attached file
_SNIPPET = "__main__"
_SHIPPED = {  # read when the worker starts: later, it can open nothing
    path.relative_to(RESOURCES / "packages").as_posix(): path.read_bytes()
    for path in sorted((RESOURCES / "packages").rglob("*.py"))
}


class OwnModules:
    """The own modules of one run, by name."""

    def __init__(self, guard: Guard, files: Mapping[str, bytes]) -> None:
        self._guard = guard
        self._sources: dict[str, tuple[str, bytes]] = {}  # path and text; empty for a folder without __init__.py
        self._made: dict[str, object] = {}
        for path, data in files.items():
            if path.endswith(".py"):
                self._add(path, data)
        self._attached = frozenset(self._sources)
        for path, data in _SHIPPED.items():
            if path.partition("/")[0] not in self._attached:
                self._add(path, data)

    def _add(self, path: str, data: bytes) -> None:
        parts = path.removesuffix(".py").split("/")
        is_package = parts[-1] == "__init__"
        parts = parts[:-1] if is_package else parts
        if not parts or not all(part.isidentifier() for part in parts) or parts[0] in _OURS:
            return
        for end in range(1, len(parts)):
            self._sources.setdefault(".".join(parts[:end]), ("", b""))
        self._sources[".".join(parts)] = (path, data)

    @property
    def paths(self) -> frozenset[str]:
        """Return the names under which their code was compiled."""
        return frozenset(f"{HOME}/{path}" for path, _ in self._sources.values() if path)

    def find(self, name: str) -> str:
        """Return the module that a name means, "" if it is none of these."""
        if name in self._sources:
            return name
        last = name.rpartition(".")[2]
        found = [each for each in self._attached if each.rpartition(".")[2] == last and self._sources[each][0]]
        return found[0] if len(found) == 1 and name.partition(".")[0] not in _OURS else ""

    def loaded(self) -> dict[str, object]:
        """Return, for `sys.modules`, those that have been imported, and the snippet itself, by name."""
        if _SNIPPET not in self._made:
            self._made[_SNIPPET] = _module(self._guard, _SNIPPET, self._guard.globals)
        return dict(self._made)

    def package_of(self, name: str) -> str:
        """Return the package at which a relative import in this module begins."""
        path = self._sources[name][0]
        return name if not path or path.endswith("__init__.py") else name.rpartition(".")[0]

    def load(self, name: str, compiler: Compiler) -> object:
        """Return the module, which runs on its first import; the packages around it run before it."""
        parent, _, child = name.rpartition(".")
        if parent:
            self.load(parent, compiler)
        if name not in self._made:
            self._run(name, compiler)
            if parent:
                setattr(self._made[parent], child, self._made[name])
        return self._made[name]

    def _run(self, name: str, compiler: Compiler) -> None:
        path, data = self._sources[name]
        names: dict[str, Any] = {"__name__": name, "__doc__": None, "__file__": f"{HOME}/{path}"}
        names["__package__"] = self.package_of(name)
        self._made[name] = _module(self._guard, name, names)
        if not path:
            return
        try:
            code = compiler(data.removeprefix(BOM_UTF8).decode(), f"{HOME}/{path}", self.package_of(name))
            names |= {key: value for key, value in self._guard.globals.items() if "<" in key}
            names["__builtins__"] = of_namespace(self._guard.globals["__builtins__"], self._guard, names)
            names["<star>"] = lambda other: star(names, self.load(other, compiler))
            types.FunctionType(code, names)()
            self._tell(name, names)
        except UnicodeDecodeError:
            del self._made[name]
            raise ImportError(f"{path} is not UTF-8 text", name=name) from None
        except Refusal as refusal:
            del self._made[name]
            raise ImportError(f"{path}, {refusal.sentence}", name=name) from None
        except BaseException:
            del self._made[name]
            raise

    def _tell(self, name: str, names: dict[str, Any]) -> None:
        """Tell the recorder what the module calls the tensors that it made: "helper.SCALE"."""
        if HOOK in names:
            for key, value in [each for each in names.items() if not _is_hidden(each[0])]:
                names[HOOK](f"{name}.{key}", value, ELEMENT)


Compiler = Callable[[str, str, str], types.CodeType]  # (text, file name, package) -> code


def star(into: dict[str, object], module: object) -> None:
    """`from module import *`."""
    listed: Any = getattr(module, "__all__", None)
    public = [name for name in dir(module) if not name.startswith("_")]
    chosen = [str.__str__(name) for name in listed] if type(listed) in (list, tuple) else public
    for name in chosen:
        if not _is_hidden(name):
            into[name] = getattr(module, name)


def _is_hidden(name: str) -> bool:
    return "<" in name or (is_dunder(name) and name not in _READABLE)


def _module(guard: Guard, name: str, names: dict[str, object]) -> object:
    """Return an object with these names."""

    def read(self: object, key: str) -> Any:
        if _is_hidden(key) or key not in names:
            raise AttributeError(f"module {name!r} has no attribute {key!r}")
        return names[key]

    def write(self: object, key: str, value: object) -> None:
        if _is_hidden(key) or is_dunder(key):
            raise AttributeError(f"{key!r} of a module can't be assigned to in GradViz snippets")
        names[key] = value

    def delete(self: object, key: str) -> None:
        read(self, key)
        write(self, key, None)
        del names[key]

    def listed(self: object) -> list[str]:
        return sorted(key for key in names if not _is_hidden(key))

    methods = {"__getattr__": read, "__setattr__": write, "__delattr__": delete, "__dir__": listed}
    methods["__repr__"] = lambda self: f"<module {name!r}>"
    kind = type("module", (), {"__slots__": (), "__module__": "__main__", **methods})
    guard.adopt(kind)
    return kind()
