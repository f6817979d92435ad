"""Record what PyTorch does in random programs around `backward()`: `python tests/engine/record_programs.py`, with torch
2.13.0 installed. Each program is made from its number: leaves, operations of many kinds, passes with all their
arguments, hooks, writes in place, what can be asked of a graph. What is recorded is what each line printed or raised,
then each tensor with its history and gradient. Views and writes have programs of their own in `record_views.py`."""

from __future__ import annotations

import contextlib
import io
import json
import random
import re
import sys
import warnings
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

GOLDEN = Path(__file__).parent / "golden" / "programs.json"
COUNT = 240
LEAVES = """
torch.tensor(2.0, requires_grad=True)
torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
(torch.arange(6.0).view(2, 3) / 5).requires_grad_()
torch.ones(3, 3, requires_grad=True)
torch.tensor([0.5, -1.0, 2.0])
torch.rand(3, requires_grad=True)
torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64, requires_grad=True)
torch.nn.Parameter(torch.ones(3))
torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
""".strip().splitlines()
RESULTS = """
{a} * {b}
{a} + {b}
{a} - {b} / 3
{a}.tanh()
{a}.square().relu()
{a}.softmax(-1)
{a} ** 2
{a}.sum()
{a}.mean(0)
{a}.detach()
{a} @ {b}
{a}[0]
{a}.max(-1)[0]
torch.where({a} > 0.4, {a}, {b})
torch.nn.functional.mse_loss({a}, {b})
{a}.t()
Tripled.apply({a})
Pair.apply({a}, {b})[1]
torch.func.vmap(lambda x: x * 2)({a})
torch.func.grad(lambda x: (x ** 2).sum())({a})
torch.func.jvp(lambda x: x * x, ({a},), (torch.ones_like({a}),))[1]
{a}.to(torch.float64)
{a}.to(torch.complex64)
{a}.view(-1)[::2]
torch.stack(list({a}.unbind(0)))
{a}.clamp(0.2, 0.7)
""".strip().splitlines()
WITHIN = """
torch.no_grad()
torch.inference_mode()
torch.autograd.graph.save_on_cpu()
torch.autograd.graph.saved_tensors_hooks(lambda x: x * 1, lambda x: x)
""".strip().splitlines()
ROOTS = ("{a}", "{a}.sum()", "({a} * {b}).sum()", "{a}.sum()")
SEEDS = ("torch.ones_like({a})", "torch.tensor(2.0)", "gradient=torch.ones(2, 3)", "None", "2.0", "gradient={b}")
WANTED = ("{b}", "[{b}]", "[{a}, {b}]", "({b},)", "[]")
OPTIONS = ("create_graph=True", "retain_graph=True", "allow_unused=True", "materialize_grads=True")
STEPS = """
{a}.retain_grad()
h = {a}.register_hook(lambda grad: print("hook", grad.shape))
h = {a}.register_hook(lambda grad: grad * 2)
h = {a}.register_hook(lambda grad: torch.zeros(7))
{a}.register_post_accumulate_grad_hook(lambda x: print("after", x.grad))
{a}.grad_fn.register_hook(lambda to, come: print("node", to, come))
{a}.grad_fn.register_prehook(lambda come: (come[0] * 2,))
h.remove()
{a}.add_(1)
{a}.mul_({b})
{a}[0] = 0
{a} += {b}
{a}.data.mul_(2)
{a}.detach_()
{a}.requires_grad_()
{a}.requires_grad = False
with torch.no_grad(): {a} -= 0.1
{a}.grad = None
{a}.grad.zero_()
{a}.grad = {b}.detach()
{a}.grad = torch.ones(2, 3)
print({a}._version, {a}.output_nr, {a}.is_leaf, {a}.retains_grad, {a}.is_inference())
print({a}.grad_fn._saved_self)
print({a}.grad_fn.saved_tensors)
print({a}.numpy())
print({a}.item())
print(torch.func.hessian(lambda x: (x ** 3).sum())({a}))
print(torch.autograd.functional.jacobian(torch.sin, {a}))
print(torch.func.vjp(torch.sin, {a})[1](torch.ones_like({a})))
""".strip().splitlines()


def program(number: int) -> tuple[list[str], list[str]]:
    """The lines of one program, and the names of its tensors."""
    choice = random.Random(number)
    names = list("xyw"[: choice.choice((1, 2, 2, 3))])
    lines = [f"{name} = {choice.choice(LEAVES)}" for name in names]
    for at in range(choice.randint(6, 12)):
        kind, a, b = choice.random(), choice.choice(names), choice.choice(names)
        if kind < 0.45:
            line = f"v{at} = {choice.choice(RESULTS)}"
            names.append(f"v{at}")
            if choice.random() < 0.2:
                line = f"with {choice.choice(WITHIN)}: {line}"
        elif kind < 0.65:
            line = _pass(choice)
        else:
            line = choice.choice(STEPS)
        lines.append(line.format(a=a, b=b))
    return lines, names


def _pass(choice: random.Random) -> str:
    """A line that differentiates."""
    root = choice.choice(ROOTS)
    options = [each for each in OPTIONS if choice.random() < 0.3]
    if choice.random() < 0.4:
        return f"print(torch.autograd.grad({', '.join([root, choice.choice(WANTED), *options])}))"
    given = [choice.choice(SEEDS)] if choice.random() < 0.3 else []
    given += [each for each in options if each in OPTIONS[:2]]
    given += [f"inputs={choice.choice(WANTED)}"] if choice.random() < 0.25 else []
    return f"{root}.backward({', '.join(given)})"


def functions(torch: Any) -> dict[str, Any]:
    """The custom functions that the programs call."""

    class Tripled(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * 3

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return grad * 3 + 0 * x * ctx.needs_input_grad[0]

    class Pair(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            return x + 1, y * 2

        @staticmethod
        def backward(ctx: Any, first: Any, second: Any) -> Any:
            return first, second * 2

    return {"torch": torch, "Tripled": Tripled, "Pair": Pair}


def observed(torch: Any, number: int) -> list[str]:
    """What the lines of one program print or raise, and what becomes of its tensors."""
    lines, names = program(number)
    known, found = functions(torch), []
    torch.manual_seed(number)
    for line in [*lines, *(f"print({name}, graph({name}), {name}.grad)" for name in names)]:
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(line, known | {"graph": _graph}, known)
        except Exception as error:  # noqa: BLE001 what it raises is the result
            printed.write(f"{type(error).__name__}: {str(error)[:200]}")
        found.append(re.sub(r"0x[0-9a-f]+", "0x", printed.getvalue()).strip())
    return found


def _graph(tensor: Any) -> list[str | None]:
    """The name of a tensor's node and of those behind it."""
    node = tensor.grad_fn
    return [] if node is None else [node.name(), *(each and each.name() for each, _ in node.next_functions)]


def main() -> None:
    import torch

    torch.set_num_threads(1)
    lines = [json.dumps(observed(torch, number)) for number in range(COUNT)]
    GOLDEN.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
