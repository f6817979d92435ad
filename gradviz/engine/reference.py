"""The reference of all operations, made from their rows: names, formula, gradients, what is saved. The help of the
program and `docs/operations.md` show it, so nothing is written twice. What a row is: `rows.py`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from gradviz.engine import ops
from gradviz.engine.kernel.expressions import Bracketed, Fraction, Math, Root, Row, Script, Sign, in_line
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
    gradients: tuple[tuple[str, str], ...]  # input, formula in plain text
    saved: tuple[str, ...]
    link: str  # the page of PyTorch's documentation, or ""
    written: Math | None = None  # the formula and the gradients for typesetting
    rules: Mapping[str, Math] = field(default_factory=dict)

    def text(self) -> str:
        """The text that a search looks in."""
        parts = (self.name, self.category, self.symbol, self.brief, self.node, *self.calls)
        return " ".join(parts).lower()


def plain(latex: str) -> str:
    """A formula as one line of plain text."""
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


_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|[A-Za-z]{2,}|\d+\.?\d*|.")
_SIGNS = _SYMBOLS | {
    r"\notin": "∉", r"\exists": "∃", r"\forall": "∀", r"\zeta": "ζ", r"\tau": "τ", r"\bmod": "mod", r"\top": "T",
}  # fmt: skip
_NO_SIGNS = frozenset((r"\left", r"\right", r"\!"))


def typeset(latex: str) -> Math | None:
    """The same formula for typesetting; None if its brackets do not match."""
    try:
        reader = _Latex(latex)
        found = reader.until("")
        return found if not reader.here else None
    except ValueError:
        return None


class _Latex:
    """Reads the LaTeX of the rows: fractions, roots, powers, indices, words, signs."""

    def __init__(self, latex: str) -> None:
        self._tokens = _TOKEN.findall(latex)
        self._at = 0

    @property
    def here(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1] if self._at <= len(self._tokens) else ""

    def until(self, end: str) -> Math:
        """All parts up to a bracket, which is consumed."""
        parts: list[Math] = []
        while self.here not in ("", end):
            if self.here in ("^", "_"):
                parts.append(self._script(parts.pop() if parts else Sign("")))
            elif self.here not in _NO_SIGNS:
                parts.append(self._part())
            else:
                self._next()
        if self._next() != end:
            raise ValueError(f"no {end}")
        return parts[0] if len(parts) == 1 else Row(tuple(parts))

    def _script(self, base: Math) -> Math:
        sign, index = self._next(), self._part()
        raised, lowered = (index, None) if sign == "^" else (None, index)
        if isinstance(base, Script):  # the base already has the other script
            return Script(base.base, raised or base.raised, lowered or base.lowered)
        return Script(base, raised, lowered)

    def _part(self) -> Math:
        token = self._next()
        if token == "{":
            return self.until("}")
        if token == "(":
            return Bracketed(self.until(")"))
        if token == r"\frac":
            return Fraction(self._part(), self._part())
        if token == r"\sqrt":
            return Root(self._part())
        if token in _MARKS:
            return Sign(in_line(self._part()) + _MARKS[token], "name")
        if token in (r"\sum", r"\prod"):
            return Sign(_SYMBOLS[token], "sum")
        if _WORDS.match(token + "{x}"):
            return Sign(in_line(self._part()), "word")
        if token.isspace():
            return Sign(" ")
        return Sign("−" if token == "-" else _SIGNS.get(token, token.lstrip("\\")), self._kind(token))

    @staticmethod
    def _kind(token: str) -> str:
        if token in _SIGNS:
            return "name" if len(_SIGNS[token]) == 1 and _SIGNS[token].isalpha() and token not in _UPRIGHT else "sign"
        return "name" if len(token) == 1 and token.isalpha() else "word" if token[-1:].isalpha() else "sign"


_UPRIGHT = frozenset((r"\pi", r"\top"))


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
        written=typeset(row.latex) if row.latex else None,
        rules=row.written,
    )


def entries() -> list[Entry]:
    """All operations with a public name, by category and name; internal steps come last in their category."""
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
