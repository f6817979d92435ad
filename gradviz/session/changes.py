"""When a tensor or an operation changed: its value, version, .grad, flags, input buffer; its forward, backward and
freeing. Pure: steps of the trace, for "last step that changed this" and the next one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradviz.session.columns import place
from gradviz.session.groups import as_operation
from gradviz.session.state import Selection

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.trace import Trace

TENSOR_TABLES = ("writes", "grads", "flags", "arrivals")


def last_change(trace: Trace, thing: Selection, cursor: int) -> int | None:
    """The last cursor before `cursor` at which it had just changed, None if it never had."""

    steps = changes(trace, thing)
    at = place(steps, cursor - 1) - 1
    return int(steps[at]) + 1 if at >= 0 else None


def next_change(trace: Trace, thing: Selection, cursor: int) -> int | None:
    """The first cursor after `cursor` at which it has just changed, None if it will not."""

    steps = changes(trace, thing)
    at = place(steps, cursor)
    return int(steps[at]) + 1 if at < len(steps) else None


def changes(trace: Trace, thing: Selection) -> NDArray[Any]:
    """The steps that changed it, ascending; that which made it is the first."""
    import numpy as np

    thing = as_operation(trace, thing)
    found = _of_tensor(trace, thing.index) if thing.kind == "tensor" else _of_node(trace, thing.index)
    steps = np.unique(np.concatenate(found))
    return steps[(steps >= 0) & (steps < len(trace))]


def _of_tensor(trace: Trace, tensor: int) -> list[NDArray[Any]]:
    made = trace.tensors.step[tensor : tensor + 1]
    return [made, *(getattr(trace, name).step[trace.history(name, "tensor").all(tensor)] for name in TENSOR_TABLES)]


def _of_node(trace: Trace, node: int) -> list[NDArray[Any]]:
    import numpy as np

    from gradviz.trace.table.tables import span

    low, high = span(trace.saved.node, node, node + 1)
    storages = np.unique(trace.saved.storage[low:high]).tolist()
    written = [trace.versions.step[trace.history("versions", "storage").all(storage)] for storage in storages]
    since = int(trace.nodes.step[node])
    return [
        np.array([since]),
        trace.history("steps", "node").all(node),
        *(steps[steps > since] for steps in written),
    ]
