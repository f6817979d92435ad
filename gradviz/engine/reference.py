"""The reference of all operations, made from their rows: names, formula, gradients, what is saved. The help of the
program and `docs/operations.md` show it; nothing is written down twice. What a row is: `rows.py`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gradviz.engine import ops
from gradviz.engine.kernel.rows import ROWS, OpRow
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops import recurrent
from gradviz.engine.run import tensor_gradients
from gradviz.engine.run.api import FFT, FUNCTIONAL, FUNCTIONS, LINALG, SPECIAL

_ready = (ops, recurrent, tensor_gradients)  # importing them fills the tables

_PLACES = (
    ("torch", FUNCTIONS, "torch.{}"),
    ("torch.nn.functional", FUNCTIONAL, "torch.nn.functional.{}"),
    ("torch.linalg", LINALG, "torch.linalg.{}"),
    ("torch.special", SPECIAL, "torch.special.{}"),
    ("torch.fft", FFT, "torch.fft.{}"),
)
_SYMBOLS = {
    r"\cdot": "·", r"\times": "×", r"\leftarrow": "←", r"\ne": "≠", r"\le": "≤", r"\ge": "≥", r"\in": "∈", r"\sum": "Σ",
    r"\prod": "Π", r"\infty": "∞", r"\sigma": "σ", r"\mu": "μ", r"\pi": "π", r"\lambda": "λ", r"\alpha": "α",
    r"\beta": "β", r"\gamma": "γ", r"\epsilon": "ε", r"\varphi": "φ", r"\psi": "ψ", r"\Gamma": "Γ", r"\Phi": "Φ",
    r"\Psi": "Ψ", r"\ell": "ℓ", r"\partial": "∂", r"\top": "ᵀ", r"\odot": "⊙", r"\oplus": "⊕", r"\wedge": "∧",
    r"\vee": "∨", r"\neg": "¬", r"\lfloor": "⌊", r"\rfloor": "⌋", r"\lceil": "⌈", r"\rceil": "⌉", r"\langle": "⟨",
    r"\rangle": "⟩", r"\|": "‖", r"\lVert": "‖", r"\rVert": "‖", r"\sim": "∼", r"\pm": "±", r"\theta": "θ",
    r"\delta": "δ", r"\omega": "ω", r"\Delta": "Δ", r"\int": "∫", r"\ldots": "…", r"\dots": "…", r"\to": "→",
    r"\otimes": "⊗", r"\star": "⋆", r"\ast": "∗", r"\circ": "∘", r"\dagger": "†", r"\equiv": "≡", r"\approx": "≈",
    r"\quad": " ", r"\,": " ", r"\;": " ", r"\!": "", r"\left": "", r"\right": "", r"\{": "{", r"\}": "}", r"\ ": " ",
}  # fmt: skip
_WORDS = re.compile(r"\\(?:operatorname|mathrm|mathcal|text|mathbf)\{([^{}]*)\}")
_MARKS = {r"\bar": "\u0304", r"\hat": "\u0302", r"\tilde": "\u0303"}


@dataclass(frozen=True)
class Entry:
    """One operation, as the reference shows it."""

    name: str
    category: str
    symbol: str
    brief: str
    formula: str
    calls: tuple[str, ...]  # "torch.exp", "Tensor.exp"
    node: str
    gradients: tuple[tuple[str, str], ...]  # input, as a person writes it
    saved: tuple[str, ...]
    link: str  # the page of PyTorch's documentation, or nothing

    def text(self) -> str:
        """What a search looks in."""
        parts = (self.name, self.category, self.symbol, self.brief, self.node, *self.calls)
        return " ".join(parts).lower()


def plain(latex: str) -> str:
    """A formula in one line of signs."""
    text = latex
    for mark, sign in _MARKS.items():
        text = re.sub(re.escape(mark) + r"\{([^{}]*)\}", lambda found, sign=sign: found[1] + sign, text)  # type: ignore[misc]
    while (shorter := _WORDS.sub(lambda found: found[1], text)) != text:
        text = shorter
    for _ in range(4):  # nested fractions
        text = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", _fraction, text)
        text = re.sub(r"\\sqrt\{([^{}]*)\}", lambda found: f"√{_bracketed(found[1])}", text)
        text = re.sub(r"([_^])\{([^{}]*)\}", lambda found: found[1] + _bracketed(found[2]), text)
    for name in sorted(_SYMBOLS, key=len, reverse=True):
        edge = r"(?![A-Za-z])" if name[-1].isalpha() else ""
        text = re.sub(re.escape(name) + edge, lambda found, name=name: _SYMBOLS[name], text)  # type: ignore[misc]
    text = re.sub(r"\^([23Hᵀ+])(?![\w(])", lambda found: _RAISED[found[1]], text)
    return re.sub(r"\s+", " ", re.sub(r"\\([A-Za-z]+)", r"\1", text)).strip()


_RAISED = {"2": "²", "3": "³", "H": "ᴴ", "ᵀ": "ᵀ", "+": "⁺"}


def _fraction(found: re.Match[str]) -> str:
    return f"{_bracketed(found[1])}/{_bracketed(found[2])}"


def _bracketed(text: str) -> str:
    return text if len(text) == 1 or text.isalnum() or text in _SYMBOLS else f"({text})"


def _calls(row: OpRow) -> tuple[str, ...]:
    found = [shape.format(row.name) for _, table, shape in _PLACES if row.name in table]
    if not found:
        for prefix, (_, table, shape) in zip(("linalg_", "special_", "fft_"), _PLACES[2:], strict=True):
            short = row.name.removeprefix(prefix)
            if row.name.startswith(prefix) and short in table:
                found.append(shape.format(short))
    if hasattr(Tensor, row.name):
        found.append(f"Tensor.{row.name}")
    if hasattr(Tensor, f"{row.name}_"):
        found.append(f"Tensor.{row.name}_")
    return tuple(found)


def _link(calls: tuple[str, ...]) -> str:
    if not calls or calls[0].endswith("_"):
        return ""
    name = calls[0] if calls[0].startswith("torch.") else f"torch.{calls[0]}"
    return f"https://docs.pytorch.org/docs/2.13/generated/{name}.html"


def _entry(row: OpRow) -> Entry:
    calls = _calls(row)
    tracked = bool(row.gradients or row.joint)
    return Entry(
        name=row.name,
        category=row.category,
        symbol=row.symbol,
        brief=row.brief,
        formula=plain(row.latex),
        calls=calls,
        node=row.node_name if tracked else "",
        gradients=tuple(row.derivatives.items()),
        saved=row.saved if tracked else (),
        link=_link(calls),
    )


def entries() -> list[Entry]:
    """All operations that have a name of their own, by category and name; inner steps come last in their category."""
    found = [_entry(row) for row in ROWS.values()]
    return sorted(found, key=lambda each: (each.category, not each.calls, each.name, each.node))


def document() -> str:
    """`docs/operations.md`."""
    parts = [
        "# Operations\n",
        "Made by `python -m gradviz.engine.reference > docs/operations.md` from the rows of the engine; do not edit. "
        "What is saved is what the node keeps when every input wants a gradient.\n",
    ]
    category = ""
    for each in entries():
        if each.category != category:
            category = each.category
            parts += [
                f"## {category.capitalize()}\n",
                "| operation | formula | gradient | saved | node |",
                "|" + " --- |" * 5,
            ]
        shown = (_cell(each.brief), f"`{each.formula}`" if each.formula else "")
        gradient = "; ".join(f"{name}: {how}" for name, how in each.gradients)
        names = ", ".join(f"`{call}`" for call in each.calls) or f"`{each.name}` (a step inside of others)"
        formula = " ".join(part for part in shown if part)
        row = (names, formula, _cell(gradient), ", ".join(each.saved), each.node)
        parts.append("| " + " | ".join(part.replace("|", "\\|") for part in row) + " |")
    return "\n".join(parts) + "\n"


def _cell(text: str) -> str:
    return text.replace("\n", " ")


if __name__ == "__main__":
    import sys

    sys.stdout.write(document())
