"""A drawing: a graph that the user builds by hand, as frozen records. It does not know its code (`code` writes and
reads that; `documents.text_of` is the PyTorch code that runs), the changes that can be made to it (`shaping`), its file
(`gradviz_file`) or what it looks like. What can be placed is in `catalogue`.

Note [Numbers of nodes] A number is used once in the life of a drawing and never again, so that a wire, a selection or a
group that still refers to a deleted node can't come to mean another one."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

Literal = None | bool | int | float | complex | str | tuple["Literal", ...]  # what a number, a list, an argument may be


@dataclass(frozen=True)
class Ref:
    """An output of a node, where a wire begins."""

    node: int
    output: int = 0


@dataclass(frozen=True)
class Number:
    """A plain Python number at a port, such as the 2 in `x ** 2`: neither a tensor nor a node."""

    value: bool | int | float | complex


Operand = Ref | Number | None  # None: nothing is connected


@dataclass(frozen=True)
class Leaf:
    """A tensor that is written down, not computed. `maker` is "tensor" (`data` is a number or nested tuples of numbers)
    or the name of a factory such as "randn", "zeros", "arange" (`data` are its positional arguments, (2, 3) for a
    shape). `seed` is that of a random factory, None to continue the random numbers of the one before. `dtype` is
    "float64" and the like, "" for PyTorch's default. `slider` is the range of a scalar's slider, once one was set."""

    id: int
    name: str
    data: Literal = 0.0
    maker: str = "tensor"
    seed: int | None = None
    dtype: str = ""
    requires_grad: bool = False
    slider: tuple[float, float] | None = None
    x: float = 0.0
    y: float = 0.0
    pinned: bool = False  # the automatic layout does not move it
    extra: str = ""  # JSON that a newer version has written, to be kept


@dataclass(frozen=True)
class Operation:
    """A call of an operation. `op` is its key in the catalogue ("mul", "nn.functional.linear", "Tensor.view"); `inputs`
    has one operand per port (any number if its only port is variadic); `params` are the arguments that differ from
    their default, in the order of the signature; `names` are those of its outputs, () if it is written in place where
    it is used."""

    id: int
    op: str
    inputs: tuple[Operand, ...] = ()
    params: tuple[tuple[str, Literal], ...] = ()
    names: tuple[str, ...] = ()
    x: float = 0.0
    y: float = 0.0
    pinned: bool = False
    extra: str = ""


Node = Leaf | Operation


def names_in_place(op: str) -> bool:
    """Whether this names an in-place method: "add_"."""
    return op.endswith("_") and op[-2:] != "__"


def in_place(node: Node) -> bool:
    """Whether a node is an in-place method, which needs no name: its result is what it has changed."""
    return isinstance(node, Operation) and names_in_place(node.op)


@dataclass(frozen=True)
class Comment:
    """A box with text behind the nodes."""

    id: int
    text: str
    x: float = 0.0
    y: float = 0.0
    width: float = 200.0
    height: float = 120.0
    extra: str = ""


@dataclass(frozen=True)
class Group:
    """Some nodes with a title; closed, they are one box. A node is in at most one group."""

    id: int
    title: str
    members: frozenset[int] = frozenset()
    closed: bool = False
    extra: str = ""


@dataclass(frozen=True)
class BackwardCall:
    """`root.backward(...)` after the forward pass; several run in order. `gradient` is None or numbers of the root's
    shape; `retain_graph` None is PyTorch's default; `inputs` are numbers of leaves, None for all of them."""

    root: Ref
    gradient: Literal = None
    retain_graph: bool | None = None
    create_graph: bool = False
    inputs: tuple[int, ...] | None = None
    extra: str = ""


@dataclass(frozen=True)
class Drawing:
    """A complete drawing. Nodes are in the order of creation; `next_id` is the next free number, for nodes, comments
    and groups alike. x and y are positions in the world of the canvas, in pixels at 100 %: the centre of a leaf's card
    or of an operation's circle, the top left corner of a comment; the result of an operation is to its right."""

    nodes: tuple[Node, ...] = ()
    comments: tuple[Comment, ...] = ()
    groups: tuple[Group, ...] = ()
    calls: tuple[BackwardCall, ...] = ()
    next_id: int = 1
    extra: str = ""
    newline: str = field(default="\n", compare=False)  # for the Python file that its code is saved as

    @cached_property
    def by_id(self) -> dict[int, Node]:
        """Return the nodes by number."""
        return {node.id: node for node in self.nodes}

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing on it."""
        return not (self.nodes or self.comments)
