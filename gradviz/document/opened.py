"""A recording for programs and notebooks: `gradviz.open_recording(path)` gives one, whose graph is networkx', whose
tensors are NumPy's and whose steps are rows. These names stay as they are; nothing here needs Qt or PyTorch."""

from __future__ import annotations

import difflib
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gradviz.document.errors import UserError
from gradviz.document.files.recordings import on_this_computer, read
from gradviz.document.graph_data import graph_of, plain_graph
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.name_text import owned
from gradviz.trace.table.recording import About, Ending
from gradviz.trace.table.trace import Trace
from gradviz.trace.table.values import Value
from gradviz.trace.words.explain import sentence

if TYPE_CHECKING:
    from networkx import MultiDiGraph

    from gradviz.trace.table.frame import Frame

MOST_NAMED = 12  # names in a sentence
MOST_NEAR = 5  # of which one may have been meant


@dataclass(frozen=True, slots=True)
class Step:
    """One row of `Recording.steps`. What a step is not about is "" or -1."""

    number: int  # from 1: the state after it is `graph(number)`
    kind: str  # "leaf", "forward", "backward_call", "backward", "accumulate", "free", "optimizer", ...
    line: int  # of `file`
    operation: str  # "MulBackward0"; "add" for one that has no grad_fn
    tensor: str  # what the program calls it
    call: int  # the backward call that it is part of, from 0
    file: str = ""  # "model.py", which the program imports; "" for the program itself


class Recording:
    """What is in a `.gvtrace` file. Steps are counted from 1; where a step is asked for, None is the end."""

    def __init__(self, trace: Trace, about: About, ending: Ending | None) -> None:
        self._trace = trace
        self.about = about  # source, name, maker ("PyTorch 2.13.0"), when, rank, ranks
        self.ending = ending  # status, sentence, line, seconds; None: it breaks off, the job was killed

    def __len__(self) -> int:
        """How many steps there are."""
        return len(self._trace)

    def __repr__(self) -> str:
        return f"<Recording of {self.about.name or 'a program'}: {len(self):,} steps>"

    def steps(self) -> list[Step]:
        """All steps, one row each: `pandas.DataFrame(recording.steps())` is a table of them."""
        trace, steps = self._trace, self._trace.steps
        kinds = {kind.value: kind.name.lower() for kind in Kind}
        operations = [str(name or op) for name, op in zip(trace.nodes.name, trace.nodes.op, strict=True)]
        columns = (each.tolist() for each in (steps.kind, steps.line, steps.node, steps.tensor, steps.call, steps.site))
        inner = trace.elsewhere
        files = dict(
            zip(inner.site.tolist(), zip(inner.line.tolist(), trace.files.name[inner.file], strict=True), strict=True)
        )
        found = []
        for number, (kind, of_program, node, tensor, call, site) in enumerate(zip(*columns, strict=True), 1):
            line, file = files.get(site, (of_program, ""))
            operation = operations[node] if node >= 0 else ""
            name = trace.naming.name(tensor, len(trace)) if tensor >= 0 else ""
            found.append(Step(number, kinds[kind], line, operation, name, call, file))
        return found

    def sentence(self, step: int) -> str:
        """What a step does, in words with its numbers."""
        if not 1 <= step <= len(self):
            raise IndexError(f"there is no step {step}: the steps are 1 to {len(self)}")
        return sentence(self._trace.frame_at(step))

    def graph(self, step: int | None = None, *, plain: bool = False) -> MultiDiGraph[str]:
        """All that was made up to a step, as a `networkx.MultiDiGraph`: tensors ("t0") and operations ("n0") are nodes,
        edges go from an operand to the operation (one for each time that it is read) and on to the result.

        Tensors have `kind` ("leaf", "constant", "intermediate"), `label`, `shape`, `dtype`, `requires_grad`, `value`
        and `grad`; operations `label`, `op`, `line`, `file` ("" for the program itself), `module`, `ran_backward` and
        `saved`; an edge to an operation has its `slot` and the `grad` that went back along it. With `plain` all of
        these are numbers and texts, as `networkx.write_graphml` wants them; lists are then JSON.
        """
        frame = self._frame(step)
        return plain_graph(frame) if plain else graph_of(frame)

    def names(self, step: int | None = None) -> list[str]:
        """The variables and parameters that are bound at a step, in their order, as the window calls them."""
        bound, frame = self._trace.names, self._frame(step)
        count, ambiguous = int(np.searchsorted(bound.step, frame.cursor)), self._trace.naming.ambiguous
        pairs = zip(bound.name[:count].tolist(), bound.owner[:count].tolist(), strict=True)
        return [*dict.fromkeys(owned(*each, ambiguous) for each in pairs)]

    def tensor(self, name: str, step: int | None = None) -> NDArray[Any]:
        """The elements of the tensor that is called so at a step, and of its gradient as "w.grad"; a copy.

        A tensor is called what `names`, `steps`, `graph` or the window call it ("net[0].weight"), or a parameter as in
        its module's state_dict ("0.weight", "net.0.weight"); "t12" is that of the graph. Of several, it is the latest.

        Raises KeyError where nothing is called so, ValueError where there is no gradient, or its elements were too many
        to be kept (or not wanted) and only their summary is in the recording.
        """
        frame = self._frame(step)
        found = self._called(name, frame)
        is_gradient = found < 0 and name.endswith(".grad")
        if is_gradient:
            found = self._called(name.removesuffix(".grad"), frame)
        if found < 0:
            raise KeyError(f"no tensor is called {name!r} at step {frame.cursor}; {self._others(name, frame)}")
        return _elements(name, frame.grad(found) if is_gradient else frame.value(found), frame.cursor)

    def _called(self, name: str, frame: Frame) -> int:
        """The latest tensor of a name, -1: none."""
        bound, there = self._trace.names, frame.tensor_created
        count = int(np.searchsorted(bound.step, frame.cursor))
        rows = np.flatnonzero(bound.name[:count] == name)
        if not len(rows) and "." in name:
            rows = np.flatnonzero(
                np.char.add(np.char.add(bound.owner[:count].astype(str), "."), bound.name[:count].astype(str)) == name
            )
        if len(rows):
            return int(bound.tensor[rows[-1]])
        at_end = [each for each in self._at_end.get(name, ()) if there[each]]
        if at_end:
            return at_end[-1]
        shown = (each for each in np.flatnonzero(there)[::-1].tolist() if name in self._names_of(each, frame))
        number = int(name[1:]) if name[:1] == "t" and name[1:].isdecimal() else -1
        return next(shown, number if 0 <= number < len(there) and there[number] else -1)

    def _names_of(self, tensor: int, frame: Frame) -> tuple[str, str]:
        return self._trace.naming.name(tensor, frame.cursor), frame.name(tensor)

    @cached_property
    def _at_end(self) -> dict[str, list[int]]:
        """By name, the tensors that are called so at the end: in `steps`, or on the screen."""
        trace, found = self._trace, defaultdict[str, list[int]](list)
        for tensor, shown in enumerate(trace.naming.shown_at_end(np.arange(len(trace.tensors)))):
            for name in {shown, trace.naming.name(tensor, len(trace))}:
                found[name].append(tensor)
        return found

    def _others(self, name: str, frame: Frame) -> str:
        """What there is instead of a name: the nearest ones, otherwise the first."""
        there = self.names(frame.cursor)
        every = [*there, *(each for each, tensors in self._at_end.items() if frame.tensor_created[tensors[0]])]
        near = difflib.get_close_matches(name.removesuffix(".grad"), dict.fromkeys(every), MOST_NEAR)
        near += [each for each in there if each.endswith(f".{name}")][:MOST_NEAR]
        if near:
            return f"similar are: {', '.join(dict.fromkeys(near))}"
        listed = ", ".join(there[:MOST_NAMED]) + (" and more" if len(there) > MOST_NAMED else "")
        return f"there are: {listed or 'none'}"

    def _frame(self, step: int | None) -> Frame:
        if step is not None and not 0 <= step <= len(self):
            raise IndexError(f"there is no step {step}: the steps are 1 to {len(self)}, and 0 is before the first")
        return self._trace.frame_at(len(self) if step is None else step)


def _elements(name: str, value: Value | None, step: int) -> NDArray[Any]:
    if value is None:
        raise ValueError(f"{name} is None at step {step}")
    if value.array is None:
        raise ValueError(f"only a summary of {name} was kept: {value.brief()}")
    found: NDArray[Any] = value.array.copy()
    return found


def open_recording(path: str | Path) -> Recording:
    """Read a recording; ValueError with a sentence if it is damaged, OSError if it is not there."""
    local = Path(path)
    try:
        if isinstance(path, str):
            local = Path(on_this_computer(path))
        found = read(local)
    except UserError as error:
        if isinstance(error.__cause__, OSError) or not local.is_file():
            raise OSError(str(error)) from error
        raise ValueError(str(error)) from error
    return Recording(found.trace, found.about, found.ending)
