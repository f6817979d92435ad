"""A small trace made by hand, row by row: `z = (w * x + b) * w; z.backward(); z.backward()`, ending in PyTorch's
error."""

from __future__ import annotations

import numpy as np

from gradviz.trace.table.encoding import Writer
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.schema import PLAIN, Batch
from gradviz.trace.table.trace import Trace

SOURCE = """\
import torch

x = torch.tensor(2., requires_grad=False)
w = torch.tensor(3., requires_grad=True)
b = torch.tensor(1., requires_grad=True)

y = w * x + b
z = y * w
z.backward()

z.backward()
"""
X, W, B, WX, Y, Z = range(6)  # tensors
MUL1, ADD, MUL2 = range(3)  # nodes
MESSAGE = (
    "Trying to backward through the graph a second time "
    "(or directly access saved tensors after they have already been freed)."
)


class SampleWriter(Writer):
    """A writer with shorthands for scalars of float32."""

    def number(self, number: float) -> int:
        return self.value(np.array(number, np.float32))

    def step(self, kind: Kind, node: int, tensor: int, site: int, call: int, ref: int) -> int:
        return self.add("steps", kind, node, tensor, site, call, ref)

    def leaf(self, name: str, number: float, site: int, requires_grad: bool) -> None:
        tensor = self.count("tensors")
        step = self.step(Kind.LEAF, -1, tensor, site, -1, tensor)
        self.add("tensors", step, -1, 0, self.number(number), tensor, 0, requires_grad, True, False, -1, site)
        self.add("names", step, tensor, self.text(name), self.text(""), PLAIN)

    def operation(self, op: str, derivatives: dict[str, str]) -> None:
        key = (self.text(op), self.text(f"{op.capitalize()}Backward0"))
        for name, formula in derivatives.items():
            self.add("operands", *key, False, self.text(name), self.text(formula), self.text(""))
        self.add("operands", *key, True, self.text("result"), self.text(""), self.text(""))

    def forward(self, op: str, symbol: str, inputs: list[int], number: float, site: int, name: str | None) -> None:
        node, tensor = self.count("nodes"), self.count("tensors")
        step = self.step(Kind.FORWARD, node, tensor, site, -1, node)
        texts = [self.text(t) for t in (op, f"{op.capitalize()}Backward0", symbol)]
        self.add("nodes", step, *texts, site, -1, self.text(""), node, -1, 0)
        for slot, each in enumerate(inputs):
            self.add("inputs", node, slot, each)
        self.add("tensors", step, node, 0, self.number(number), tensor, 0, True, False, False, -1, site)
        if name:
            self.add("names", step, tensor, self.text(name), self.text(""), PLAIN)

    def saves(self, node: int, name: str, tensor: int) -> None:
        self.add("saved", self.count("steps") - 1, node, self.text(name), tensor, -1, 4, tensor, 0)

    def backward(self, node: int, site: int, sent: dict[int, float]) -> None:
        step = self.step(Kind.BACKWARD, node, -1, site, 0, node)
        for slot, number in sent.items():
            self.add("flows", step, node, slot, self.number(number))

    def arrives(
        self,
        tensor: int,
        sender: int,
        number: float,
        total: float,
        arrived: int,
        expected: int,
        site: int,
        call: int = 0,
    ) -> None:
        row = self.count("arrivals")
        if expected > 1:
            self.step(Kind.CONTRIBUTION, sender, tensor, site, call, row)
        step = self.count("steps") - 1
        self.add("arrivals", step, tensor, sender, self.number(number), self.number(total), arrived, expected, call)

    def accumulate(self, tensor: int, number: float, site: int) -> None:
        step = self.step(Kind.ACCUMULATE, -1, tensor, site, 0, self.count("grads"))
        self.add("grads", step, tensor, self.number(number), -1)

    def frees(self, node: int, site: int) -> None:
        step = self.step(Kind.FREE, node, -1, site, 0, self.count("frees"))
        self.add("frees", step, node)

    def call(self, site: int) -> int:
        call = self.count("calls")
        step = self.step(Kind.BACKWARD_CALL, -1, Z, site, call, call)
        self.add("calls", step, site, False, False)
        self.add("roots", call, Z, -1)
        return call


def sample_batch() -> Batch:
    """The whole trace in one batch."""
    out = SampleWriter()
    lines = SOURCE.splitlines()

    def site(line: int, text: str) -> int:
        col = lines[line - 1].index(text)
        return out.add("sites", line, col, line, col + len(text), out.text(text))

    out.operation("mul", {"self": "grad · other", "other": "grad · self"})
    out.operation("add", {"self": "grad", "other": "grad"})
    for name, number, line in (("x", 2.0, 3), ("w", 3.0, 4), ("b", 1.0, 5)):
        out.leaf(name, number, site(line, lines[line - 1][4:]), name != "x")
    out.forward("mul", "×", [W, X], 6.0, site(7, "w * x"), None)
    out.saves(MUL1, "other", X)
    out.forward("add", "+", [WX, B], 7.0, site(7, "w * x + b"), "y")
    out.forward("mul", "×", [Y, W], 21.0, site(8, "y * w"), "z")
    out.saves(MUL2, "other", W)
    out.saves(MUL2, "self", Y)
    here = site(9, "z.backward()")
    out.call(here)
    out.arrives(Z, -1, 1.0, 1.0, 1, 1, here)
    out.backward(MUL2, here, {0: 3.0, 1: 7.0})
    out.frees(MUL2, here)
    out.arrives(Y, MUL2, 3.0, 3.0, 1, 1, here)
    out.arrives(W, MUL2, 7.0, 7.0, 1, 2, here)
    out.backward(ADD, here, {0: 3.0, 1: 3.0})
    out.arrives(WX, ADD, 3.0, 3.0, 1, 1, here)
    out.arrives(B, ADD, 3.0, 3.0, 1, 1, here)
    out.accumulate(B, 3.0, here)
    out.backward(MUL1, here, {0: 6.0})
    out.frees(MUL1, here)
    out.arrives(W, MUL1, 6.0, 13.0, 2, 2, here)
    out.accumulate(W, 13.0, here)
    out.add("ends", out.count("steps") - 1, 0)
    again = site(11, "z.backward()")
    call = out.call(again)
    out.arrives(Z, -1, 1.0, 1.0, 1, 1, again, call)
    step = out.step(Kind.ERROR, -1, -1, again, -1, 0)
    texts = [out.text(t) for t in ("RuntimeError", MESSAGE)]
    last = f"RuntimeError: {MESSAGE}"
    out.add("errors", step, *texts, 11, out.text(f'File "snippet.py", line 11\n{last}'), out.text(last))
    return out.take()


def sample_trace() -> Trace:
    """The sample, ready to look at."""
    trace = Trace(SOURCE)
    trace.extend(sample_batch())
    return trace
