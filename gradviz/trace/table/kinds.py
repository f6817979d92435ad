"""The kinds of steps: the smallest things that the engine does and a person should see. `schema.py` has the tables
that hold them."""

from __future__ import annotations

from enum import IntEnum


class Kind(IntEnum):
    """What one step is."""

    LEAF = 0  # a factory made a tensor
    FORWARD = 1  # an operation ran
    INPLACE = 2  # an operation overwrote a tensor
    BACKWARD_CALL = 3  # backward() or autograd.grad() begins
    BACKWARD = 4  # one grad_fn ran
    CONTRIBUTION = 5  # one of several gradients arrived at an input buffer
    ACCUMULATE = 6  # AccumulateGrad wrote a .grad
    FREE = 7  # one node's saved buffers were freed
    HOOK = 8  # a hook was called
    CLEAR_GRAD = 9  # a .grad was set to None or to zeros
    OPTIMIZER = 10  # an optimizer updated its parameters
    PRINT = 11  # text was printed
    WARNING = 12  # a warning was shown
    ERROR = 13  # the snippet raised
    CAUGHT = 14  # PyTorch raised, and the snippet caught it
    COLLECTIVE = 15  # the processes of a job exchanged something
    GAP = 16  # iterations ran that were not recorded


TABLE_OF_KIND: dict[Kind, str] = {
    Kind.LEAF: "tensors",
    Kind.FORWARD: "nodes",
    Kind.INPLACE: "nodes",
    Kind.BACKWARD_CALL: "calls",
    Kind.BACKWARD: "nodes",
    Kind.CONTRIBUTION: "arrivals",
    Kind.ACCUMULATE: "grads",
    Kind.FREE: "frees",
    Kind.HOOK: "hooks",
    Kind.CLEAR_GRAD: "grads",
    Kind.OPTIMIZER: "optimizers",
    Kind.PRINT: "texts",
    Kind.WARNING: "texts",
    Kind.ERROR: "errors",
    Kind.CAUGHT: "caught",
    Kind.COLLECTIVE: "collectives",
    Kind.GAP: "gaps",
}
