"""Operations of one tensor on odd inputs: a scalar, no elements, one element, transposed, expanded, with strides.

What is compared: values, shape, dtype and strides of the results, the names of their `grad_fn`, the gradient, or the
error. The operations are those of `op_cases.py` that take one differentiable input and no other.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from tests.engine.op_cases import Case, cases
from tests.engine.record_ops import described, weights

# Random, or made for one shape only.
NOT_THESE = ("rrelu", "gumbel", "dropout", "as_strided", "lstm", "written", "unfold", "fold", "create_graph", "empty")


def inputs(torch: Any) -> dict[str, Callable[[], Any]]:
    """Odd tensors by name, made anew for each use."""

    def plain(*shape: int) -> Any:
        count = 1
        for n in shape:
            count *= n
        return torch.tensor([(7 * i % 5 + 1) / 4 for i in range(count)]).reshape(shape)

    return {
        "scalar": lambda: plain(),
        "one": lambda: plain(1),
        "none": lambda: plain(0),
        "no_rows": lambda: plain(0, 3),
        "no_columns": lambda: plain(2, 0),
        "transposed": lambda: plain(3, 2).t(),
        "expanded": lambda: plain(3).expand(2, 3),
        "strided": lambda: plain(4, 6)[::2, ::2],
        "integers": lambda: torch.tensor([[1, 2, 0], [3, 1, 2]]),
        "booleans": lambda: torch.tensor([[True, False, True], [False, False, True]]),
    }


def subjects(torch: Any) -> dict[str, Case]:
    """The operations of one tensor."""
    found = {}
    for name, case in cases(torch).items():
        if len(case.inputs) == 1 and case.inputs[0].differentiable and not any(part in name for part in NOT_THESE):
            found[name] = case
    return found


def observe(torch: Any, run: Callable[..., Any], make: Callable[[], Any]) -> Any:
    """What comes out for one input, or the error."""
    x = make()
    if x.dtype.is_floating_point:
        x = x.detach().requires_grad_()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = run(x)
            outputs = list(result) if isinstance(result, tuple | list) else [result]
            seen: dict[str, Any] = {
                "outputs": [described(o) for o in outputs],
                "strides": [list(o.stride()) for o in outputs],
                "grad_fn": [None if o.grad_fn is None else type(o.grad_fn).__name__ for o in outputs],
            }
            tracked = [o for o in outputs if o.requires_grad]
            if tracked:
                (found,) = torch.autograd.grad(tracked, [x], [weights(torch, o) for o in tracked], allow_unused=True)
                seen["gradient"] = described(found)
    except Exception as error:  # noqa: BLE001 every error is a result here
        return f"{type(error).__name__}: {error}"
    return seen


def observe_all(torch: Any) -> dict[str, dict[str, Any]]:
    """Every operation on every odd input."""
    made = inputs(torch)
    return {
        name: {kind: observe(torch, case.run, make) for kind, make in made.items()}
        for name, case in subjects(torch).items()
    }
