"""List where our torch differs from PyTorch on the corpus, most frequent cause first.

    python tests/snippets/report.py [NAME...]

The cause is guessed from the error that only we raise, or from the kind of the difference.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.snippets.compare import compare
from tests.snippets.test_snippets import CORPUS, LATER, recorded, run_all


def cause(difference: str) -> str:
    """A text that is equal for snippets that differ for the same reason."""
    ours, _, theirs = difference.partition("\n")
    if ours.startswith("gradviz error: ") and not ours.endswith("no error"):
        return re.sub(r"\d+", "N", ours.removeprefix("gradviz error: "))[:110]
    kind = ours.split(":")[0].removeprefix("gradviz ")
    return f"{kind} differs" if kind != "error" else "we raise nothing: " + theirs.removeprefix("pytorch error: ")[:80]


def main(names: list[str]) -> None:
    paths = [p for p in (*CORPUS, *LATER) if not names or p.stem in names]
    results = run_all(paths)
    verdicts = {p.stem: compare(results[p.stem], recorded(p)) for p in paths}
    groups: dict[str, list[str]] = defaultdict(list)
    for name, (verdict, difference) in verdicts.items():
        if verdict != "same":
            groups["close" if verdict == "close" else cause(difference)].append(name)
    counts = {kind: sum(v == kind for v, _ in verdicts.values()) for kind in ("same", "close", "different")}
    print(f"{len(paths)} snippets: " + ", ".join(f"{n} {kind}" for kind, n in counts.items()))
    for title, members in sorted(groups.items(), key=lambda item: -len(item[1])):
        print(f"\n== {len(members)} x {title}")
        for name in members:
            print(f"{name}\n    " + verdicts[name][1].replace("\n", "\n    "))


if __name__ == "__main__":
    main(sys.argv[1:])
