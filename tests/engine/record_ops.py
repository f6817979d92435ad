"""Record what real PyTorch does with every row of `op_cases`, `order_graphs`, `wrong_calls` and `promotion`.

Run it with a Python that has torch 2.13.0: `python tests/engine/record_ops.py [ops|order|errors|promotion]...`
With `new` beside `ops` only the cases that are not recorded yet are run, and what has no case any more goes away.
`observe_case` is what the tests call over our own torch, so both sides are looked at in the same way.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.engine import order_graphs, promotion, record_saved, wrong_calls
from tests.engine.op_cases import Case, cases

GOLDEN = Path(__file__).parent / "golden"
EXPECTED = "2.13.0"
DTYPES = ("float64", "float32")


def number(value: Any) -> Any:
    """A number that JSON can hold: nan and infinities as text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return [value.real, value.imag] if isinstance(value, complex) else value


def described(tensor: Any) -> Any:
    """dtype, shape and the numbers of one tensor, or None."""
    if tensor is None:
        return None
    if getattr(tensor, "_is_zerotensor", bool)():  # PyTorch's zeros without memory
        return {"dtype": str(tensor.dtype), "shape": list(tensor.shape), "values": [0.0] * tensor.numel()}
    flat = tensor.detach().reshape(-1)
    values = (flat.float() if str(tensor.dtype) in ("torch.bfloat16", "torch.float16") else flat).tolist()
    return {"dtype": str(tensor.dtype), "shape": list(tensor.shape), "values": [number(v) for v in values]}


def walk(roots: list[Any]) -> list[Any]:
    """Every node from `roots`, nearest first: [name, [[index of the next node or None, its input number], ...]]."""
    nodes: list[Any] = []
    for node in roots:
        if node is not None and not any(node is seen for seen in nodes):
            nodes.append(node)
    at = 0
    while at < len(nodes):
        for following, _ in nodes[at].next_functions:
            if following is not None and not any(following is seen for seen in nodes):
                nodes.append(following)
        at += 1
    return nodes


def graph(nodes: list[Any]) -> list[Any]:
    """The names and edges of `nodes`."""
    place = {id(node): i for i, node in enumerate(nodes)}
    edges = [[[None if n is None else place[id(n)], nr] for n, nr in node.next_functions] for node in nodes]
    return [[node.name(), following] for node, following in zip(nodes, edges, strict=True)]


def saved_tensors(torch: Any, node: Any) -> list[str]:
    """The names of the tensors among the `_saved_*` attributes of a node."""
    names = []
    for name in dir(node):
        if name.startswith("_saved_"):
            value = getattr(node, name)
            several = value if isinstance(value, tuple | list) else (value,)
            if any(isinstance(one, torch.Tensor) for one in several):
                names.append(name.removeprefix("_saved_"))
    return sorted(names)


def weights(torch: Any, tensor: Any) -> Any:
    """Weights for each element of an output, none equal, in the shape and dtype of the tensor."""
    count = max(tensor.numel(), 1)
    flat = [((7 * i) % 11 - 4) / 8 for i in range(count)]
    return torch.tensor(flat[: tensor.numel()], dtype=torch.float64).reshape(tuple(tensor.shape)).to(tensor.dtype)


def gradients(torch: Any, outputs: list[Any], inputs: list[Any], create_graph: bool) -> list[Any]:
    """Gradients of the weighted outputs; None for inputs that are not reached."""
    if not outputs or not inputs:
        return [None] * len(inputs)
    ws = [weights(torch, o) for o in outputs]
    return list(torch.autograd.grad(outputs, inputs, ws, create_graph=create_graph, allow_unused=True))


def fed(torch: Any, case: Case, dtype: str) -> list[Any]:
    """The inputs of a case as tensors."""
    inputs = []
    for feed, values in zip(case.inputs, case.values(), strict=True):
        kind = None if feed.kind in ("index", "mask") else getattr(torch, dtype)
        inputs.append(torch.tensor(values, dtype=kind, requires_grad=feed.differentiable))
    return inputs


def observe_case(torch: Any, case: Case, dtype: str) -> dict[str, Any]:
    """Run one case in one precision and say everything that is compared."""
    inputs = fed(torch, case, dtype)
    wanted = [t for t in inputs if t.requires_grad]
    result = case.run(*inputs)
    outputs = list(result) if isinstance(result, tuple | list) else [result]
    tracked = [o for o in outputs if o.requires_grad]
    nodes = walk([o.grad_fn for o in tracked])
    seen: dict[str, Any] = {
        "inputs": case.values(),
        "outputs": [described(o) for o in outputs],
        "grad_fn": [None if o.grad_fn is None else type(o.grad_fn).__name__ for o in outputs],
        "output_nr": [o.output_nr for o in outputs],
        "graph": graph(nodes),
        "saved": [saved_tensors(torch, node) for node in nodes],
    }
    try:
        first = gradients(torch, tracked, wanted, create_graph=True)
        seen["first"] = [described(g) for g in first]
        seen["first_grad_fn"] = [None if g is None or g.grad_fn is None else type(g.grad_fn).__name__ for g in first]
        again = [g for g in first if g is not None and g.requires_grad]
        seen["second"] = [described(g) for g in gradients(torch, again, wanted, create_graph=False)]
    except RuntimeError as error:
        seen["second"] = f"{type(error).__name__}: {error}"
    seen["survives"] = survives(torch, case, dtype)
    return seen


def survives(torch: Any, case: Case, dtype: str) -> bool | None:
    """Whether the graph can be walked a second time after an ordinary backward; None when there is no graph."""
    result = case.run(*fed(torch, case, dtype))
    tracked = [o for o in (result if isinstance(result, tuple | list) else [result]) if o.requires_grad]
    if not tracked:
        return None
    ws = [weights(torch, o) for o in tracked]
    torch.autograd.backward(tracked, ws)
    try:
        torch.autograd.backward(tracked, ws)
    except RuntimeError:
        return False
    return True


def write(name: str, data: Any) -> None:
    """One file, one line per entry, so that a change can be read in a diff."""
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in data.items()]
    text = "{\n" + ",\n".join([f'"torch": "{EXPECTED}"', *lines]) + "\n}\n"
    (GOLDEN / f"{name}.json").write_text(text, encoding="utf-8")


def recorded(name: str) -> dict[str, Any]:
    """What a file of golden data holds."""
    data: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    return data


def main(wanted: list[str]) -> None:
    import torch

    assert torch.__version__.startswith(EXPECTED), f"this is torch {torch.__version__}, not {EXPECTED}"
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    GOLDEN.mkdir(exist_ok=True)
    if not wanted or "ops" in wanted:
        for dtype in DTYPES:
            known = recorded(f"ops_{dtype}") if "new" in wanted else {}
            every = cases(torch).items()
            write(f"ops_{dtype}", {name: known.get(name) or observe_case(torch, case, dtype) for name, case in every})
        record_saved.main()
    if not wanted or "order" in wanted:
        write("order", {name: order_graphs.observe(torch, build) for name, build in order_graphs.graphs(torch).items()})
    if not wanted or "errors" in wanted:
        write("errors", {name: wrong_calls.observe(call) for name, call in wrong_calls.calls(torch).items()})
    if not wanted or "promotion" in wanted:
        write("promotion", promotion.observe(torch))


if __name__ == "__main__":
    main(sys.argv[1:])
