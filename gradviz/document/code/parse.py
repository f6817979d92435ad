"""From PyTorch code to a drawing: the straight-line part of Python that a drawing can say. Nothing is ever run. How
lines and expressions are read is in `statements` and `expressions`, how nodes are found again in the drawing that was
in `recognition`; `emit` is the way back."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

from gradviz.document.arranging import arrange
from gradviz.document.code.recognition import recognise
from gradviz.document.code.scope import Named, Scope, give_names
from gradviz.document.code.source import code_of
from gradviz.document.code.statements import read as read_lines
from gradviz.document.drawing import Drawing, Leaf, Ref
from gradviz.document.errors import UserError
from gradviz.document.shaping.names import tidy
from gradviz.document.snippet import MAX_BYTES, too_big

OWN_COMMENT = "# not yet: "  # those of a drawing itself, which say what can't run yet
NAMED_COMMENTS = 3  # lines with others that are named


@dataclass(frozen=True)
class Reading:
    """A drawing and, in sentences, the lines of its code that it does not have: those that print, comments."""

    drawing: Drawing
    passed_over: tuple[str, ...] = ()


def parse(text: str, like: Drawing | None = None) -> Drawing:
    """The drawing of this code; what is the same in `like` keeps its number and its place there. Raises UserError, with
    the line, for what can't be drawn."""
    return read(text, like).drawing


def read(text: str, like: Drawing | None = None) -> Reading:
    """As `parse`, and what was passed over."""
    if like is not None and text == code_of(like).text:
        return Reading(like)
    scope = _scope()
    read_lines(scope, _tree(text).body)
    drawing = _drawing(scope)
    comments = _comments(text)
    passed_over = (*scope.passed_over, comments) if comments else tuple(scope.passed_over)
    if like is not None:
        return Reading(recognise(drawing, text, like), passed_over)
    return Reading(arrange(drawing), passed_over)


def parse_expression(text: str, known: Mapping[str, Ref]) -> Drawing:
    """The nodes of an expression such as `w*x + b`. It may speak of what is `known`, whose nodes are not in the result;
    other names become new leaves, which require grad."""
    scope = _more(known)
    scope.invents = True
    try:
        body = _tree(f"({text.strip()}\n)").body
        if len(body) != 1 or not isinstance(body[0], ast.Expr):
            raise UserError("Type one expression, such as w*x + b.")
        read_lines(scope, body)
    except UserError as error:
        sentence = str(error).partition(": ")[2] if str(error).startswith("Line ") else str(error)
        raise UserError(sentence[:1].upper() + sentence[1:]) from error
    if not scope.nodes:
        raise UserError("Type an expression with a tensor in it, such as w*x + b.")
    return arrange(_drawing(scope))


def parse_more(text: str, known: Mapping[str, Ref]) -> Reading:
    """As `read`, for lines that may go on with what is `known`, whose nodes are not in the result; nor are backward
    calls from there."""
    scope = _more(known)
    read_lines(scope, _tree(text).body)
    new = scope.nodes.keys()
    scope.calls = [call for call in scope.calls if {call.root.node, *(call.inputs or ())} <= new]
    comments = _comments(text)
    return Reading(arrange(_drawing(scope)), (*scope.passed_over, *([comments] if comments else [])))


def _more(known: Mapping[str, Ref]) -> Scope:
    scope = _scope()
    scope.next_id = max((ref.node for ref in known.values()), default=0) + 1
    scope.values |= known
    return scope


def _scope() -> Scope:
    """What code may speak of without an import, too."""
    return Scope(values={"torch": Named(""), "F": Named("nn.functional"), "nn": Named("nn"), "math": Named("math")})


def _tree(text: str) -> ast.Module:
    if len(text) > MAX_BYTES:
        raise UserError(too_big("This code", len(text)))
    if "\0" in text:
        raise UserError("This is no text: it has null bytes in it. Paste the code again.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        reason = "a number is too large" if "int" in error.msg and "limit" in error.msg else error.msg
        raise UserError(f"Line {error.lineno or 1}: Python can't read this: {reason}.") from error
    except UnicodeError as error:
        raise UserError("This is no text: it has broken characters in it. Paste the code again.") from error
    except (ValueError, MemoryError, RecursionError, OverflowError) as error:
        raise UserError("This code is nested too deep to be drawn. Give parts of it names of their own.") from error


def _drawing(scope: Scope) -> Drawing:
    """The nodes that were read, with their names."""
    for id in scope.asides:
        if not scope.uses[id] and not any(id in (call.inputs or ()) for call in scope.calls):
            leaf = scope.nodes[id]
            if isinstance(leaf, Leaf) and not leaf.requires_grad:
                del scope.nodes[id]
    give_names(scope)
    drawing = Drawing(tuple(scope.nodes.values()), calls=tuple(scope.calls), next_id=scope.next_id)
    return tidy(drawing)


def _comments(text: str) -> str:
    """Which lines have a comment that a drawing will not have; "" for none."""
    lines = _commented_lines(text)
    if not lines:
        return ""
    if len(lines) == 1:
        return f"Line {lines[0]}: a comment is no part of a drawing."
    named = [str(line) for line in lines[:NAMED_COMMENTS]]
    last = f"{len(lines) - NAMED_COMMENTS} more" if len(lines) > NAMED_COMMENTS else named.pop()
    return f"Lines {', '.join(named)} and {last}: comments are no part of a drawing."


def _commented_lines(text: str) -> list[int]:
    """The lines with a comment, from 1; of code that Python can read."""
    if all(line.startswith(OWN_COMMENT) for line in text.splitlines() if "#" in line):
        return []
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT and not token.string.startswith(OWN_COMMENT):
                found.append(token.start[0])
    except (tokenize.TokenError, SyntaxError):
        return found
    return found
