"""Drawings made at random from a seed, whose code runs: small graphs of many operations with valid shapes. Candidates
are tried on the engine, and what raises, is not finite or grows too large is not taken. The list of operations is fixed
here, so that a seed makes the same drawing for ever; results of real PyTorch are recorded for them."""

from __future__ import annotations

import builtins
import math
import random
import warnings
from dataclasses import replace
from typing import Any

import gradviz.torch as ours
from gradviz.document.catalogue import catalogue, outputs
from gradviz.document.code.pretty import flat
from gradviz.document.code.spelling import Piece, leaf, number, operation
from gradviz.document.documents import code_of, text_of
from gradviz.document.drawing import BackwardCall, Drawing, Leaf, Literal, Number, Operand, Operation, Ref
from gradviz.document.shaping import tidy

Params = tuple[tuple[str, Literal], ...]
_F = "nn.functional."
UNARY = f"""neg abs exp square sin cos sqrt log tanh sigmoid atan erf expm1 log1p reciprocal rsqrt positive sinh asinh
{_F}relu {_F}softplus {_F}gelu {_F}silu {_F}elu {_F}leaky_relu {_F}selu {_F}hardtanh {_F}logsigmoid {_F}softsign
{_F}mish Tensor.T sum mean flatten max min logcumsumexp std var norm prod detach clone ravel""".split()
BINARY = f"""add sub mul div pow add sub mul matmul maximum minimum atan2 hypot dot mv mm outer logaddexp remainder
{_F}mse_loss {_F}l1_loss {_F}smooth_l1_loss {_F}huber_loss {_F}linear gt lt""".split()
OPTIONS: dict[str, tuple[Params, ...]] = {
    "sum": ((), (("dim", 0),), (("dim", -1), ("keepdim", True)), (("dim", (0, 1)),)),
    "mean": ((), (("dim", 1),), (("dim", 0), ("keepdim", True))),
    "max": ((), (("dim", 0),)),
    "min": ((), (("dim", 1), ("keepdim", True))),
    "prod": ((), (("dim", 0),)),
    "norm": ((), (("p", 1),), (("dim", -1),)),
    "std": ((), (("dim", 0),)),
    "var": ((), (("correction", 0),)),
    "logcumsumexp": ((("dim", 0),),),
    "cumsum": ((("dim", 0),), (("dim", -1),)),
    "logsumexp": ((("dim", 0),), (("dim", (0, 1)),)),
    f"{_F}softmax": ((("dim", 0),), (("dim", -1),)),
    f"{_F}log_softmax": ((("dim", -1),),),
    f"{_F}mse_loss": ((), (("reduction", "sum"),), (("reduction", "none"),)),
    f"{_F}gelu": ((), (("approximate", "tanh"),)),
    f"{_F}leaky_relu": ((), (("negative_slope", 0.2),)),
    f"{_F}softplus": ((), (("beta", 2),)),
    f"{_F}layer_norm": ((("normalized_shape", (3,)),), (("normalized_shape", (2, 3)), ("eps", 0.001))),
    "Tensor.view": ((("shape", (-1,)),), (("shape", (3, 2)),), (("shape", (2, -1)),)),
    "reshape": ((("shape", (3, -1)),), (("shape", (6,)),)),
    "permute": ((("dims", (1, 0)),),),
    "transpose": ((("dim0", 0), ("dim1", 1)),),
    "unsqueeze": ((("dim", 0),), (("dim", -1),)),
    "squeeze": ((), (("dim", 0),)),
    "Tensor.__getitem__": ((("index", "0"),), (("index", ":2"),), (("index", "..., -1"),), (("index", ":, 1:"),)),
    "Tensor.expand": ((("size", (2, 3)),), (("size", (3, 3)),)),
    "Tensor.repeat": ((("repeats", (2,)),),),
    "flip": ((("dims", (0,)),),),
    "roll": ((("shifts", 1), ("dims", 0)),),
    "tril": ((), (("diagonal", 1),)),
    "narrow": ((("dim", 0), ("start", 0), ("length", 2)),),
    "chunk": ((("chunks", 2),), (("chunks", 3), ("dim", 1))),
    "unbind": ((),),
    "sort": ((), (("descending", True),)),
    "topk": ((("k", 2),),),
    "std_mean": ((),),
    "clamp": ((),),
    "where": ((),),
    "cat": ((), (("dim", 1),)),
    "stack": ((), (("dim", 1),)),
    "einsum": ((("equation", "ij,jk->ik"),), (("equation", "i,j->ij"),), (("equation", "ij,ij->i"),)),
    "addmm": ((), (("beta", 0.5), ("alpha", 2))),
    "lerp": ((),),
    "addcmul": ((("value", 0.5),),),
    "linalg.norm": ((), (("dim", 0),)),
    "linalg.vector_norm": ((("ord", 3),),),
    f"{_F}cosine_similarity": ((("dim", 0),),),
    f"{_F}normalize": ((), (("dim", 0),)),
    f"{_F}pad": ((("pad", (1, 1)),), (("pad", (1, 0)), ("value", 2.0))),
}
KEYS = sorted({*UNARY, *BINARY, *OPTIONS})
SHAPES: tuple[tuple[int, ...], ...] = ((), (), (3,), (3,), (2, 3), (2, 3), (3, 3), (3, 2))
LARGEST, MOST = 50.0, 24  # of a value, and how many numbers


class Maker:
    """One drawing that grows."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.nodes: list[Leaf | Operation] = []
        self.values: dict[Ref, Any] = {}
        self.double = self.rng.random() < 0.2

    def make(self) -> Drawing:
        """A drawing with at least one backward call."""
        rng = self.rng
        for _ in range(rng.randint(2, 4)):
            self.add_leaf()
        for _ in range(300):
            if len(self.nodes) >= 14 or (len(self.nodes) > 6 and rng.random() < 0.02):
                break
            self.try_operation(rng.choice(KEYS))
        calls = self.calls()
        drawing = tidy(Drawing(tuple(self.nodes), calls=calls, next_id=len(self.nodes) + 1))
        return replace(drawing, nodes=tuple(self.rename(node) for node in drawing.nodes))

    def rename(self, node: Leaf | Operation) -> Leaf | Operation:
        """Some results that need no name have one."""
        if isinstance(node, Operation) and not node.names and self.rng.random() < 0.3:
            return replace(node, names=(f"named{node.id}",))
        return node

    def add_leaf(self) -> None:
        """One more leaf."""
        rng, shape = self.rng, self.rng.choice(SHAPES)
        id = len(self.nodes) + 1
        maker, seed, data = "tensor", None, self.numbers(shape)
        if shape and rng.random() < 0.25:
            maker, seed, data = "randn", rng.randint(0, 99), shape
        elif shape and rng.random() < 0.1:
            maker, data = "ones", shape
        node = Leaf(id, f"{'wxbt'[id - 1]}", data, maker, seed, dtype="float64" if self.double else "",
                    requires_grad=id == 1 or rng.random() < 0.6)  # fmt: skip
        self.take(node, flat(leaf(node).doc))

    def numbers(self, shape: tuple[int, ...]) -> Literal:
        """Nested numbers, none near zero."""
        if shape:
            return tuple(self.numbers(shape[1:]) for _ in range(shape[0]))
        return round(self.rng.choice((-1, 1)) * self.rng.uniform(0.2, 2.5), 2)

    def try_operation(self, key: str) -> None:
        """Take this operation on some of what is there, if it works."""
        entry, rng = catalogue()[key], self.rng
        inputs: list[Operand] = []
        for port in entry.ports:
            if port.optional and port.variadic:
                continue
            if port.optional and rng.random() < 0.5:
                inputs.append(None)
                continue
            for _ in range(2 if port.variadic else 1):
                plain = port.number and inputs and rng.random() < 0.3 and key != "clamp"
                inputs.append(
                    Number(rng.choice((2, 0.5, -1, 3.0))) if plain else self.pick(truth=port.name == "condition")
                )
        params = rng.choice(OPTIONS.get(key, ((),)))
        names = tuple(f"part{at}" for at in range(rng.randint(0, 3))) if entry.many == "names" else ()
        node = Operation(len(self.nodes) + 1, key, tuple(inputs), params, names)
        pieces = [self.piece(one) for one in inputs]
        try:
            text = flat(operation(entry, node, pieces).doc)
            self.take(node, text)
        except Exception:  # noqa: BLE001 what the engine refuses is not taken
            return

    def pick(self, *, truth: bool = False) -> Ref:
        """One of the results, young ones more often, and those that nothing uses yet; real numbers or truth values."""
        refs = [ref for ref, value in self.values.items() if value.dtype.is_floating_point is not truth]
        if not refs:
            return next(iter(self.values))
        used = {one for node in self.nodes if isinstance(node, Operation) for one in node.inputs}
        unused = [ref for ref in refs if ref not in used]
        if unused and self.rng.random() < 0.6:
            return unused[-1]
        return refs[max(self.rng.randrange(len(refs)), self.rng.randrange(len(refs)))]

    def piece(self, operand: Operand) -> Piece | None:
        """An operand as text."""
        if isinstance(operand, Number):
            return number(operand.value)
        return None if operand is None else Piece(f"v{operand.node}_{operand.output}", simple=True)

    def take(self, node: Leaf | Operation, text: str) -> None:
        """Take a node in if its values are good."""
        space = {f"v{ref.node}_{ref.output}": value for ref, value in self.values.items()}
        if isinstance(node, Leaf) and node.seed is not None:
            ours.manual_seed(node.seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = eval(text, {"torch": ours, "F": ours.nn.functional}, space)
        items = list(found) if isinstance(found, tuple | list) else [found]
        if isinstance(node, Operation) and catalogue()[node.op].many and len(outputs(catalogue()[node.op], node)) == 1:
            items = items[:1]
        for item in items:
            numbers = [abs(float(one)) for one in item.detach().reshape(-1).tolist()]
            if len(numbers) > MOST or not numbers or not all(math.isfinite(one) and one < LARGEST for one in numbers):
                raise ValueError("too large")
            if not item.dtype.is_floating_point and isinstance(node, Leaf):
                raise ValueError("no numbers")
        if isinstance(node, Operation):
            names = tuple(f"r{node.id}_{at}" for at in range(len(items))) if len(items) > 1 else ()
            node = replace(node, names=names)
            if len(outputs(catalogue()[node.op], node)) != len(items):
                raise ValueError("another number of results")
        self.nodes.append(node)
        self.values |= {Ref(node.id, at): item for at, item in enumerate(items)}

    def calls(self) -> tuple[BackwardCall, ...]:
        """One or two backward calls; the first one asks for all."""
        rng = self.rng
        roots = [ref for ref, value in self.values.items() if value.requires_grad and not value.is_leaf]
        if not roots:
            raise ValueError("nothing has a gradient")
        several = rng.random() < 0.25
        calls = []
        for at in range(2 if several else 1):
            root = roots[-1] if at == 0 else rng.choice(roots)
            shape = tuple(self.values[root].shape)
            data = None if shape == () else "ones" if rng.random() < 0.3 else self.numbers(shape)
            leaves = [one.id for one in self.nodes if isinstance(one, Leaf) and one.requires_grad]
            inputs = tuple(rng.sample(leaves, 1)) if rng.random() < 0.15 else None
            calls.append(BackwardCall(root, data, True if several else None, inputs=inputs))
        return tuple(calls)


def drawing(seed: int) -> Drawing:
    """The drawing of this seed."""
    for further in range(20):
        try:
            found = Maker(seed * 100 + further).make()
            space = execute(ours, text_of(found))
        except (ValueError, RuntimeError):
            continue
        gradients = [value.grad for value in space.values() if value.is_leaf and value.grad is not None]
        if all(bool((gradient.abs() < 1e4).all()) for gradient in gradients):  # false for nan, too
            return found
    raise AssertionError(f"no drawing from seed {seed}")


def execute(torch: Any, text: str) -> dict[str, Any]:
    """Run the code with one torch or the other; its variables."""
    space: dict[str, Any] = {"__builtins__": {**vars(builtins), "__import__": lambda *_: torch}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(text.replace("import torch.nn.functional as F", "F = torch.nn.functional"), space)
    return {name: value for name, value in space.items() if isinstance(value, torch.Tensor)}


def results(torch: Any, found: Drawing) -> dict[str, list[float]]:
    """The numbers of all names, and the gradients of the leaves as "w.grad"; of what is no gradient a checksum is
    enough: the sum with other weights for each place."""
    space = execute(torch, text_of(found))
    kept = {name: space[name] for _, names in code_of(found).names for name in names}
    leaves = [names[0] for id, names in code_of(found).names if isinstance(found.by_id[id], Leaf)]
    kept |= {f"{name}.grad": space[name].grad for name in leaves if space[name].grad is not None}
    numbers = {name: [float(one) for one in value.detach().reshape(-1).tolist()] for name, value in kept.items()}
    return {name: each if name.endswith(".grad") else [_checksum(each)] for name, each in numbers.items()}


def _checksum(numbers: list[float]) -> float:
    return sum((1 + 0.37 * (at % 7)) * each for at, each in enumerate(numbers))


def differences(found: dict[str, list[float]], expected: dict[str, list[float]], *, double: bool) -> list[str]:
    """What is otherwise, beyond the last digits."""
    if found.keys() != expected.keys():
        return [f"other names: {sorted(found.keys() ^ expected.keys())}"]
    allowed = 1e-5 if double else 2e-3
    wrong = []
    for name, numbers in found.items():
        scale = max((abs(each) for each in expected[name]), default=0.0)
        near = [abs(a - b) <= allowed * max(1.0, scale) for a, b in zip(numbers, expected[name], strict=True)]
        if not all(near):
            wrong.append(f"{name}: {numbers} for {expected[name]}")
    return wrong
