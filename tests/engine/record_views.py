"""Record what PyTorch does in random programs of views and writes: `python tests/engine/record_views.py`, with torch
2.13.0 installed. Each program is made from its number; what is recorded are the errors of its lines, then version,
shape, strides, base, history and numbers of each tensor, and the gradients of the leaves."""

from __future__ import annotations

import json
import random
import sys
import warnings
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

GOLDEN = Path(__file__).parent / "golden" / "views.json"
COUNT = 900
WIDE = 400  # from this number on programs have these views and writes too, and all strides and offsets are recorded
WIDER = 700  # from this number on they begin with three dimensions and have these, too
VIEWS = """
{a}[0]
{a}[-1]
{a}[:1]
{a}[1:]
{a}[..., 0]
{a}[:, :1]
{a}[::2]
{a}.t()
{a}.transpose(0, -1)
{a}.view(-1)
{a}.reshape(-1)
{a}.unsqueeze(0)
{a}.squeeze()
{a}.expand(2, *{a}.shape)
{a}.detach()
{a}.narrow(0, 0, 1)
{a}.select(0, 0)
{a}.diagonal()
{a}.flatten()
{a}.unbind(0)[0]
{a}.split(1)[0]
{a}.chunk(2)[0]
{a}.view_as({a})
{a}.mT
{a}.unfold(0, 1, 1)
{a}[None]
{a}.real
{a}.swapaxes(0, -1)
{a}.movedim(0, -1)
{a}.data
""".strip().splitlines()
WIDE_VIEWS = """
{a}[1:1]
{a}[2:]
{a}[..., None]
{a}[:, -1:]
{a}.narrow(-1, 1, 0)
{a}.tensor_split(3, -1)[-1]
{a}.split([1, 1], 0)[1]
{a}.permute(*reversed(range({a}.dim())))
{a}.view(-1, 1)
{a}.view(1, -1)
{a}.unflatten(-1, (-1, 1))
{a}.unsqueeze(-1)
{a}.as_strided((2, 1), (1, 2))
{a}.expand_as(torch.empty(1, 2, *{a}.shape))
torch.view_as_complex({a}.unflatten(-1, (-1, 2)))
torch.view_as_complex({a}.unflatten(-1, (-1, 2))).view(-1)
{a}.double()
{a}.clone()
torch.empty_like({a}).copy_({a})
""".strip().splitlines()
WIDE_WRITES = """
{a}.logical_not_()
{a}.logical_and_({b})
{a}[0] = {b}[..., :1]
{a}[:] = {b}[None]
{a}[[0]] = {b}[:1]
{a}.set_({b}.detach())
{a}.set_({b})
{a}.cumsum_(4)
{a}.requires_grad_()
torch.cat([{b}.detach(), {b}.detach()], out={a}.data)
torch.mul({b}.detach(), 2, out={a}.detach())
{a}.view(-1)[0] = 9.0
""".strip().splitlines()
WIDER_VIEWS = """
{a}[:, None]
{a}.permute(2, 0, 1)
{a}.transpose(1, 2)
{a}.flatten(0, 1)
{a}.squeeze((0, 1))
{a}.expand(-1, -1, -1)
{a}.diagonal(1, 0, 1)
{a}.unfold(-1, 2, 1)
{a}.split(2, 1)[0]
{a}.hsplit(1)[0]
{a}.movedim(0, 2)
{a}.mH
{a}.as_strided((2, 2), (1, 2), 1)
{a}.view(torch.int32)
torch.broadcast_to({a}, (2, *{a}.shape))
torch.atleast_3d({a})
torch.nn.Parameter({a}, requires_grad=False)
{a}.cumprod(0)
{a}.softmax(-1)
{a}.amax(-1)
torch.maximum({a}, {b})
{a}[:, [0, 0]]
{a}.scatter(0, torch.zeros(1, 1, 2, dtype=torch.long), 5.0)
""".strip().splitlines()
WIDER_WRITES = """
{a}[..., 0] = {b}[..., 1]
{a}[[0, 1]] = {b}
{a}[:, torch.tensor([1, 0])] = {b}
{a}[{a} > 0.6] *= 2
{a}.masked_scatter_({a} > 0.5, {b})
{a}.index_copy_(0, torch.tensor([1, 0]), {b})
{a}.index_put_((torch.tensor([0, 0]),), {b}, accumulate=True)
{a}.put_(torch.tensor([0, 2]), torch.ones(2))
{a}.scatter_add_(0, torch.zeros(1, 1, 2, dtype=torch.long), {b})
{a}.triu_(1)
{a}.eq_({b})
{a}.renorm_(2, 0, 1.0)
{a}.fill_({b}.sum())
{a}.resize_as_({b})
{a}.swapaxes_(0, 2)
{a}.mean().backward(retain_graph=True)
{a}.register_hook(lambda g: g * 2)
torch.exp({a}.detach(), out={b}.detach())
torch.nn.functional.dropout({a}, 0.5, inplace=True)
with torch.inference_mode(): {a}.mul_(2)
""".strip().splitlines()
RESULTS = """
{a} * 2
{a} + {b}
{a}.exp()
{a}.sin()
{a}.clone()
{a} * {b}
{a}.sum()
{a}.relu()
{a} - {b}
{a} ** 2
{a}.mean(0)
{a}.contiguous()
torch.cat([{a}, {a}])
{a}[[0]]
""".strip().splitlines()
WRITES = """
{a}.add_(1)
{a}.mul_(2)
{a}.mul_({b})
{a}.add_({b})
{a}.zero_()
{a}.fill_(2.0)
{a}.copy_({b})
{a}.sin_()
{a}.exp_()
{a}.relu_()
{a}[0] = 1.0
{a}[0] = {b}[0]
{a}[:1].mul_(3)
{a} += 1
{a} *= {b}
{a} *= 2
{a}.neg_()
{a}.clamp_(0, 1)
{a}.sub_({b})
{a}.div_(2)
{a}.pow_(2)
{a}.sqrt_()
{a}.sigmoid_()
{a}.masked_fill_({a} > 0, 1.0)
{a}.t_()
{a}.unsqueeze_(0)
{a}.squeeze_()
{a}.transpose_(0, -1)
{a}.normal_()
{a}.uniform_()
{a}.detach_()
{a}[{a} > 0] = 0.0
{a}.index_fill_(0, torch.tensor([0]), 2.0)
{a}.addcmul_({b}, {b})
{a}.lerp_({b}, 0.5)
{a}.clamp_min_(0.5)
{a}.requires_grad_()
{a}.data.mul_(2)
{a}.retain_grad()
{a}.tanh_()
{a}.floor_()
{a}.atan2_({b})
{a}.cumsum_(0)
{a}.tril_()
{a}.abs_()
{a}.reciprocal_()
{a}.bernoulli_(0.5)
{a}.copy_({b}.detach())
{a}.flatten()[:1].add_(1)
torch.add({a}, {b}, out={a})
""".strip().splitlines()


# Programs written for what random ones of another making found; a line each.
WRITTEN = """
x = torch.ones(2, 2, requires_grad=True); x.addmm_(x, torch.ones(2, 3)); x.addr_(x[0], x); x.unsqueeze_(9)
with torch.no_grad(): x = torch.ones(2, 1, requires_grad=True)[0]; x.addmm_(x, x)
x = torch.ones(2, 2, requires_grad=True); v = x.unbind(-1)[1]; v[torch.tensor([0])] = x[:1]
x = torch.ones(2, 3); v = x[1:].diagonal(1); w = x.diagonal(5); y = x.diagonal(-2)
x = torch.arange(4.0); x.scatter_(0, torch.tensor([1, 0, 0, 0]), x); x.index_add_(0, torch.tensor([0]), x[1:2])
x = torch.arange(4.0); x.index_copy_(0, torch.tensor([3, 2, 1, 0]), x); x.put_(torch.tensor([0]), x[1:2])
x = torch.arange(4.0); x.scatter_reduce_(0, torch.tensor([0, 0, 0, 0]), x, "sum"); x.masked_fill_(x > 1, x[1])
x = torch.arange(3.0).expand(2, 3); x[torch.tensor([1])] = torch.tensor(5.0); x[x > 4] = 2.0; x.fill_(1.0)
x = torch.arange(3.0).expand(2, 3); x.index_fill_(0, torch.tensor([0]), 2.0); x.scatter_(0, torch.tensor([[0]]), 1.0)
x = torch.tensor([float("nan"), 1.0]).expand(2, 2); x.index_fill_(0, torch.tensor([0]), 2.0)
x = torch.ones(2, requires_grad=True); y = x * 2; y.requires_grad = True; y.requires_grad_(); y.requires_grad = False
x = torch.tensor(1.0); y = x.expand(); y = x.size(0); y = x.stride(1)
x = torch.ones(3, 2).t().sin(); y = x.gather(-1, torch.zeros_like(x, dtype=torch.long))
x = torch.ones(3); y = x @ torch.ones(3, 2); y.add_(1)
x = torch.arange(6.0, requires_grad=True); y = x * 2; v = y.view(2, 3); v[0] = y[1]; v[1].fill_(y[3]); z = v[2:]
x = torch.arange(6.0).view(1, 6); y = x[1:, 1:]; v = y[:, 2]; w = y.t(); z = (x > 9).nonzero()
x = torch.tensor([-0.0, -0.0]); y = x.sum().signbit(); v = x.mean(0).signbit(); w = x.cumsum(0).signbit()
x = torch.ones(2, requires_grad=True); y = torch.ones(4); torch.cat([x, x], out=y)
x = torch.ones(2, 2); i = torch.inference_mode()(torch.ones)(2, 2); i.mul_(3); x.copy_(i)
x = torch.ones(2, 2); i = torch.inference_mode()(torch.ones)(2, 2); i.unsqueeze_(0); i[0] = 5.0; x = i + 0
x = torch.ones(2, 2); i = torch.inference_mode()(torch.ones)(2, 2); i.add_(torch.ones(3)); i.data.add_(1); x.add_(i)
x = torch.ones(2, requires_grad=True); y = x * 2; torch.inference_mode()(y.detach_)(); y.mul_(2)
x = torch.zeros(2, 2); torch.cat([x[:0], x], out=x); y = x.sum(1)
x = torch.arange(6.0).view(2, 3); y = torch.zeros(2, 3); torch.add(x.t(), 1, out=y); w = y.stride()
x = torch.ones(2, 2, requires_grad=True); y = x * 2; v = y.unbind()[1]; y.add_(1); v.as_strided((5, 5), (1, 2))
x = torch.ones(2); y = x.expand(3, 2); v = y.detach(); v.copy_(y); y += torch.ones(4); y.logical_not_()
x = torch.ones(2, requires_grad=True); with torch.no_grad(): y = x[:1]; x.requires_grad = False
x = torch.ones(2, requires_grad=True); with torch.no_grad(): y = x[:1]; y.requires_grad = True
x = torch.ones(4, requires_grad=True); y = x * 2; v = y[:2]; y.set_(torch.ones(4)); w = y * 1
x = torch.ones(4, 1); i = torch.tensor([0]); x.index_add_(0, i, x[:0, 0]); y = x.sum(); y.index_put_((i,), y)
x = torch.ones(2, 3, requires_grad=True); y = x.as_strided((1, 0, 3), (3, 3, 1)); v = y.sigmoid(); w = v[-1]
x = torch.ones(3, requires_grad=True); y = x * 2; v = torch.dot(y, y); y.zero_()
x = torch.arange(6.0, requires_grad=True); y = x * 2; v = torch.view_as_complex(y.view(3, 2)).t(); w = v[1:]; y.add_(1)
x = torch.ones(2, requires_grad=True); y = torch.complex(x, x * 2); v = y.real[1:]; w = torch.view_as_real(y); y.mul_(3)
x = torch.ones(2, 3, requires_grad=True); y = torch.complex(x, x); v = torch.view_as_real(y.t()); w = v[1:]; y.add_(1)
x = torch.ones(2, 3); y = torch.view_as_complex(x[:, :2]); v = torch.view_as_complex(x[0, 1:]); w = x.t()
x = torch.ones(0, 3); y = x[[0]]; v = x[:, torch.tensor([3])]; w = x.unsqueeze(0); x.add_(torch.ones(4, 3))
x = torch.arange(6.0); x.masked_scatter_(x > 1, x); y = torch.arange(6.0); y.t().masked_scatter_(y > 1, y)
x = torch.arange(6.0).view(2, 3); x[:, torch.tensor([1, 0])] = x[:, :2]; x[:, torch.tensor([1])] = x
x = torch.arange(6.0).view(2, 3); x[torch.tensor([3])] = x; x[torch.tensor([3])] = torch.ones(2)
x = torch.ones(2, requires_grad=True) * 1; y = x.expand(2, 2); y.copy_(y); y.tril_(); v = x.expand(2, 2, 2); v.triu_(1)
x = torch.ones(2); y = torch.nn.Parameter(x, requires_grad=False); x.add_(1); v = torch.nn.Buffer(x); x.data.add_(1)
x = torch.zeros(6); y = x[1:3]; torch.exp(torch.zeros(4), out=y); v = x[::2]; torch.exp(torch.zeros(4, 2), out=v)
x = torch.tensor(1.0); y = x.expand(-1); y = x.expand(2, -1); y = torch.ones(1).expand(-2)
x = torch.ones(2, 3); y = x[:, 1:1].double(); v = x.t()[1:1].clone(); w = x.mH
x = torch.zeros(2, dtype=torch.cfloat, requires_grad=True) * 1; y = torch.tensor(2.0, requires_grad=True); x.fill_(y)
x = torch.arange(4.0); x.index_copy_(0, torch.tensor([1, 0]), x); x.expand(3, 4).put_(torch.tensor([0]), torch.ones(2))
x = torch.ones(2, 4); y = x[0]; y.eq_(x); torch.mul(y, x, out=y); torch.mul(x, x[None], out=x)
x = torch.ones(1, 2).expand(3, 2); torch.mul(torch.ones(2), 2, out=x); y = torch.ones(2, 0).amax(-1)
x = torch.ones(2, requires_grad=True); torch.inference_mode()(x.resize_)(1); x[0].index_select(0, torch.tensor([0, 0]))
x = torch.arange(3.0); y = x[0, ...]; v = x[0, None]; w = x.sum()[..., None]; x[1, ...] = 9.0; x.sum()[None, ...] = 1.0
x = torch.arange(6.0).view(2, 3); x[[0, 7]] = 9.0; x[:, [0, 2, 5]] = torch.ones(3); x[[0, 1], [2, 7]] = 8.0
x = torch.arange(6.0).view(2, 3); x.index_put_((torch.tensor([0, 4]),), torch.tensor(7.0)); x.t()[[0, 1, 5]] = 2.0
x = torch.ones(3, 1, 2); y = torch.ones(2, 3); x.scatter_add_(0, torch.zeros(1, 1, 2, dtype=torch.long), y)
x = torch.ones(2, 3); x.masked_fill(torch.ones(4), 1.0); x.masked_fill_(torch.ones(4), 1.0); y = reversed(x)
x = torch.ones(2, requires_grad=True); y = torch.Tensor(x); v = torch.FloatTensor(x * 2); w = x.new(x)
x = torch.arange(3.0); x.map_(x, lambda a, b: a + b); x.apply_(lambda a: a * 2); y = x[1:].apply_(lambda a: -a)
x = torch.ones(3, dtype=torch.bool); x.random_(5); y = torch.arange(4.0); y.masked_scatter_(y > 1, y.view(2, 2))
""".strip().splitlines()


def program(number: int) -> tuple[list[str], list[str]]:
    """The lines of one program, and the names of its tensors."""
    if number >= COUNT:
        lines = WRITTEN[number - COUNT].split("; ")
        return lines, sorted({line.split(" = ")[0].split()[-1] for line in lines if " = " in line} & set("vwxy"))
    choice = random.Random(number)
    sizes, tracked = choice.choice(("2, 3", "3, 2", "6", "1, 6")), choice.choice((True, True, False))
    if number >= WIDER:
        sizes = choice.choice((sizes, "1, 2, 3", "3, 1, 2"))
    lines = [
        f"torch.manual_seed({number})",
        f"x = (torch.arange(6.0).reshape({sizes}) / 7 + 0.3).requires_grad_({tracked})",
    ]
    names = ["x"]
    if choice.random() < 0.5:
        lines.append("w = torch.ones(2, 3, requires_grad=True) * 0.5")
        names.append("w")
    if choice.random() < 0.8:
        lines.append("y = x * 1.5")
        names.append("y")
    for at in range(choice.randint(3, 8)):
        kind, a, b = choice.random(), choice.choice(names), choice.choice(names)
        if kind < 0.55:
            views = VIEWS + WIDE_VIEWS * (number >= WIDE) + WIDER_VIEWS * (number >= WIDER)
            line = choice.choice(views if kind < 0.35 else RESULTS).format(a=a, b=b)
            lines.append(f"v{at} = {line}")
            names.append(f"v{at}")
        else:
            writes = WRITES + WIDE_WRITES * (number >= WIDE) + WIDER_WRITES * (number >= WIDER)
            line = choice.choice(writes).format(a=a, b=b)
            lines.append(f"with torch.no_grad(): {line}" if choice.random() < 0.12 and "with" not in line else line)
    return lines, names


def observed(torch: Any, number: int) -> list[str]:
    """What one program does."""
    lines, names = program(number)
    known: dict[str, Any] = {"torch": torch}
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for line in lines:
            try:
                exec(line, known)
            except (RuntimeError, TypeError, ValueError, IndexError, NameError) as error:
                found.append(f"{line}: {type(error).__name__}: {str(error)[:120]}")
        tensors = {name: known[name] for name in names if isinstance(known.get(name), torch.Tensor)}
        found += [_facts(name, each, tensors, number >= WIDE) for name, each in tensors.items()]
        roots = [each for each in tensors.values() if each.requires_grad]
        if roots:
            try:
                sum(each.sum() for each in roots).backward()
            except RuntimeError as error:
                found.append(f"backward: {str(error)[:200]}")
            found += [_gradient(name, each) for name, each in tensors.items()]
    return found


def _facts(name: str, tensor: Any, tensors: dict[str, Any], wide: bool) -> str:
    try:
        node = tensor.grad_fn
    except RuntimeError as error:  # a view that can't be followed
        return f"{name}: {str(error)[:120]}"
    base = next((other for other, each in tensors.items() if tensor._base is each), None)
    strides: object = [step for n, step in zip(tensor.shape, tensor.stride(), strict=True) if n > 1]
    if wide:
        strides = f"{list(tensor.stride())} from {tensor.storage_offset()}"
    history = (
        None if node is None else [node.name(), *(None if to is None else to.name() for to, _ in node.next_functions)]
    )
    return (
        f"{name} version {tensor._version} shape {list(tensor.shape)} strides {strides} base {base} "
        f"{tensor.requires_grad} {tensor.is_leaf} {history} {_numbers(tensor)}"
    )


def _gradient(name: str, tensor: Any) -> str:
    try:
        return f"{name}.grad {None if not tensor.is_leaf or tensor.grad is None else _numbers(tensor.grad)}"
    except RuntimeError as error:
        return f"{name}.grad: {str(error)[:120]}"


def _numbers(tensor: Any) -> str:
    return " ".join(f"{each + 0.0:.2f}" for each in tensor.detach().flatten().tolist())


def main() -> None:
    import torch

    lines = [f"{json.dumps(observed(torch, number))}" for number in range(COUNT + len(WRITTEN))]
    GOLDEN.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
