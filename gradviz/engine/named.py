"""The named tuples that some functions return: `torch.return_types.max(values=…, indices=…)`."""

from __future__ import annotations

from typing import Any


class _Named(tuple):  # type: ignore[type-arg]
    """A tuple with names that prints over several lines, as PyTorch's structured results do."""

    fields: tuple[str, ...] = ()
    title = ""

    def __new__(cls, *values: Any) -> Any:
        return tuple.__new__(cls, values)

    def __getattr__(self, name: str) -> Any:
        if name in self.fields:
            return self[self.fields.index(name)]
        raise AttributeError(f"'torch.return_types.{self.title}' object has no attribute '{name}'")

    def __repr__(self) -> str:
        body = ",\n".join(f"{name}={value!r}" for name, value in zip(self.fields, self, strict=True))
        return f"torch.return_types.{self.title}(\n{body})"


RETURN_TYPES: dict[str, type[_Named]] = {}


def return_type(name: str, fields: tuple[str, ...] = ("values", "indices")) -> type[_Named]:
    """The class for the results of one function, made when first asked for."""
    found = RETURN_TYPES.get(name)
    if found is None:
        shown = {"fields": fields, "title": name, "__module__": "torch.return_types"}
        found = RETURN_TYPES[name] = type(name, (_Named,), shown)
    return found
