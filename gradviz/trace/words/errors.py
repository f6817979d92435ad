"""The explanation of an error: that of the first row whose pattern matches. An error that a snippet catches is
explained like one that ends a run, by a trace that ends with it; `instrument` records it. The rows about the graph
itself, which name nodes, are in `graph_errors`; those about usage and shapes are here."""

from __future__ import annotations

import ast
import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gradviz.lists import listed
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.schema import TABLES
from gradviz.trace.words.error_explanation import (
    ErrorExplanation,
    Mark,
    Match,
    Row,
    error_line,
    given,
    made,
    on_line,
    operands,
    plain,
    receiver,
    sites_of,
    statement_at,
    tensor_of,
)
from gradviz.trace.words.graph_errors import GRAPH_ROWS
from gradviz.trace.words.sentences import Said, full_stop, said

if TYPE_CHECKING:
    from gradviz.trace.table.frame import Frame
    from gradviz.trace.table.trace import Trace


# -- around the graph: custom functions, hooks, transforms, modes, indices and types; these do not look at the trace

USAGE_ROWS: tuple[Row, ...] = (
    (
        r"No such file or directory: ",
        plain(
            "A snippet sees none of the computer's files: its folder is in memory, and holds what is attached to it.",
            "Attach the file (File > Attach Files), or write it first: open(name, 'w').write(text). Make the folder "
            "of a new file before the file: os.makedirs(folder).",
        ),
    ),
    (
        r"vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow",
        plain(
            "Inside of vmap a tensor stands for all examples at once, so “if” cannot ask for its one value.",
            "Compute both ways and choose with torch.where(condition, a, b).",
        ),
    ),
    (
        r"vmap: It looks like you're calling \.item\(\) on a Tensor",
        plain(
            "Inside of vmap a tensor stands for all examples at once: it has no one value to take out.",
            "Keep it a tensor, and read values after vmap has returned.",
        ),
    ),
    (
        r"vmap: called random operation while in randomness error mode",
        plain(
            "vmap was not told whether each example gets random numbers of its own.",
            'Pass randomness="different" to vmap, or "same" for the same numbers in all examples.',
        ),
    ),
    (
        r"vmap: inplace arithmetic\(self, \*extra_args\) is not possible",
        plain(
            "The tensor that is written to is the same for all examples, but what is written differs.",
            "Use the operation that makes a new tensor, without the underscore.",
        ),
    ),
    (
        r"vmap: Expected all tensors to have the same size in the mapped dimension",
        plain(
            "vmap takes one slice of every input per example, but the inputs have different numbers of slices.",
            "Make the sizes equal, or give None in in_dims for an input that all examples share.",
        ),
    ),
    (
        r"returned an incorrect number of gradients \(expected (\d+), got (\d+)\)",
        plain(
            "backward has to return one gradient for each input of forward, ctx not counted: {0} here, not {1}.",
            "Return None for inputs that need no gradient.",
        ),
    ),
    (
        r"returned an invalid gradient at index (\d+) - got (\[.*?\]) but expected shape compatible with (\[.*?\])",
        plain(
            "A gradient has the shape of the input that it belongs to: {2} for input {0}, but backward returned {1}.",
            "Check which input each returned gradient is for, and sum over dimensions that were broadcast.",
        ),
    ),
    (
        r"You must implement either the backward or vjp method",
        plain("The function has no formula for its gradient.", "Define a static method backward(ctx, grad_output)."),
    ),
    (
        r"Legacy autograd function with non-static forward method",
        plain(
            "forward of a Function is called without an object of it.", "Make it a @staticmethod, and use F.apply()."
        ),
    ),
    (
        r"Jacobian mismatch for output (\d+) with respect to input (\d+)",
        plain(
            "What backward computes is not the slope of output {0} that small changes of input {1} show.",
            "Compare the two matrices in the message: the wrong numbers lead to the part of backward that is wrong.",
        ),
    ),
    (
        r"hook '.*' has changed the (size|type) of value",
        plain(
            "What a hook returns takes the place of the gradient, so it must have the same {0}.",
            "Return a tensor like the one that came in, or None to leave it as it is.",
        ),
    ),
    (
        r"Output of saved tensor unpack_hook expected to be a Tensor",
        plain("What unpack returns is used as the saved tensor.", "Return a tensor from the unpack hook."),
    ),
    (
        r"Inference tensors cannot be saved for backward|Inplace update to inference tensor outside InferenceMode"
        r"|Inference tensors do not track version counter",
        plain(
            "A tensor made inside of inference_mode() has no version counter and can never be in a graph.",
            "clone() it outside of inference_mode(), or use torch.no_grad() instead.",
        ),
    ),
    (
        r"grad can be implicitly created only for real scalar outputs",
        plain(
            "The starting gradient 1 is understood for real numbers only; this root is complex.",
            "Make it real first, for example with .abs() or .real, or pass gradient=.",
        ),
    ),
    (
        r"got (\d+) tensors and (\d+) gradients",
        plain(
            "Each root needs a starting gradient of its own. Number of roots: {0}, of gradients: {1}.",
            "Pass one for each root.",
        ),
    ),
    (
        r"Output \d+ of the user-provided function does not require gradients",
        plain(
            "With strict=True the function has to compute its result from its input, and this one does not.",
            "Use the input, or leave strict out to get zeros.",
        ),
    ),
    (
        r"to have (\d+) channels, but got (\d+) channels instead",
        plain(
            "The layer was made for inputs of {0} channels, but this one has {1}. They stand before the image sizes.",
            "Change in_channels of the layer, or the channels of the input.",
        ),
    ),
    (
        r"Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)",
        plain("There are {0} rows of scores but {1} targets; each row needs one.", "Make the numbers equal."),
    ),
    (
        r"iteration over a 0-d tensor|invalid index of a 0-dim tensor",
        plain("A single number has no dimension to go along.", "Use .item(), or give it one with unsqueeze(0)."),
    ),
    (
        r"result type (\w+) can't be cast to the desired output type (\w+)",
        plain(
            "Writing in place keeps the type of the tensor, {1}, and a {0} result does not fit into it.",
            "Make a new tensor (a = a + b), or convert the tensor first.",
        ),
    ),
    (
        r"more than one element of the written-to tensor refers to a single memory location",
        plain("expand() repeats elements without copying: several share one place in memory.", "clone() it first."),
    ),
    (
        r"functions with out=\.\.\. arguments don't support automatic differentiation",
        plain(
            "out= writes into memory that may belong to a graph already.", "Assign the result instead of using out=."
        ),
    ),
    (
        r"output with shape (\[.*?\]) doesn't match the broadcast shape (\[.*?\])",
        plain(
            "Writing in place cannot change the shape: the result has shape {1}, the tensor {0}.",
            "Make a new tensor (a = a + b).",
        ),
    ),
    (
        r"(sum|mean|prod|max|min)\(\) received an invalid combination of arguments - got \([^)]*keepdim=",
        plain(
            "{0}() of all elements has no keepdim; only {0}() along a dim has.", "Say which dim, or leave keepdim out."
        ),
    ),
    (
        r"(\w*median)\(\) missing 1 required positional arguments: \"dim\"",
        plain(
            "{0}() of all elements has no keepdim; only {0}() along a dim has.", "Say which dim, or leave keepdim out."
        ),
    ),
    (
        r"index out of range in self",
        plain(
            "One of the indices is below 0, or not below the number of rows that they pick from.",
            "Use indices from 0 to that number − 1, or give an embedding more rows (num_embeddings).",
        ),
    ),
    (
        r"select\(\): index (-?\d+) out of range for tensor of size (\[.*\]) at dimension (-?\d+)",
        plain(
            "There is no index {0} along dimension {2} of a tensor of size {1}.",
            "Count from 0: use an index below the size of dimension {2}.",
        ),
    ),
    (
        r"could not infer output dtype\. Input dtype must be either a floating point or complex dtype\. Got: (\w+)",
        plain(
            "The mean of integers need not be one, so only floating point numbers have one; this tensor is {0}.",
            "Call .float() first.",
        ),
    ),
    (
        r"Dimension out of range \(expected to be in range of \[(-?\d+), (-?\d+)\], but got (-?\d+)\)",
        plain(
            "The tensor has no dimension {2}: its dimensions are counted from {0} to {1}.",
            "Use one of them, or unsqueeze() it first.",
        ),
    ),
    (
        r"The expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\) at \S+ dimension (\d+)",
        plain(
            "expand() repeats dimensions of size 1 only; dimension {2} has {1} elements and cannot become {0}.",
            "Use repeat(), or unsqueeze() where the copies should lie.",
        ),
    ),
    (
        r"A different number of tensors was saved during the original forward and recomputation",
        plain(
            "checkpoint runs its function again for the backward pass, and it did not do the same the second time.",
            "Let nothing that changes between the two calls decide what the function does.",
        ),
    ),
)


# -- shapes and types: which operands they were, and which shape was probably meant

_Shape = tuple[int, ...]
_PRODUCTS = ("mm", "matmul", "bmm", "mv", "dot", "addmm", "linear")


def _product(trace: Trace) -> list[tuple[str, _Shape]]:
    """(name, shape) of the operands of the matrix product that failed; [] if they are not found."""
    if len(known := given(trace)) == 2:
        return [(name, shape) for name, shape, _ in known]
    frame = trace.frame_at(len(trace))
    found = operands(trace, error_line(trace), _PRODUCTS, ast.MatMult)
    return [(frame.name(each), tuple(trace.tensors.shape[each])) for each in found]


def _not_a_matrix(trace: Trace, match: Match) -> ErrorExplanation | None:
    which = 0 if match[1] in ("self", "mat1", "input") else 1
    known = _product(trace)
    if len(known) < 2 or len(known[which][1]) != 1:
        why = (
            f"torch.mm multiplies two matrices; its {('first', 'second')[which]} operand does not have two dimensions."
        )
        fix = "Give it two dimensions, for example with unsqueeze(), or use torch.matmul."
        return ErrorExplanation(why, fix, (), error_line(trace))
    (name, shape), (_, other) = known[which], known[1 - which]
    size = shape[0]
    meant = (1, size) if which == 0 else (size, 1)
    why = f"torch.mm multiplies two matrices, but its {('first', 'second')[which]} operand {name} has shape {shape}: "
    why += f"a vector of {size} elements, with one dimension."
    first, second = (meant, other) if which == 0 else (other, meant)
    result = ""
    if len(other) == 2 and first[1] == second[0]:
        result = f": {first} times {second} gives {(first[0], second[1])}"
    why += f" A {'row' if which == 0 else 'column'} of shape {meant} was meant{result}."
    fix = f"Make it {meant}{on_line(error_line(trace))}, for example with .unsqueeze({0 if which == 0 else 1})."
    return ErrorExplanation(why, fix, (), error_line(trace))


def _of_layer(trace: Trace, node: int, line: int) -> int:
    """What the linear layer was given whose call raised after it had transposed its weight, `node`; -1 if the error
    came from elsewhere, or this is not found."""
    site, statement = int(trace.steps.site[trace.errors.step[0]]), statement_at(trace, line)
    if node < 0 or statement is None or trace.nodes.op[node] != "t" or trace.nodes.site[node] != site:
        return -1
    calls = [each for each in ast.walk(statement) if isinstance(each, ast.Call) and each.args]
    return next((tensor_of(trace, each.args[0]) for each in calls if site in sites_of(trace, each)), -1)


def _layer_sizes(trace: Trace, given: int, node: int) -> ErrorExplanation:
    frame, line = trace.frame_at(len(trace)), error_line(trace)
    weight, name = int(trace.inputs_of(node)[0]), frame.name(given)
    layer, shape = frame.name(weight).removesuffix(".weight"), tuple(trace.tensors.shape[given])
    sizes = tuple(trace.tensors.shape[weight])
    why = f"{layer} takes rows of {sizes[1]} numbers, as its weight is {sizes}, but {name} is {shape}, with rows of "
    why += f"{shape[-1]}."
    fix = f"Make {layer} with {shape[-1]} input features, or change the size of {name}{on_line(line)}."
    maker = int(trace.tensors.producer[given])
    marks = [(node, f"takes rows of {sizes[1]}"), (maker, f"made rows of {shape[-1]}")]
    told = tuple(Mark(each, text, int(trace.nodes.step[each]) + 1) for each, text in marks if each >= 0)
    return ErrorExplanation(why, fix, told, line)


def _inner_sizes(trace: Trace, match: Match) -> ErrorExplanation | None:
    a, b = (int(match[1]), int(match[2])), (int(match[3]), int(match[4]))
    given = _of_layer(trace, node := len(trace.nodes) - 1, error_line(trace))
    if given >= 0 and trace.tensors.shape[given][-1:] == (a[1],):
        return _layer_sizes(trace, given, node)
    names = [name for name, _ in _product(trace)][:2]
    named = len(names) == 2
    left, right = names if named else ("the first operand", "the second operand")
    why = f"The inner sizes must be equal: {left} is {a}, with {a[1]} columns, but {right} is {b}, with {b[0]} rows."
    hints = []
    if a[1] == b[1]:
        hints.append(f"transpose the second ({right if named else ''}.t(): {a} times {b[::-1]} gives {(a[0], b[0])})")
    if a[0] == b[0]:
        hints.append(f"transpose the first ({left if named else ''}.t(): {a[::-1]} times {b} gives {(a[1], b[1])})")
    if a[0] == b[1]:
        hints.append(f"swap them ({b} times {a} gives {(b[0], a[1])})")
    fix = f"{', or '.join(hints) or 'Change one of the two sizes'}{on_line(error_line(trace))}."
    return ErrorExplanation(why, fix[0].upper() + fix[1:], (), error_line(trace))


def _broadcast(trace: Trace, match: Match) -> ErrorExplanation | None:
    a, b, dim = int(match[1]), int(match[2]), int(match[3])
    known = [(name, shape) for name, shape, _ in given(trace)]
    why = f"The two operands do not fit together: in dimension {dim} one has {a} elements and the other {b}."
    if len(known) == 2 and known[0][0] != known[1][0]:
        both = " and ".join(f"{name} is {shape}" for name, shape in known)
        why = f"{both}: they do not fit together, as dimension {dim} has {a} elements in one and {b} in the other."
    why += " Shapes are compared from the right; sizes must be equal, or one of them 1."
    fix = "Reshape one of them, or add a dimension of size 1 with unsqueeze()."
    return ErrorExplanation(why, fix, made(trace), error_line(trace))


def _gradient_shape(trace: Trace, match: Match) -> ErrorExplanation | None:
    line = error_line(trace)
    root = receiver(trace, line, "backward")
    name = trace.frame_at(len(trace)).name(root) if root >= 0 else "the root"
    given, wanted = _size(match[1]), _size(match[2])
    why = f"The gradient that was passed has shape {given}, but {name} has shape {wanted}: "
    why += "one weight is needed per element."
    return ErrorExplanation(why, f"Pass a gradient of shape {wanted}{on_line(line)}.", (), line)


def _size(text: str) -> _Shape:
    return tuple(int(number) for number in re.findall(r"\d+", text))


def _one_element(trace: Trace, match: Match) -> ErrorExplanation | None:
    why = f"A tensor of {match[1]} elements can't become one Python number."
    return ErrorExplanation(
        why, "Reduce it first, for example with .sum() or .mean(), or use .tolist().", (), error_line(trace)
    )


def _two_types(trace: Trace, match: Match) -> ErrorExplanation | None:
    largest = sorted(given(trace), key=lambda one: -math.prod(one[1]))  # the weight of a layer, not its bias
    of_type = {str(trace.tensors.dtype[tensor]): name for name, _, tensor in reversed(largest)}
    why = f"The operands of the product have different types, {match[1]} and {match[2]}"
    if len(of_type) == 2:
        why = f"{' and '.join(f'{name} is {dtype}' for dtype, name in of_type.items())}, which are different types"
    fix = "Convert one of them, for example with .float() or .double()."
    return ErrorExplanation(f"{why}; a product does not convert them.", fix, (), error_line(trace))


def _truth(trace: Trace, match: Match) -> ErrorExplanation | None:
    why = "A tensor of several elements is neither true nor false."
    return ErrorExplanation(why, "Use .any() or .all(), or compare with torch.equal().", (), error_line(trace))


def _assigned(trace: Trace, match: Match) -> ErrorExplanation | None:
    given, needed = (tuple(map(int, re.findall(r"\d+", text))) for text in match.groups())
    why = f"A .grad has the shape of its tensor, {needed}, but what is assigned has the shape {given}."
    return ErrorExplanation(why, f"Assign a gradient of shape {needed}.", (), error_line(trace))


SHAPE_ROWS: tuple[Row, ...] = (
    (r"assign a gradient of size '\[(.*?)\]' to a tensor of size '\[(.*?)\]'", _assigned),
    (
        r"size mismatch, got input \((\d+)\), mat \((\d+)x(\d+)\), vec \((\d+)\)",
        plain(
            "The matrix is ({1}, {2}), with {2} columns, so it multiplies vectors of {2} numbers; this one has {3}.",
            "Transpose the matrix, or change one of the two sizes.",
        ),
    ),
    (r"^(self|mat1|mat2|input) must be a matrix", _not_a_matrix),
    (r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)", _inner_sizes),
    (
        r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)",
        _broadcast,
    ),
    (
        r"Mismatch in shape: grad_output\[\d+\] has a shape of (\S.*?\)) and output\[\d+\] has a shape of (\S.*?\))",
        _gradient_shape,
    ),
    (r"a Tensor with (\d+) elements cannot be converted to Scalar", _one_element),
    (r"expected m1 and m2 to have the same dtype, but got: (\S+) != (\S+)", _two_types),
    (r"expected both vectors to have same dtype, but found (\S+) and (\S+)", _two_types),
    (r"mat1 and mat2 must have the same dtype, but got (\S+) and (\S+)", _two_types),
    (r"Boolean value of Tensor with more than one value is ambiguous", _truth),
)


_KEPT = ("sites", "values", "dims", "summaries", "operands")  # whole: nothing in them says when it was written
_COUNTED = {"inputs": ("node", "nodes"), "roots": ("call", "calls"), "wanted": ("call", "calls")}


def explain_error(trace: Trace) -> ErrorExplanation | None:
    """The explanation of the error that ended the run; None if there is no error or no row for it."""
    if not len(trace.errors):
        return None
    message = str(trace.errors.message[0])
    for pattern, row in (*GRAPH_ROWS, *SHAPE_ROWS, *USAGE_ROWS):
        match = re.search(pattern, message)
        if match:
            return _with_given(trace, row(trace, match), message)
    return _with_given(trace, None, message)


_ABOUT_SHAPES = re.compile(r"[Ss]ize|[Ss]hape|dim|channel|broadcast|element|bound|range|stride|matri|vector|\dD|embed")
_MOST_GIVEN = 3  # tensors whose shapes are told


def _with_given(trace: Trace, found: ErrorExplanation | None, message: str) -> ErrorExplanation | None:
    """The explanation with what the operation was given that raised, if it is about shapes and does not say that."""
    known = {name: shape for name, shape, _ in given(trace)} if _ABOUT_SHAPES.search(message) else {}
    if not known or (found is not None and (found.marks or any(name in found.why for name in known))):
        return found
    told = f"{listed([f'{name} is {shape}' for name, shape in [*known.items()][:_MOST_GIVEN]])}."
    if found is None:
        return ErrorExplanation(told, "", made(trace), error_line(trace))
    return replace(found, why=f"{found.why} {told}", marks=made(trace))


def explain_at(frame: Frame) -> ErrorExplanation | None:
    """The explanation of the error that is the current step, whether it ended the run or was caught."""
    step = frame.step
    if step is None or not step.is_error:
        return None
    return explain_error(frame.trace if step.kind == Kind.ERROR else as_ended(frame.trace, step.ref))


def error_sentence(frame: Frame) -> Said:
    """The error that ended the run."""
    errors = frame.trace.errors
    return said("error", text=_why_and_fix(frame, str(errors.type[0]), str(errors.message[0])))


def caught_sentence(frame: Frame) -> Said:
    """An error that the snippet caught."""
    caught, row = frame.trace.caught, int(frame.trace.steps.ref[frame.cursor - 1])
    return said("caught", text=full_stop(_why_and_fix(frame, str(caught.type[row]), str(caught.message[row]))))


def _why_and_fix(frame: Frame, kind: str, message: str) -> str:
    """The explanation of an error, or what Python prints of it, "KeyError: 'lr'"."""
    found = explain_at(frame)
    raised = f"{kind}: {message}".removesuffix(": ")
    return raised if found is None else f"{found.beside(raised)} {found.fix}".strip()


def as_ended(trace: Trace, row: int) -> Trace:
    """The trace as it would be if a caught error, a row of `caught`, had ended the run. The rows are shared."""
    made, caught = trace.as_now(), trace.caught
    step = int(caught.step[row])
    for name in TABLES:
        if name in _KEPT:
            continue
        table = getattr(made, name)
        column, until = _COUNTED.get(name, ("step", ""))
        if table is made.steps:  # its rows are the steps themselves
            made.steps = made.steps.first(step + 1)
        if column in vars(table):
            limit = len(getattr(made, until)) if until else step + 1
            setattr(made, name, table.first(int(np.searchsorted(getattr(table, column), limit))))
    line, kind = int(trace.steps.line[step]), caught.type[row]
    error = {"step": step, "type": kind, "message": caught.message[row], "line": line, "traceback": "", "last_line": ""}
    columns = {name: np.array([value], getattr(made.errors, name).dtype) for name, value in error.items()}
    made.errors = type(made.errors)()
    made.errors.append(columns, 1)
    return made
