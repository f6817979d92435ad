"""`from tqdm import tqdm` for training loops: the loop runs as it is, and no bar is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from gradviz.worker.methods import keep_methods
from gradviz.worker.stand_in import stand_in


@keep_methods
class Progress:
    """What `tqdm(...)` gives: the iterable itself, with the methods that loops call on a bar."""

    def __init__(self, iterable: Iterable[Any] | None = None, desc: str | None = None, total: Any = None, **look: Any):
        self.iterable = iterable
        self.total = total
        self.n = 0

    def __iter__(self) -> Iterator[Any]:
        return iter(self.iterable if self.iterable is not None else ())

    def __len__(self) -> int:
        return len(self.iterable) if self.iterable is not None else int(self.total or 0)  # type: ignore[arg-type]

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def update(self, n: int = 1) -> None:
        """Count, and draw nothing."""
        self.n += n

    def _ignore(self, *args: object, **keywords: object) -> None:
        pass

    set_description = set_description_str = set_postfix = set_postfix_str = refresh = close = reset = clear = _ignore


def progress_modules(write: Callable[[str, str], None]) -> dict[str, Any]:
    """`tqdm` and the modules that have it too."""

    class tqdm(Progress):
        __qualname__ = "tqdm"

        @staticmethod
        def write(s: object = "", file: Any = None, end: str = "\n", nolock: bool = False) -> None:
            """Print a line beside the bar."""
            write("out", str.__str__(str(s)) + str.__str__(end))

    names = {"tqdm": tqdm, "trange": lambda *args, **look: tqdm(range(*args), **look)}
    return {name: stand_in(name, names) for name in ("tqdm", "tqdm.auto", "tqdm.notebook", "tqdm.std")}
