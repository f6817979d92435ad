"""The tables of a trace: which columns, of which type, referring to which other table. Both ends of the pipe derive
everything from here: the recorder its row packers, the reader its checks, the trace its arrays. No logic; see
`tables.py` next.

Note [Steps and cursors] A cursor `c` is the number of steps done, 0..n. Whatever happened during step `s` (or after it
and before the next) carries `step == s` and is visible at `c` when `s < c`. What happened before the first step
carries -1. In every table `step` never decreases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.table.tables import Column, Table

Array = NDArray[Any]

Int = Annotated[Array, Column("i4")]
Long = Annotated[Array, Column("i8")]
Real = Annotated[Array, Column("f8")]
Byte = Annotated[Array, Column("u1")]
Flag = Annotated[Array, Column("b1")]
Text = Annotated[Array, Column("i4", "strings", text=True)]  # object array of str
Step = Annotated[Array, Column("i4", "steps", none=True)]
NodeId = Annotated[Array, Column("i4", "nodes", none=True)]
TensorId = Annotated[Array, Column("i4", "tensors", none=True)]
ValueId = Annotated[Array, Column("i4", "values", none=True)]
CallId = Annotated[Array, Column("i4", "calls", none=True)]
SiteId = Annotated[Array, Column("i4", "sites", none=True)]
OfSite = Annotated[Array, Column("i4", "sites")]
OfFile = Annotated[Array, Column("i4", "files")]
RegionId = Annotated[Array, Column("i4", "regions", none=True)]
OfNode = Annotated[Array, Column("i4", "nodes")]  # these are never -1
OfTensor = Annotated[Array, Column("i4", "tensors")]
OfValue = Annotated[Array, Column("i4", "values")]
OfCall = Annotated[Array, Column("i4", "calls")]
Derived = Annotated[Array, Column("", derived=True)]  # not sent: the trace computes it


class Steps(Table):
    """One row per step, in order."""

    kind: Byte
    node: NodeId
    tensor: TensorId
    site: SiteId
    call: CallId  # the backward call that it is part of
    ref: Int  # row of the table that `TABLE_OF_KIND` names
    line: Derived  # 1-based line of the snippet that was running, -1 unknown


class Regions(Table):
    """Calls of modules and functions, loops and their iterations, each made when its first operation runs: what is in
    a region comes right after it, see Note [Order of regions] in `regions.py`."""

    step: Step  # the first step in it, whatever its kind
    parent: RegionId  # -1: in no other; always an earlier row
    kind: Byte  # regions.RegionKind
    name: Text  # module: its path "blocks.0.attn"; function: "layer"; loop: "for t in range(50)"; iteration: "t = 3"
    site: SiteId
    index: Int  # number of the iteration, from 0
    depth: Derived  # how many regions are around it
    module: Derived  # path of the innermost module, its own or that around it, "" for none


class Nodes(Table):
    """One row per operation run, tracked (it has a grad_fn) or not."""

    step: Step
    op: Text  # row name, "mul"
    name: Text  # "MulBackward0", "" when not tracked
    symbol: Text
    site: SiteId
    region: RegionId  # the innermost one in which it ran
    params: Text  # "dim=1"
    sequence_nr: Long  # -1 when not tracked
    call: CallId  # the backward call under create_graph that made it
    reason: Byte  # why it is not tracked, see UNTRACKED
    scope: Derived  # path of the innermost module, "fc1"
    line: Derived
    col: Derived
    end_line: Derived
    end_col: Derived
    source: Derived  # "w * x"


class Operands(Table):
    """What the formulas of an operation speak of, once per kind of operation: its inputs in order, then its outputs."""

    op: Text
    node_name: Text
    output: Flag
    name: Text  # "self", "other", "result"
    formula: Text  # how the gradient of this input is written, "grad · other"; "" for an output, or where there is none
    expression: Text  # the same as an expression, "grad * other"; "" where words say it


class Inputs(Table):
    """Edges tensor -> node of the forward graph, sorted by node and slot."""

    node: OfNode
    slot: Int
    tensor: OfTensor


class Tensors(Table):
    """One row per tensor; a tracked in-place operation makes a new row (same storage, next version)."""

    step: Step
    producer: NodeId
    output_nr: Int
    value: OfValue  # value when created; `writes` has the later ones
    storage: Int
    version: Int
    requires_grad: Flag
    is_leaf: Flag
    is_parameter: Flag
    grad_of: TensorId  # it is the .grad of this tensor
    site: SiteId
    line: Derived
    label: Derived  # source text of the expression that made it
    dtype: Derived  # "float32"
    shape: Derived  # tuple of int


class Names(Table):
    """Bindings as the snippet makes them."""

    step: Step
    tensor: OfTensor
    name: Text  # "w", "fc1.weight", "params[0]"
    owner: Text  # the module's own name for a module's parameter, else ""
    rank: Byte  # the lowest wins: PLAIN variable, ELEMENT of a module or container, LOCAL, INSIDE a class


class Writes(Table):
    """A tensor's memory was overwritten: the value after it. The first value is `Tensors.value`."""

    step: Step
    tensor: OfTensor
    value: OfValue
    version: Int


class Versions(Table):
    """The version counter of a storage after an in-place write."""

    step: Step
    storage: OfTensor  # storages have the numbers of the tensors that they were made for
    version: Int


class Flags(Table):
    """requires_grad_, retain_grad or detach_ changed a tensor."""

    step: Step
    tensor: OfTensor
    requires_grad: Flag
    retains_grad: Flag
    is_leaf: Flag


class Grads(Table):
    """History of .grad; value -1 is None."""

    step: Step
    tensor: OfTensor
    value: ValueId
    via: TensorId  # row of the .grad tensor itself, where it is one of the recorded tensors


class Flows(Table):
    """The gradient that a node's backward sent towards its forward input `slot`."""

    step: Step
    node: OfNode
    slot: Int
    value: OfValue
    input: Derived  # row of `inputs`, -1 when there is none


class Arrivals(Table):
    """A gradient arrived at the input buffer of the tensor's grad_fn or AccumulateGrad."""

    step: Step
    tensor: TensorId
    from_node: NodeId  # -1: the root gradient
    value: ValueId
    total: ValueId
    arrived: Int
    expected: Int
    call: CallId


class Saved(Table):
    """One buffer saved by a node, in the node's order."""

    step: Step
    node: OfNode
    name: Text  # "self", "other", "result"
    tensor: TensorId  # -1: its own memory
    value: ValueId  # set for own memory only
    nbytes: Long  # sent for own memory only, else that of the tensor
    storage: Int
    version: Int
    freed: Derived  # step, or NEVER


class Frees(Table):
    """A node's saved buffers were freed."""

    step: Step
    node: OfNode


class Drops(Table):
    """A node went with its graph, as nothing referred to it any more, and with it the buffers that it still held."""

    step: Step
    node: OfNode


class Hooks(Table):
    """A hook was called."""

    step: Step
    kind: Text  # "tensor", "pre", "post", "post_accumulate"
    node: NodeId
    tensor: TensorId
    before: ValueId
    after: ValueId


class Optimizers(Table):
    """An optimizer updated its parameters (their new values are in `writes` at the same step)."""

    step: Step
    name: Text


class Updates(Table):
    """What an optimizer did to one parameter: by which settings, and what it remembers of the parameter afterwards."""

    step: Step
    tensor: OfTensor
    settings: Text  # "lr=0.1, momentum=0.9"
    count: Int  # how often it has updated the parameter, 0 where it does not count
    average: ValueId  # the running average or the momentum of the gradients, -1: none, or too many elements
    square: ValueId  # the running average of their squares


class Calls(Table):
    """One row per backward() or autograd.grad()."""

    step: Step
    site: SiteId
    retain_graph: Flag
    create_graph: Flag
    line: Derived
    source: Derived
    end: Derived  # last step of the call, or NEVER while it has not ended


class Roots(Table):
    """The tensors that a backward call starts at."""

    call: OfCall
    tensor: OfTensor
    value: ValueId  # the gradient that was passed, -1: implicit 1


class Wanted(Table):
    """The tensors that `inputs=` of a backward call names."""

    call: OfCall
    tensor: OfTensor


class Ends(Table):
    """A backward call is over."""

    step: Step
    call: OfCall


ENDS_HERE = "Recording ends here: "  # how the warning begins after which only texts were recorded
SOME_ONLY = "Not every iteration is recorded from here on: "  # and the one after which some were


class Texts(Table):
    """Printed text and warnings."""

    step: Step
    stream: Text  # "out" | "err"
    text: Text


class Errors(Table):
    """The error that ended the run: at most one row."""

    step: Step
    type: Text
    message: Text
    line: Int
    traceback: Text
    last_line: Text


class Caught(Table):
    """An error of PyTorch's that an `except` of the snippet has caught."""

    step: Step
    type: Text
    message: Text


class Given(Table):
    """What the operation was given that raised an error, whether that ended the run or was caught."""

    step: Step
    tensor: OfTensor


class Collectives(Table):
    """The processes of a job exchanged something; what was overwritten by that is in `writes` and `grads` at the same
    step."""

    step: Step
    name: Text  # "all_reduce"
    detail: Text  # "50 elements, 2 ranks"


class Clock(Table):
    """The time of steps of a job, by the clock of its machine: of an exchange the moment at which this process came to
    it, of an update its end."""

    step: Step
    seconds: Real  # since 1970


class Gaps(Table):
    """From here on a part of the run was not recorded, see Note [True after a gap] in `gaps.py`. What was printed
    meanwhile, and all values that changed, carry the same step."""

    step: Step
    turn: Int  # how many iterations of loops that train had begun before
    begins: Text  # "t = 11", "e = 0, i = 5" in two loops, "" outside of loops


class Resumptions(Table):
    """A gap is over."""

    step: Step  # the gap's own
    gap: Annotated[Array, Column("i4", "gaps")]
    turn: Int  # -1: where the loop was left, -2: at the end of the run, -3 - t: where it was left, ended at turn t
    ends: Text  # the last iteration in it: "t = 99"
    count: Int  # how many iterations of the training loop were not recorded


class Remembered(Table):
    """What an optimizer remembers of a parameter after a gap; `updates` has it for each step that was recorded."""

    step: Step
    tensor: OfTensor
    optimizer: Text
    count: Int
    average: ValueId
    square: ValueId


class Answers(Table):
    """What was asked of a backward call: by how many paths it comes to a tensor, see `chains.py`."""

    call: OfCall
    tensor: OfTensor
    paths: Real  # there may be more than fit in an integer


class Chains(Table):
    """One of these paths, and the gradient that comes along it alone."""

    root: Int  # which of the call's roots
    value: OfValue


class Links(Table):
    """One node of a path, from the root on."""

    chain: Int
    node: OfNode
    slot: Int  # the operand to which the path goes on
    local: Real  # the derivative of the result by it, NaN where they are not single numbers
    value: OfValue  # the gradient behind the node


class Partials(Table):
    """What was asked of an operation: how its outputs change with the elements of its operands, see `partials.py`. All
    of the local Jacobian of an output by an operand, or the row of one `element` of the output, or the column of one
    element of the operand, `source`, where it is not 0."""

    node: OfNode
    output: Int  # which of its outputs, -1 where there is no answer for any
    slot: Int
    imaginary: Flag  # by the imaginary unit in the place of 1: of complex results only
    element: Long  # -1: all
    source: Long  # -1: all
    at: ValueId  # int64: where the entries are; -1: everywhere
    value: ValueId
    more: Long  # entries that were left out, which add `rest` to the sum of this row times the operand
    rest: Real
    reason: Byte  # why there is no answer, see NO_PARTIALS


class Nudges(Table):
    """What a backward call began at in two more runs, see `finite_differences.py`: an element of the leaf was larger by
    `up`, and smaller by `down`."""

    element: Long
    up: Real
    down: Real
    above: Real
    below: Real
    here: Real


class Sites(Table):
    """Places in the snippet: 1-based lines, 0-based columns in characters."""

    line: Int
    col: Int
    end_line: Int
    end_col: Int
    source: Text


class Files(Table):
    """Other files of the program than the one that was started, such as the module with its model."""

    name: Text  # "model.py", relative to the folder of the one that was started
    source: Text  # "" if it could not be read


class Elsewhere(Table):
    """Sites at which the code of another file was running, called from the place of the site."""

    site: OfSite
    file: OfFile
    line: Int
    col: Int
    end_line: Int
    end_col: Int


class Values(Table):
    """One array: all its elements were sent, or only a summary and the elements at its edges, or nothing of it."""

    dtype: Byte  # index in `values.DTYPES`
    ndim: Byte
    kept: Byte  # EDGES, ALL, NOTHING or NO_NUMBERS, see `values`
    sizes: Derived  # where its sizes begin in `dims`
    chunk: Derived  # where the elements are: in which piece of the store, from which element, how many
    offset: Derived
    count: Derived
    norm: Derived


class Dims(Table):
    """The sizes of all values, one after the other."""

    size: Long


class Summaries(Table):
    """What is known of a value that was too large to keep."""

    value: ValueId
    low: Real
    high: Real
    mean: Real
    norm: Real
    nans: Long


PLAIN, ELEMENT, LOCAL, INSIDE = range(4)
# Functions that put something in the place of a parameter of their first argument, as prune.identity does, too.
REPLACING = (
    r"weight_norm|spectral_norm|orthogonal|register_parametrization|custom_from_mask|(?:random|l1|ln)_(?:un)?structured"
)
GATHERED = " (gathered)"  # suffix of the names of whole parameters, of which optimizers have the shards
NEVER = np.iinfo(np.int32).max
BY_NUMPY = "numpy"  # the operation of a write that NumPy made
NOTHING_REQUIRES, SWITCHED_OFF, NOT_DIFFERENTIABLE, CUT_OFF, UNSEEN = range(1, 6)  # why an operation is not tracked
UNTRACKED = (
    "",
    "none of its inputs requires grad",
    "it ran with gradients switched off",
    "its result is not differentiable",
    "it cuts its result off from the history of its input",
    "autograd can't see what NumPy writes",
)

IN_TRANSFORM, IN_PLACE, NO_DERIVATIVE, TOO_LARGE = 1, 2, 3, 4
NO_PARTIALS = (
    "",
    "it ran inside a function transform (vmap, grad of functions), for several examples at once",
    "it wrote over its own operand without being tracked",
    "it has no derivative",
    "it is too large",
)

TABLES: dict[str, type[Table]] = {
    "sites": Sites, "files": Files, "elsewhere": Elsewhere, "dims": Dims, "summaries": Summaries, "values": Values,
    "operands": Operands, "regions": Regions,
    "steps": Steps, "nodes": Nodes, "inputs": Inputs, "tensors": Tensors, "names": Names, "writes": Writes,
    "versions": Versions, "flags": Flags, "grads": Grads, "flows": Flows, "arrivals": Arrivals, "saved": Saved,
    "frees": Frees, "drops": Drops, "hooks": Hooks, "optimizers": Optimizers, "updates": Updates, "calls": Calls,
    "roots": Roots, "wanted": Wanted, "ends": Ends, "texts": Texts, "errors": Errors, "caught": Caught,
    "given": Given, "collectives": Collectives, "clock": Clock, "gaps": Gaps, "resumptions": Resumptions,
    "remembered": Remembered, "answers": Answers, "chains": Chains, "links": Links, "partials": Partials,
    "nudges": Nudges,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Batch:
    """A piece of a trace as it goes through the pipe: a header of plain JSON values, and raw bytes."""

    header: dict[str, Any]
    payload: bytes
