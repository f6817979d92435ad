"""The module in which an operation ran, as the snippet calls it: "net[0]", "decoder.gru", "lstm"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gradviz.trace.table.name_text import gives_no_tensor, indexed_path, last_call
from gradviz.trace.table.regions import RegionKind

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace


def module_name(trace: Trace, node: int) -> str:
    """The module or function that an operation belongs to, with its name in the snippet."""
    scope, label = str(trace.nodes.scope[node]), str(trace.nodes.source[node])
    if own := _module_around(trace, node):
        return own
    called = re.match(r"([\w.]+)\(", label)
    if called and scope[:1].isdigit():  # of a Sequential: "net[3]", also where another function calls it
        owners = owners_of_names(trace)
        given = modules_in(trace, label) if called[1] not in owners else []
        inner = f".{scope}".rpartition(f".{called[1].removeprefix('self.')}.")[2].removeprefix(".")  # of "self.short"
        path = "".join(f"[{each}]" if each.isdigit() else f".{each}" for each in inner.split("."))
        child = "[…]" if called[1].endswith("checkpoint_sequential") else ""  # which calls them one by one
        if len(given) != 1 and gives_no_tensor("", label):  # a function that only looks at the module
            return f"module {indexed_path(inner)}"
        return (given[0] + child if len(given) == 1 else called[1]) + path
    if scope and not scope[0].isupper():
        return indexed_path(scope)
    return last_call(label).rsplit(".", 1)[-1] or scope


def _module_around(trace: Trace, node: int) -> str:
    """The part of a Sequential in whose forward(), written in the snippet, an operation ran, or a module in that part;
    "" for all others."""
    if not str(trace.nodes.scope[node])[:1].isdigit():
        return ""
    regions = trace.regions
    around = trace.nesting.ancestors(int(trace.nodes.region[node]))
    inner = next((each for each in around if regions.kind[each] == RegionKind.MODULE), -1)
    name = called_names(trace)[inner] if inner >= 0 else ""
    is_deeper = inner >= 0 and (regions.site[inner] != trace.nodes.site[node] or "." in str(regions.name[inner]))
    return name if is_deeper and name and not name[0].isdigit() else ""


def modules_in(trace: Trace, text: str) -> list[str]:
    """The variables in an expression that hold modules with parameters."""
    owners = owners_of_names(trace)
    return [each for each in re.findall(r"[\w.]+", text) if each in owners]


def called_names(trace: Trace) -> list[str]:
    """By region its name, of a module as it is called: the outermost one, which has only its class as a name, by the
    variable that is called, "D" in `D(fake)` and in `self.D(fake)`; a part of it that has only a number, "D[0]"."""
    return trace.kept("called names", lambda: _find_called_names(trace))


def _find_called_names(trace: Trace) -> list[str]:
    regions, found, known = trace.regions, list[str](), dict[tuple[str, int, str], str]()
    names: list[str] = regions.name.tolist()
    for name, kind, site, around in zip(
        names, regions.kind.tolist(), regions.site.tolist(), regions.parent.tolist(), strict=True
    ):
        called = name
        if kind == RegionKind.MODULE:
            holder = names[around] if around >= 0 else ""
            is_part = name.isdecimal() or name.startswith(f"{holder}.")  # not "heads.0", which no Sequential calls
            owner = found[around] if around >= 0 and found[around] != holder and is_part else ""
            key = name.removeprefix(f"{holder}.") if owner else name, site, owner
            called = known[key] if key in known else known.setdefault(key, _called(trace, *key))
        found.append(called)
    return found


def _called(trace: Trace, name: str, site: int, owner: str) -> str:
    if owner:
        return owner + "".join(f"[{each}]" if each.isdecimal() else f".{each}" for each in name.split("."))
    if site < 0 or not name[:1].isupper():
        return indexed_path(name)
    called = re.match(r"([\w.]+)\(", str(trace.sites.source[site]))
    return called[1].removeprefix("self.") if called and called[1] in owners_of_names(trace) else name


def scope_name(trace: Trace, node: int) -> str:
    """The path of the module that an operation belongs to; inside a Sequential, which has only numbers, "net[0]"."""
    scope = str(trace.nodes.scope[node])
    return module_name(trace, node) if scope[:1].isdigit() else indexed_path(scope)


def maker(trace: Trace, node: int) -> str:
    """What an operation is a step of: "net[0]", "decoder.gru", "lstm", or the class of a module without a name."""
    scope, name = str(trace.nodes.scope[node]), module_name(trace, node)
    found = scope if scope[:1].isupper() and name not in owners_of_names(trace) else name
    return f"module {found}" if found.isdigit() else found


def owners_of_names(trace: Trace) -> set[str]:
    """The variables that hold modules with parameters."""
    owners: set[str] = trace.kept("owners of names", lambda: set(trace.names.owner.tolist()))
    return owners
