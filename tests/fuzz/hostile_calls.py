"""Everything that a snippet may call, with objects whose special methods empty, fill, replace or
drop the containers that Python's C code is working with, enter the same call again, lie about lengths and indices, give
objects of wrong types, or raise: builtins, methods and operators of all
types, and the functions of every module that the policy offers. The rules of the language hold, no lock of the system
does. An end of the process, a hang, an address or an object of what lies behind is a finding.

`python -m tests.fuzz.many hostile_calls --count 200000` searches; `python -m tests.fuzz.hostile_calls SEED NUMBER` says
what one input does.
"""

from __future__ import annotations

import faulthandler
import functools
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gradviz.worker.language.policy import compile_snippet
from gradviz.worker.modules.saved_files import torch_names
from gradviz.worker.modules.snippet_builtins import snippet_builtins
from gradviz.worker.modules.stand_ins import TorchFacade, World, load_torch, torch_modules
from gradviz.worker.objects.hardening import harden

SNIPPET = [Path(__file__).with_name(name) for name in ("hostile_snippet.py", "hostile_tries.py")]
IMPORTED = """abc argparse bisect cmath collections contextlib copy csv dataclasses datetime enum functools glob
gc heapq importlib inspect io itertools json logging math numbers operator os pathlib pickle pprint random re shutil
statistics string sys tempfile textwrap time timeit traceback types typing unicodedata warnings tqdm einops""".split()

_SPECIAL = {
    "LENGTHS": "len",
    "PLACES": "index int",
    "TRUTHS": "bool eq ne lt le gt ge contains",
    "HASHES": "hash",
    "TEXTS": "repr str format",
    "NUMBERS": "float complex round abs neg pos invert",
    "SUMS": """add radd iadd sub rsub isub mul rmul imul truediv rtruediv itruediv floordiv rfloordiv ifloordiv mod rmod
    imod divmod pow rpow ipow matmul rmatmul imatmul and rand iand or ror ior xor rxor ixor lshift rlshift rshift
    rrshift""",
    "MANY": "iter reversed",
    "NEXT": "next",
    "ITEMS": "getitem missing enter call copy",
    "NOTHING": "setitem delitem exit",
}
_PUBLIC = """keys items values get read readline write append pop update utcoffset tzname dst as_integer_ratio send
throw close decode encode flush isoformat replace split join union index count fromutc copy sort popitem""".split()
_WITHOUT = {"str": ("eq", "hash"), "tuple": (), "int": ()}
_BASES = "object list dict set frozenset tuple str bytes bytearray int float".split()
_FROM = ["collections.deque", "collections.OrderedDict", "collections.defaultdict", "collections.Counter"]


def _class(name: str, base: str, light: bool) -> str:
    """A class of them; a light one keeps how it is gone through and measured."""
    left_out = set(_WITHOUT.get(base, ()))
    if light:
        left_out |= {"len", "iter", "next", "getitem", "reversed", "setitem", "delitem", "contains", "call", "enter"}
    lines = [f"class {name}({base}):"]
    for kind, names in _SPECIAL.items():
        lines += [
            f"    def __{each}__(self, *given): return answer({kind}, self)"
            for each in names.split()
            if each not in left_out
        ]
    if not light:
        lines += [f"    def {each}(self, *given): return answer(ITEMS, self)" for each in _PUBLIC]
    return "\n".join(lines)


def _classes() -> str:
    made = [(base, light) for base in (*_BASES, *_FROM) for light in (False, True)]
    names = [f"H{number}" for number in range(len(made))]
    text = "\n".join(_class(name, base, light) for name, (base, light) in zip(names, made, strict=True))
    return f"{text}\nCLASSES = [{', '.join(names)}]\n"


def program() -> str:
    """The whole snippet."""
    named = ", ".join(f"({name!r}, {name})" for name in IMPORTED)
    imports = f"import {', '.join(IMPORTED)}\nimport numpy as np, torch, torchvision\nfrom PIL import Image\n"
    halves = "\n".join(each.read_text(encoding="utf-8") for each in SNIPPET)
    return f"{imports}MODULES = [{named}]\n{halves.replace('# HERE ARE THE CLASSES', _classes())}"


Try = Callable[[int, Callable[[str], None] | None], tuple[str, list[str]]]


@functools.cache
def trial() -> Try:
    """`one` of the program, as a snippet has it."""
    faulthandler.enable()
    torch = load_torch()
    harden(torch)
    world = World(TorchFacade(torch_modules(torch, torch_names())), lambda stream, text: None)
    guard = world.guard
    builtins = snippet_builtins(guard, world.classes, world.import_module, _print, lambda prompt: "")
    guard.globals.update(__name__="__main__", __doc__=None, __file__="hostile.py", __builtins__=builtins)
    guard.globals.update({**guard.hooks(), "<echo>": _print})
    types.FunctionType(compile_snippet(program(), "hostile.py", world.modules), guard.globals)()
    one: Try = guard.globals["one"]
    return one


def _print(*given: object, **named: object) -> None:
    pass


def one_input(data: bytes) -> None:
    """One call."""
    sys.setrecursionlimit(400)
    try:
        name, told = trial()(_number(data), None)
    except SystemExit:  # a parser of arguments ends its program
        return
    assert not told, f"{name}: {told}"


def _number(data: bytes) -> int:
    return int.from_bytes(data[:8], "little")


def main() -> None:
    """Say what one input does, and do it."""
    from tests.fuzz.many import data_of

    seed, *numbers = map(int, sys.argv[1:])
    for number in numbers:
        told: Any = trial()(
            _number(data_of(seed, number)), lambda text: sys.stdout.write(f"{text}\n") and sys.stdout.flush()
        )
        sys.stdout.write(f"{number}: {told}\n")


if __name__ == "__main__":
    main()
