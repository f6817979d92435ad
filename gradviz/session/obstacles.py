"""Everything that keeps a file from running here: what the language rules refuse, what it imports and uses that is not
available, and what asks for a graphics card; each with its lines, its purpose, and the change that can be made
automatically.

Pure: from the text and what the worker said about it to a list, and to texts with one or all of the changes made.
In `gradviz.worker.language`, `policy` decides what is refused, and `missing_uses` finds what is missing. Next:
`ui.panels.obstacles`, which shows the list."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from gradviz.document import edits
from gradviz.document.documents import text_of
from gradviz.document.snippet import dotted_name
from gradviz.session.doctor.text import Text, name_of, receiver_of
from gradviz.session.problem import changed_lines, missing_file
from gradviz.worker.language.missing_uses import trained_weights
from gradviz.worker.language.pasted import parse

if TYPE_CHECKING:
    from gradviz.session.state import State
    from gradviz.worker.process.events import Missing, Refused

_PURPOSES = {
    "tables of data": "pandas polars pyarrow",
    "ready language models and their tokenizers": "transformers tokenizers sentencepiece tiktoken datasets peft",
    "ready models and data sets": "timm huggingface_hub torchtext torchaudio",
    "a log of experiments on a server": "wandb visdom mlflow comet_ml",
    "numerical methods": "scipy",
    "training by trees": "xgboost lightgbm",
    "reading and changing pictures": "cv2 imageio skimage",
    "downloads from the network": "requests httpx wget gdown",
    "other programs and processes": "subprocess multiprocessing concurrent asyncio",
    "ready training loops": "pytorch_lightning lightning ignite fastai accelerate",
    "scores of predictions": "torchmetrics",
    "reading and splitting text": "nltk spacy",
    "settings from files and the command line": "hydra omegaconf fire absl",
    "special kernels of graphics cards": "apex triton deepspeed xformers flash_attn",
    "networks over graphs": "torch_geometric dgl",
    "other frameworks": "tensorflow keras jax flax",
}
PURPOSE = {name: purpose for purpose, names in _PURPOSES.items() for name in names.split()}
_ROUNDS = 8  # of changes within changes
_LONGEST = 40_000  # characters of a text in which changes are looked for, because the window waits for them
_CHANGES = 10_000  # in one text
_WORK = 400_000  # total characters of texts with one change each
_NOT_DROPPED = frozenset({"torch", "np", "numpy"})

Edit = tuple[ast.expr | ast.stmt, str | None]  # what is replaced, and the new code; None removes it
Finder = Callable[["_Read"], Iterator[Edit]]


@dataclass(frozen=True)
class Obstacle:
    """One obstacle, wherever it occurs. `text` is the whole text with the change made, `lines` is where it occurs."""

    title: str
    lines: tuple[int, ...]
    purpose: str = ""
    advice: str = ""
    button: str = ""
    text: str | None = None
    change: tuple[str, ...] = ()  # the lines that the change removes and adds: "- old", "+ new"
    attach: str = ""  # a file that would have to be attached
    is_cuda: bool = False
    left: tuple[int, ...] = ()  # lines that the change does not fix

    @property
    def sentence(self) -> str:
        """Everything on one line, for a terminal."""
        where = f"{places(self.lines)}: " if self.lines else ""
        return f"{where}{self.title}{f' ({self.purpose})' if self.purpose else ''}: {self.advice}"


@dataclass(frozen=True)
class Obstacles:
    """All obstacles of a text."""

    every: tuple[Obstacle, ...]
    text: str | None  # with all changes made

    @property
    def changeable(self) -> int:
        """How many can be changed at the press of a button."""
        return sum(each.text is not None for each in self.every)

    @property
    def left(self) -> int:
        """How many remain, completely or in part, after all changes."""
        return sum(each.text is None or bool(each.left) for each in self.every)


def obstacles_of(state: State) -> Obstacles:
    """The obstacles of the text on screen, if the latest run met any."""
    if not state.meets_obstacles:
        return Obstacles((), None)
    run = state.run
    line = run.line if run.wants_cuda else -1
    return obstacles(text_of(run.snippet), run.refusals, run.missing, asks_cuda=not state.cuda_as_cpu, cuda_line=line)


@lru_cache(maxsize=2)
def obstacles(
    text: str,
    refusals: tuple[Refused, ...] = (),
    missing: tuple[Missing, ...] = (),
    *,
    asks_cuda: bool = True,
    cuda_line: int = -1,
) -> Obstacles:
    """Everything that stops this text, and the changes that can be made automatically; `cuda_line` is where it ended
    for lack of a graphics card."""
    drafts = [_refused(text, each) for each in refusals]
    drafts += [_missing(each) for each in _grouped(missing)]
    read = _Read(text if len(text) <= _LONGEST else "")
    if asks_cuda:
        lines = tuple(sorted({edit[0].lineno for edit in _cuda(read)} | ({cuda_line} if cuda_line > 0 else set())))
        found = Obstacle("cuda", lines, _GRAPHICS, _NO_GRAPHICS, is_cuda=True)
        index = _device_number(read, cuda_line)
        drafts += [_Draft(found, _cuda, lambda read: _numbered(read, index))] if lines else []
    alone = _WORK // (len(text) + 1) + 1  # each single change makes a text that has to be parsed again
    made = [draft.made(read) if at < alone else draft.obstacle for at, draft in enumerate(drafts)]
    finders = [finder for draft in drafts for finder in draft.finders]
    made = made if read.text == text else [draft.obstacle for draft in drafts]
    return Obstacles(tuple(sorted(made, key=lambda each: min(each.lines, default=0))), _changed(read, finders))


_GRAPHICS = "work on a graphics card"
_NO_GRAPHICS = "everything runs on the CPU here. Change the lines, or let cuda mean the CPU and keep the file as it is."


class _Read(Text):
    """A text as the worker reads it: prompts and notebook magics are no obstacle."""

    @cached_property
    def tree(self) -> ast.Module:
        try:
            return parse(self.text, "snippet.py")
        except Exception:  # noqa: BLE001 whatever Python or the worker's reader say of it: then there is no change
            return ast.Module([], [])

    @cached_property
    def _written(self) -> list[bytes]:
        return [line.encode() for line in self.text.split("\n")]

    def source(self, node: ast.AST) -> str:
        """The source of an expression or statement."""
        assert isinstance(node, ast.expr | ast.stmt) and node.end_lineno is not None
        lines = self._written[node.lineno - 1 : node.end_lineno]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return b"\n".join(lines).decode()

    @cached_property
    def dotted(self) -> dict[str, list[ast.expr]]:
        """Every name and every `a.b.c`, by its text."""
        found: dict[str, list[ast.expr]] = {}
        for node in self.walked:
            if isinstance(node, ast.Name | ast.Attribute) and (name := dotted_name(node)):
                found.setdefault(name, []).append(node)
        return found

    @cached_property
    def imports(self) -> list[ast.Import | ast.ImportFrom]:
        """Every import."""
        return [each for each in self.statements if isinstance(each, ast.Import | ast.ImportFrom)]

    @cached_property
    def own(self) -> frozenset[str]:
        """The functions and classes defined in the text."""
        return frozenset(each.name for each in self.statements if isinstance(each, ast.FunctionDef | ast.ClassDef))


class _Draft:
    """An obstacle, and what finds its changes in a text."""

    def __init__(self, obstacle: Obstacle, *finders: Finder) -> None:
        self.obstacle, self.finders = obstacle, finders

    def made(self, read: _Read) -> Obstacle:
        """With the change made, if there is one."""
        found = self.obstacle
        changed = _changed(read, self.finders)
        if changed is None:
            return found
        lines = changed_lines(read.text, changed)
        reached = {
            line
            for finder in self.finders
            for node, _ in finder(read)
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        }
        left = tuple(line for line in found.lines if line not in reached)
        return replace(found, button=_button(lines), text=changed, change=lines, left=left)


def _button(lines: Sequence[str]) -> str:
    gone, new = (sum(line.startswith(sign) for line in lines) for sign in "-+")
    if not new:
        return "Remove the Line" if gone == 1 else f"Remove {gone} Lines"
    return "Change the Line" if gone == 1 else f"Change {gone} Lines"


def places(lines: Sequence[int]) -> str:
    """ "line 3", "lines 3, 4 and 9"."""
    *first, last = [str(line) for line in lines]
    return f"lines {', '.join(first)} and {last}" if first else f"line {last}"


def _changed(read: _Read, finders: Sequence[Finder]) -> str | None:
    """The text with all that these find changed, None if that is nothing or can't be read any more."""
    before = read.text
    for _ in range(_ROUNDS):
        found: dict[ast.expr | ast.stmt, str | None] = {}
        for finder in finders:
            for node, code in finder(read):
                found.setdefault(node, code)
        whole = {node: code for node, code in found.items() if not any(each in found for each in read.around(node))}
        if not whole or len(whole) > _CHANGES:
            break
        read = _Read(edits.all_at_once(read.text, read.tree, whole))
        if not read.tree.body and read.text.strip():
            return None
    return read.text if read.text != before else None


# -- what the language refuses


def _refused(text: str, refused: Refused) -> _Draft:
    title = re.sub(r" (is|are) not available in GradViz snippets$", "", refused.what)
    found = Obstacle(title, (refused.line,), "", f"{refused.advice}.")
    if title.endswith(" belongs to a notebook"):
        return _NotebookDraft(found)
    if title in ("breakpoint()", "help()"):
        return _Draft(found, lambda read: _lone_calls(read, title.removesuffix("()")))
    return _Draft(found)


class _NotebookDraft(_Draft):
    """A line without which nothing can be read."""

    def made(self, read: _Read) -> Obstacle:
        text = read.text
        found, lines = self.obstacle, text.split("\n")
        row = found.lines[0] - 1
        if not 0 <= row < len(lines):
            return found
        changed = "\n".join([*lines[:row], *lines[row + 1 :]])
        shown = changed_lines(text, changed)
        return replace(found, button="Remove the Line", text=changed, change=shown)


def _lone_calls(read: _Read, name: str) -> Iterator[Edit]:
    """`breakpoint()` as a statement."""
    for each in read.statements:
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call) and _is_name(each.value.func, name):
            yield each, None


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


# -- what is not here


def _grouped(missing: Sequence[Missing]) -> list[list[Missing]]:
    """Those of a package that is not here at all together; what a package only lacks alone."""
    groups: dict[str, list[Missing]] = {}
    for each in missing:
        root = each.path.lstrip(".").partition(".")[0]
        key = root if root in PURPOSE or _attached_as(each) else each.path
        groups.setdefault(key, []).append(each)
    return list(groups.values())


def _attached_as(missing: Missing) -> str:
    """The file that would be a module."""
    root = missing.path.lstrip(".").partition(".")[0]
    return missing_file(missing.sentence) if root not in PURPOSE else ""


def _missing(group: list[Missing]) -> _Draft:
    first = group[0]
    root = first.path.lstrip(".").partition(".")[0]
    lines = tuple(sorted({line for each in group for line in each.lines}))
    why, _, advice = first.sentence.partition("; ")
    attach = _attached_as(first)
    is_whole = root in PURPOSE or bool(attach)
    why = "" if is_whole else why.removeprefix(f"{first.path} is not in GradViz: ").removeprefix(f"{first.path} ")
    said = "; ".join(part for part in (why, advice) if part)
    purpose = PURPOSE.get(root, "a module of your own, or a package" if attach else "")
    written = {each.written: each.path for each in group}
    found = Obstacle(root if is_whole else first.path, lines, purpose, f"{said}.", attach=attach)
    return _Draft(found, lambda read: _uses(read, written), lambda read: _imports(read, written))


def _uses(read: _Read, written: dict[str, str]) -> Iterator[Edit]:
    """The uses for which there is a change: of what is written so ("dist.barrier") and means this path."""
    for node, path in [(node, path) for name, path in written.items() for node in read.dotted.get(name, ())]:
        around = read.parents.get(node)
        if of_cuda := re.fullmatch(r"torch\.cuda\.(\w+Tensor)", path):
            yield node, f"torch.{of_cuda[1]}"
        elif isinstance(around, ast.Call) and around.func is node:
            yield from _call(read, around, path)


def _call(read: _Read, call: ast.Call, path: str) -> Iterator[Edit]:
    if trained := trained_weights(path, call):
        yield from ((each, "False" if read.source(each) == "True" else "None") for each in trained)
        return
    statement = read.parents.get(call)
    for pattern, written in _REPLACED:
        if re.fullmatch(pattern, path):
            code = written(read, call)
            if code:
                yield call, code
            return
    if isinstance(statement, ast.Expr) and _does_nothing_else(read, call):
        yield statement, None


def _does_nothing_else(read: _Read, call: ast.Call) -> bool:
    """Whether nothing of the text's own would be left undone without this call: it gets no function to call, and its
    arguments compute nothing but numbers and texts."""
    for node in ast.walk(call):
        if isinstance(node, ast.Lambda | ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await):
            return False
        if isinstance(node, ast.Name) and node.id in read.own:
            return False
        if isinstance(node, ast.Call) and node is not call and name_of(node) not in _HARMLESS:
            return False
    return True


_HARMLESS = frozenset(
    "item mean sum max min float int str len round format detach cpu numpy tolist keys values".split()
)


def _first(read: _Read, call: ast.Call) -> str:
    """The first argument: what wraps a model hands it on."""
    return read.source(call.args[0]) if call.args and not isinstance(call.args[0], ast.Starred) else ""


def _called(read: _Read, call: ast.Call) -> str:
    """The first argument, called."""
    return f"{read.source(call.args[0])}()" if len(call.args) == 1 and isinstance(call.args[0], ast.Name) else ""


def _spawned(read: _Read, call: ast.Call) -> str:
    """`mp.spawn(f, args=(a, b), nprocs=2)` as `f(0, a, b)`: what the first process does."""
    args = next((each.value for each in call.keywords if each.arg == "args"), call.args[1] if call.args[1:] else None)
    if not call.args or (args is not None and not isinstance(args, ast.Tuple)):
        return ""
    given = [read.source(each) for each in args.elts] if isinstance(args, ast.Tuple) else []
    return f"{read.source(call.args[0])}({', '.join(['0', *given])})"


_REPLACED: tuple[tuple[str, Callable[[_Read, ast.Call], str]], ...] = (
    (r"torch\.nn\.(parallel\.)?(\w+\.)?(DistributedDataParallel|DataParallel)", _first),
    (r"torch\.distributed\.(\w+\.)*FullyShardedDataParallel|.*\.convert_sync_batchnorm", _first),
    (r"torch\.distributed\.(\w+\.)?get_rank", lambda read, call: "0"),
    (r"torch\.distributed\.(\w+\.)?get_world_size", lambda read, call: "1"),
    (r"torch\.distributed\.(\w+\.)?is_initialized", lambda read, call: "False"),
    (r"torch\.multiprocessing\.(\w+\.)?spawn", _spawned),
    (r"fire\.Fire|typer\.run|absl\.app\.run", _called),
)


def _imports(read: _Read, written: dict[str, str]) -> Iterator[Edit]:
    """The imports that nothing uses any more; whatever else a line imports stays."""
    roots = {each.partition(".")[0] for each in written} - _NOT_DROPPED
    unused = roots - read.dotted.keys()
    for node in read.imports if unused else ():
        kept = [each for each in node.names if (each.asname or each.name.partition(".")[0]) not in unused]
        if not kept:
            yield node, None
        elif len(kept) < len(node.names):
            names = ", ".join(f"{each.name} as {each.asname}" if each.asname else each.name for each in kept)
            module = f"from {'.' * node.level}{node.module or ''} " if isinstance(node, ast.ImportFrom) else ""
            yield node, f"{module}import {names}"


# -- a graphics card


def _cuda(read: _Read) -> Iterator[Edit]:
    """What asks for a graphics card without asking first whether there is one."""
    for node in read.walked:
        if isinstance(node, ast.Call):
            edit = _cuda_call(read, node)
        elif isinstance(node, ast.Constant) and _names_card(node.value) and _is_device(read, node):
            edit = node, '"cpu"'
        else:
            continue
        if edit is not None and not _is_asked(read, node):
            yield edit


def _cuda_call(read: _Read, call: ast.Call) -> Edit | None:
    held, statement = receiver_of(call), read.parents.get(call)
    if name_of(call) == "cuda" and held is not None and dotted_name(call.func) != "torch.cuda":
        return (statement, None) if isinstance(statement, ast.Expr) else (call, read.source(held))
    if dotted_name(call.func) == "torch.device" and call.args[1:] and isinstance(call.args[0], ast.Constant):
        return (call, 'torch.device("cpu")') if _names_card(call.args[0].value) else None
    if isinstance(statement, ast.Expr) and dotted_name(call.func) in _OF_A_CARD:
        return statement, None
    return None


def _device_number(read: _Read, line: int) -> str:
    """What stands for the number of a card in `.to(rank)` at the line where one was missed, "" for anything else."""
    for node in read.on_line(line) if line > 0 else []:
        if isinstance(node, ast.Call) and name_of(node) == "to" and len(node.args) == 1 and not node.keywords:
            given = node.args[0]
            if isinstance(given, ast.Name) or (isinstance(given, ast.Constant) and type(given.value) is int):
                return read.source(given)
    return ""


def _numbered(read: _Read, number: str) -> Iterator[Edit]:
    """All `.to(rank)` with this number."""
    for call in read.calls if number else []:
        held, given = receiver_of(call), [read.source(each) for each in call.args]
        if name_of(call) == "to" and held is not None and not call.keywords and given == [number]:
            statement = read.parents.get(call)
            yield (statement, None) if isinstance(statement, ast.Expr) else (call, read.source(held))


_OF_A_CARD = frozenset(
    f"torch.cuda.{name}" for name in "synchronize set_device init ipc_collect reset_peak_memory_stats".split()
)


def _names_card(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"(cuda|mps)(:\d+)?", value) is not None


def _is_device(read: _Read, node: ast.Constant) -> bool:
    """Whether a text is used as a device: as an argument where one belongs, or as the value of a name that says so."""
    around = read.parents.get(node)
    if isinstance(around, ast.keyword):
        return around.arg in ("device", "map_location", "default")
    if isinstance(around, ast.Assign):
        return any("dev" in read.source(target).lower() for target in around.targets)
    called = name_of(around) if isinstance(around, ast.Call) and node in around.args else ""
    return called in ("to", "device", "set_default_device", "Generator")


def _is_asked(read: _Read, node: ast.AST) -> bool:
    """Whether it runs only where something says that there is a card."""
    inner = node
    for outer in read.around(node):
        if isinstance(outer, ast.If | ast.IfExp) and inner is not outer.test:
            test = read.source(outer.test).lower()
            if any(word in test for word in ("cuda", "available", "gpu", "device")):
                return True
        inner = outer
    return False
