"""Forty small graphs whose backward steps are compared with PyTorch's, in order: which node ran after which.

`graphs(torch)` gives functions by name; each returns its roots, or its roots and the keywords of the backward call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _leaves(torch: Any, count: int, shape: tuple[int, ...] = ()) -> list[Any]:
    return [(torch.ones(shape) * (0.5 + i / 4)).requires_grad_() for i in range(count)]


def _chain(torch: Any) -> Any:
    (x,) = _leaves(torch, 1)
    return x.exp().sin().tanh().sigmoid()


def _reference(torch: Any) -> Any:
    x = torch.tensor(2.0)
    w, b = _leaves(torch, 2)
    y = w * x + b
    return y * w


def _five_ops(torch: Any) -> Any:
    v, w = _leaves(torch, 2)
    a = v * 2
    c = w * 3
    d = a + c
    e = d * v
    return e + w


def _diamond(torch: Any) -> Any:
    (x,) = _leaves(torch, 1)
    h = x.exp()
    return h.sin() + h.cos()


def _older_first_operand(torch: Any) -> Any:
    x, y = _leaves(torch, 2)
    a, b = x.sin(), y.cos()
    return b * a


def _three_uses(torch: Any) -> Any:
    (x,) = _leaves(torch, 1)
    return x * x * x + x


def _ladder(torch: Any) -> Any:
    x, y = _leaves(torch, 2)
    for _ in range(4):
        x, y = x + y, x * y
    return x - y


def _fibonacci(torch: Any) -> Any:
    x, y = _leaves(torch, 2)
    for _ in range(6):
        x, y = y, x * y
    return y


def _tree(torch: Any) -> Any:
    row = _leaves(torch, 8)
    while len(row) > 1:
        row = [a * b for a, b in zip(row[::2], row[1::2], strict=True)]
    return row[0]


def _long_and_short(torch: Any) -> Any:
    x, y = _leaves(torch, 2)
    long = x.exp().exp().sin().cos()
    return long + y


def _short_then_long(torch: Any) -> Any:
    x, y = _leaves(torch, 2)
    short = y.exp()
    long = x.sin().cos().tanh()
    return short * long


def _late_leaf(torch: Any) -> Any:
    (x,) = _leaves(torch, 1)
    h = x * 2
    (b,) = _leaves(torch, 1)
    return h + b


def _dead_branch(torch: Any) -> Any:
    x, y = _leaves(torch, 2)
    unused = x.exp() * y
    return x * 2 + 0 * unused.detach()


def _stack(torch: Any) -> Any:
    parts = [leaf * (i + 1) for i, leaf in enumerate(_leaves(torch, 4))]
    return torch.stack(parts).sum()


def _cat(torch: Any) -> Any:
    x, y = _leaves(torch, 2, (3,))
    return torch.cat([y.exp(), x.sin(), y]).prod()


def _unbind(torch: Any) -> Any:
    (x,) = _leaves(torch, 1, (3,))
    a, b, c = x.unbind(0)
    return a * b + c.exp() * a


def _split(torch: Any) -> Any:
    (x,) = _leaves(torch, 1, (4,))
    a, b = x.chunk(2)
    return (b.exp() * a).sum()


def _index_twice(torch: Any) -> Any:
    (x,) = _leaves(torch, 1, (3, 3))
    return x[0, 1] * x[2].sum() + x[:, 0].prod()


def _broadcast(torch: Any) -> Any:
    x, y = _leaves(torch, 2, (2, 1))
    return (x + y.t()).mean()


def _views(torch: Any) -> Any:
    (x,) = _leaves(torch, 1, (2, 3))
    return x.t().reshape(6).view(3, 2).unsqueeze(0).sum()


def _matmul(torch: Any) -> Any:
    a, b, c = _leaves(torch, 3, (2, 2))
    return ((a @ b) @ c + a).sum()


def _mlp(torch: Any) -> Any:
    F = torch.nn.functional
    w1, w2 = _leaves(torch, 2, (2, 2))
    b1, b2 = _leaves(torch, 2, (2,))
    h = F.relu(F.linear(torch.ones(1, 2), w1, b1))
    return F.mse_loss(F.linear(h, w2, b2), torch.zeros(1, 2))


def _shared_weight(torch: Any) -> Any:
    F = torch.nn.functional
    (w,) = _leaves(torch, 1, (2, 2))
    h = torch.ones(1, 2)
    for _ in range(3):
        h = torch.tanh(F.linear(h, w))
    return h.sum()


def _recurrent(torch: Any) -> Any:
    wx, wh, b = _leaves(torch, 3)
    h = torch.zeros(())
    for step in range(4):
        h = torch.tanh(wx * step + wh * h + b)
    return h


def _cross_entropy(torch: Any) -> Any:
    (x,) = _leaves(torch, 1, (2, 3))
    return torch.nn.functional.cross_entropy(x * 2, torch.tensor([0, 2]))


def _softmax(torch: Any) -> Any:
    x, y = _leaves(torch, 2, (3,))
    return (x.softmax(0) * y.log_softmax(0)).sum()


def _max_dim(torch: Any) -> Any:
    x, y = _leaves(torch, 2, (2, 2))
    values, _ = (x * y).max(1)
    return values.sum() + x.max()


def _where(torch: Any) -> Any:
    x, y = _leaves(torch, 2, (3,))
    return torch.where(x > 0, x.sqrt(), y.exp()).sum()


def _residual(torch: Any) -> Any:
    (x,) = _leaves(torch, 1)
    for _ in range(3):
        x = x + torch.tanh(x)
    return x


def _in_place(torch: Any) -> Any:
    x, y = _leaves(torch, 2, (3,))
    h = x * 2
    h += y
    h.mul_(3)
    return h.sum()


def _written_view(torch: Any) -> Any:
    x, y = _leaves(torch, 2, (2, 2))
    h = x * 2
    h[0] = y[1]
    return (h * h).sum()


def _vector_root(torch: Any) -> Any:
    x, y = _leaves(torch, 2, (2,))
    return [x * y], {"grad_tensors": [torch.ones(2)]}


def _two_roots(torch: Any) -> Any:
    x, y = _leaves(torch, 2)
    return [x.exp() * y, (x * y).sin()], {}


def _root_inside_root(torch: Any) -> Any:
    (x,) = _leaves(torch, 1)
    a = x.exp()
    return [a.sin() * 2, a], {}


def _only_some_inputs(torch: Any) -> Any:
    x, y = _leaves(torch, 2)
    a, b = x * 2, y * 3
    return [(a + b).exp()], {"inputs": [x]}


def _input_inside(torch: Any) -> Any:
    x, y = _leaves(torch, 2)
    h = x * y
    return [h.exp() + h], {"inputs": [h]}


def _retain_graph(torch: Any) -> Any:
    x, y = _leaves(torch, 2)
    return [(x * y).exp() + x], {"retain_graph": True}


def _constants(torch: Any) -> Any:
    (x,) = _leaves(torch, 1)
    c = torch.ones(())
    return (c * 2 + x) * (c + 1) * 3 + c


def _detached(torch: Any) -> Any:
    x, y = _leaves(torch, 2)
    h = x * y
    return h.detach() * x + y.exp()


def _two_trunks(torch: Any) -> Any:
    x, y = _leaves(torch, 2)
    trunk = (x * y).tanh()
    head_a = trunk * x
    head_b = (trunk + y).exp()
    return head_b - head_a + trunk


def _conv(torch: Any) -> Any:
    F = torch.nn.functional
    (w,) = _leaves(torch, 1, (1, 1, 2, 2))
    (b,) = _leaves(torch, 1, (1,))
    return F.max_pool2d(F.relu(F.conv2d(torch.ones(1, 1, 3, 3), w, b)), 2).sum()


BUILDERS: tuple[Callable[[Any], Any], ...] = (
    _chain, _reference, _five_ops, _diamond, _older_first_operand, _three_uses, _ladder, _fibonacci, _tree,
    _long_and_short, _short_then_long, _late_leaf, _dead_branch, _stack, _cat, _unbind, _split, _index_twice,
    _broadcast, _views, _matmul, _mlp, _shared_weight, _recurrent, _cross_entropy, _softmax, _max_dim, _where,
    _residual, _in_place, _written_view, _vector_root, _two_roots, _root_inside_root, _only_some_inputs,
    _input_inside, _retain_graph, _constants, _detached, _two_trunks, _conv,
)  # fmt: skip


def graphs(torch: Any) -> dict[str, Callable[[Any], Any]]:
    """The builders by name."""
    return {build.__name__.removeprefix("_"): build for build in BUILDERS}


def observe(torch: Any, build: Callable[[Any], Any]) -> dict[str, Any]:
    """The nodes of one graph (nearest to the roots first) and the places in that list of those that ran, in order."""
    from tests.engine.record_ops import graph, walk

    built = build(torch)
    roots, keywords = built if isinstance(built, tuple) else ([built], {})
    nodes = walk([root.grad_fn for root in roots])
    ran: list[int] = []
    for place, node in enumerate(nodes):
        node.register_prehook(lambda gradients, place=place: ran.append(place))
    torch.autograd.backward(roots, **keywords)
    return {"graph": graph(nodes), "ran": ran, "names": [nodes[i].name() for i in ran]}
