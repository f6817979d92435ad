"""The graph at a cursor for other programs: JSON as networkx reads it (node-link), GraphML, and DOT for Graphviz.
Tensors and operations are nodes; edges go from an argument to the operation and on to its result, as data flows. An
argument that is read twice has two edges; each states the gradient that went back along it."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.trace.table.trace import elsewhere_at
from gradviz.trace.words.jsonable import value_json

if TYPE_CHECKING:
    from networkx import MultiDiGraph

    from gradviz.trace.table.frame import Frame

LONGEST = 60  # characters of a value beside a name
FILLS = {"leaf": "#dcf3ea", "constant": "#eef0f4", "intermediate": "#e6e9ef"}  # of tensors in DOT


def graph_of(frame: Frame) -> MultiDiGraph[str]:
    """Return everything created up to the cursor."""
    import networkx

    graph: MultiDiGraph[str] = networkx.MultiDiGraph(step=frame.cursor, source=frame.trace.source)
    for tensor in np.flatnonzero(frame.tensor_created).tolist():
        graph.add_node(f"t{tensor}", **_tensor(frame, tensor))
    inputs = frame.trace.inputs
    for node in np.flatnonzero(frame.node_created).tolist():
        graph.add_node(f"n{node}", **_operation(frame, node))
        for number, tensor in enumerate(frame.trace.outputs_of(node).tolist()):
            graph.add_edge(f"n{node}", f"t{tensor}", output=number)
    created, flows = frame.node_created, frame.trace.history("flows", "input")
    for row in np.flatnonzero(created[inputs.node]).tolist():
        sent = flows.last(row, frame.cursor)
        graph.add_edge(
            f"t{int(inputs.tensor[row])}",
            f"n{int(inputs.node[row])}",
            slot=int(inputs.slot[row]),
            grad=value_json(frame.trace.value(frame.trace.flows.value[sent])) if sent >= 0 else None,
        )
    return graph


def _tensor(frame: Frame, tensor: int) -> dict[str, Any]:
    table, passing = frame.trace.tensors, frame.passing(tensor)
    leaf = "leaf" if frame.requires_grad(tensor) else "constant"
    found: dict[str, Any] = {
        "kind": leaf if frame.is_leaf(tensor) else "intermediate",
        "label": frame.name(tensor),
        "shape": [int(size) for size in table.shape[tensor]],
        "dtype": str(table.dtype[tensor]),
        "requires_grad": bool(frame.requires_grad(tensor)),
        "value": value_json(frame.value(tensor)),
        "grad": value_json(frame.grad(tensor)),
    }
    if passing is not None and not frame.is_leaf(tensor):
        found["passing"] = value_json(passing)
    return found


def _operation(frame: Frame, node: int) -> dict[str, Any]:
    nodes, row = frame.trace.nodes, elsewhere_at(frame.trace, int(frame.trace.nodes.site[node]))
    inner, files = frame.trace.elsewhere, frame.trace.files
    return {
        "kind": "operation",
        "label": str(nodes.name[node] or nodes.op[node]),
        "op": str(nodes.op[node]),
        "line": int(inner.line[row] if row >= 0 else nodes.line[node]),
        "file": str(files.name[inner.file[row]]) if row >= 0 else "",
        "module": str(nodes.scope[node]),
        "ran_backward": bool(frame.node_ran[node]),
        "saved": [{"name": one.name, "state": one.state} for one in frame.saved(node)],
    }


def json_bytes(frame: Frame) -> bytes:
    """Return JSON from which `networkx.node_link_graph(json.load(file), edges="edges")` restores the graph."""
    import networkx

    data = networkx.node_link_data(graph_of(frame), edges="edges")
    return json.dumps(data, indent=1, allow_nan=False).encode()


def plain_graph(frame: Frame) -> MultiDiGraph[str]:
    """Return the graph with attributes that are numbers and texts, as in GraphML; lists become JSON."""
    import networkx

    plain: MultiDiGraph[str] = networkx.MultiDiGraph()
    graph = graph_of(frame)
    for name, data in graph.nodes(data=True):
        plain.add_node(name, **_flat(data))
    for tail, head, data in graph.edges(data=True):
        plain.add_edge(tail, head, **_flat(data))
    return plain


def graphml_bytes(frame: Frame) -> bytes:
    """Return GraphML for Gephi, yEd and others."""
    import networkx

    buffer = BytesIO()
    networkx.write_graphml_xml(plain_graph(frame), buffer)
    return buffer.getvalue()


def _flat(data: dict[str, Any]) -> dict[str, Any]:
    texts = {key: value if isinstance(value, str | bool | int) else json.dumps(value) for key, value in data.items()}
    return {key: _visible(value) if isinstance(value, str) else value for key, value in texts.items()}


def _visible(text: str) -> str:
    """Return the text without characters that XML does not allow."""
    return "".join(sign if sign.isprintable() or sign == "\n" else "\ufffd" for sign in text)


def dot_bytes(frame: Frame) -> bytes:
    """Return DOT for `dot -Tsvg`: tensors are boxes with their value and gradient, operations are ellipses."""
    lines = ["digraph gradviz {", '  rankdir=LR; node [fontname="Helvetica"];']
    graph = graph_of(frame)
    for name, data in graph.nodes(data=True):
        if data["kind"] == "operation":
            lines.append(f"  {name} [label={_quoted(data['label'])}];")
            continue
        tensor = int(name[1:])
        words = [data["label"], _brief(frame.value(tensor))]
        grad = frame.grad(tensor)
        words += [f"grad {_brief(grad)}"] if grad is not None else []
        fill = FILLS[data["kind"]]
        lines.append(f'  {name} [shape=box, style=filled, fillcolor="{fill}", label={_quoted(*words)}];')
    lines += [f"  {tail} -> {head};" for tail, head in graph.edges()]
    return "\n".join([*lines, "}\n"]).encode()


def _brief(value: Any) -> str:
    return "None" if value is None else str(value.text(LONGEST))


def _quoted(*lines: str) -> str:
    """Quote a label of several lines; Graphviz interprets backslashes and quotation marks."""
    escaped = (_visible(line).replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") for line in lines)
    return '"' + "\\n".join(escaped) + '"'
