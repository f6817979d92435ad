"""Record what PyTorch does in random programs around `backward()`: `python tests/engine/record_programs.py`, with torch
2.13.0 installed. Each program is made from its number: leaves, operations of many kinds, passes with all their
arguments, hooks, writes in place, what can be asked of a graph. What is recorded is what each line printed or raised,
then each tensor with its history and gradient. Views and writes have programs of their own in `record_views.py`.

The last `CALLS` programs call functions and methods that are drawn from all recorded signatures, with arguments of the
right types, some with one of a wrong type, too few or too many."""

from __future__ import annotations

import contextlib
import functools
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
SIGNATURES = Path(__file__).parents[2] / "resources" / "pytorch_signatures.txt"
COUNT, CALLS = 240, 100
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


TENSORS = """
torch.randn(2, 3)
torch.randn(3)
torch.randn(3, 3)
torch.randn(2, 3, 4)
torch.randn(())
torch.randn(1, 3, 4, 4)
torch.arange(6).view(2, 3)
torch.arange(3)
torch.tensor([True, False, True])
torch.randn(2, 3, dtype=torch.float64)
torch.randn(2, 3, dtype=torch.complex64)
torch.zeros(2, 0)
torch.tensor(2)
torch.rand(3, 2).t()
torch.randn(2, 3, requires_grad=True)
torch.randn(2, 3).half()
torch.tensor([1, 2, 3], dtype=torch.uint8)
torch.randn(2, 4, 4)
""".strip().splitlines()
WRONG = ("None", "'a'", "1.5", "[1, 2]", "torch.ones(2, 3)", "7", "-5", "(1, 'a')", "True", "[]", "torch.float32", "2j")
VALUES = {  # by the type that a signature asks for
    "Tensor": TENSORS,
    "TensorList": ("[torch.ones(2, 3), torch.zeros(2, 3)]", "[torch.randn(3)]", "[torch.randn(3, 3), torch.arange(3)]"),
    "Scalar": ("2", "0.5", "-1", "0", "True", "2.5", "1j", "torch.tensor(2.0)"),
    **dict.fromkeys(("int64_t", "SymInt"), ("0", "1", "-1", "2", "3", "-3")),
    "double": ("0.5", "1.0", "2", "0.1", "-0.5"),
    "bool": ("True", "False"),
    **dict.fromkeys(
        ("IntArrayRef", "SymIntArrayRef"), ("(0,)", "(1,)", "(0, 1)", "(2, 3)", "2", "(-1,)", "()", "[0, -1]")
    ),
    "ScalarType": ("torch.float32", "torch.float64", "torch.int64", "torch.complex64", "torch.bool"),
    **dict.fromkeys(("std::string", "c10::string_view"), ("'sum'", "'mean'", "'none'", "'ij'", "'trunc'", "'floor'")),
}
# What is not defined, sets what later lines read, or stands for another program; and in the last line what was recorded
# after these programs: from a longer list others would be drawn.
NOT_CALLED = frozenset(
    """seed initial_seed get_rng_state set_rng_state manual_seed set_grad_enabled set_ data storage empty empty_like new
    new_empty empty_strided empty_permuted set_num_threads set_default_dtype resize_ resize_as_ set_autocast_dtype
    set_autocast_enabled poisson
    feature_dropout_ sparse_coo_tensor sparse_csr_tensor sparse_mask to_sparse to_sparse_csr""".split()
)


@functools.cache
def signatures() -> list[tuple[str, str, list[tuple[str, str, bool]]]]:
    """(place, name, parameters as (type, name, whether it has a default)) of all functions that can be called."""
    found, place = [], ""
    for line in SIGNATURES.read_text(encoding="utf-8").splitlines():
        matched = re.fullmatch(r"(\w+)\((.*)\)", line)
        if line.startswith("["):
            place = line.strip("[]")
        elif place in ("torch", "Tensor", "nn.functional") and matched and matched[1] not in NOT_CALLED:
            parts = [part for part in re.split(r", (?![^\[]*\])", matched[2]) if part not in ("", "*")]
            known = [re.fullmatch(r"([\w:]+)(?:\[\d*\])?\??(?:\[\d*\])?\?? (\w+)(=.*)?", part) for part in parts]
            if all(known):
                found.append((place, matched[1], [(each[1], each[2], each[3] is not None) for each in known if each]))
    return found


def called(choice: random.Random) -> str:
    """One call."""
    place, name, parameters = choice.choice(signatures())
    mode, given, by_name = choice.random(), [], False
    wrong = choice.randrange(max(1, len(parameters))) if mode < 0.25 else -1
    for at, (kind, parameter, optional) in enumerate(parameters):
        if optional and at != wrong and (kind not in VALUES or parameter in ("out", "dtype") or choice.random() < 0.55):
            by_name = True
            continue
        value = choice.choice(WRONG if at == wrong else VALUES.get(kind, ("None",)))
        given.append(f"{parameter}={value}" if by_name else value)
    if mode > 0.95 and given:
        given.pop()
    if place != "Tensor":
        return f"torch.{'' if place == 'torch' else place + '.'}{name}({', '.join(given)})"
    return f"({choice.choice(TENSORS)}).{name}({', '.join(given)})"


def program(number: int) -> tuple[list[str], list[str]]:
    """The lines of one program, and the names of its tensors."""
    choice = random.Random(number)
    if number >= COUNT:
        return [f"print(described({called(choice)}))" for _ in range(8)], []
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
                exec(line, known | {"graph": _graph, "described": _described}, known)
        except Exception as error:  # noqa: BLE001 what it raises is the result
            printed.write(f"{type(error).__name__}: {str(error)[:200]}")
        found.append(re.sub(r"0x[0-9a-f]+", "0x", printed.getvalue()).strip())
    return found


def _described(value: Any) -> str:
    """A value and what a tensor does not print."""
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}[{', '.join(map(_described, value))}]"
    return f"{value!r} {tuple(value.stride())} {value.dtype}" if hasattr(value, "stride") else repr(value)


def _graph(tensor: Any) -> list[str | None]:
    """The name of a tensor's node and of those behind it."""
    node = tensor.grad_fn
    return [] if node is None else [node.name(), *(each and each.name() for each, _ in node.next_functions)]


def main() -> None:
    import torch

    torch.set_num_threads(1)
    lines = [json.dumps(observed(torch, number)) for number in range(COUNT + CALLS)]
    GOLDEN.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
