"""Does the frozen program work? `python packaging/smoke_test.py dist/gradviz` starts it on an example, steps to the
end, takes a screenshot, runs snippets through the frozen worker, asks for its locks, and exits 0. It needs no display
and only the standard library; the Python that runs it is not the one inside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SNIPPET = """import torch
x = torch.tensor(2.0, requires_grad=True)
y = x * x * x
y.backward()
print(x.grad)
"""


def start(program: Path, *arguments: str, expected_status: int = 0) -> str:
    environment = {"PATH": "/usr/bin:/bin", "HOME": tempfile.gettempdir(), "QT_QPA_PLATFORM": "offscreen"}
    environment |= {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP", "TMP") if name in os.environ}
    done = subprocess.run(
        [str(program), *arguments], capture_output=True, text=True, timeout=60, env=environment, encoding="utf-8"
    )
    said = done.stdout + done.stderr
    if done.returncode != expected_status:
        raise SystemExit(f"{program.name} {' '.join(arguments)} ended with {done.returncode}:\n{said}")
    return said


def check(condition: bool, what: str) -> None:
    if not condition:
        raise SystemExit(f"FAILED: {what}")
    print(f"ok: {what}")


LOCKS = {
    "linux": ("language rules", "audit hook", "resource limits", "no new descriptors", "Landlock", "seccomp", "trial"),
    "darwin": ("language rules", "audit hook", "sandbox-exec", "trial"),
    "win32": ("language rules", "audit hook", "restricted token", "Job object", "low integrity", "trial"),
}


def check_locks(program: Path) -> None:
    """All that contains snippets on this system holds in the packaged program, too."""
    said = start(program, "--version", "--verbose")
    held = next(line for line in said.splitlines() if line.startswith("This system: snippets are contained by"))
    held = held.partition("Missing here:")[0]
    for lock in LOCKS.get(sys.platform, ()):
        check(lock in held, f"the worker is held by {lock}")


def main(folder: Path) -> None:
    suffix = ".exe" if sys.platform == "win32" else ""
    program = folder / f"gradviz{suffix}"
    check((folder / f"gradviz-worker{suffix}").exists(), "the worker is an executable of its own")
    check_locks(program)
    with tempfile.TemporaryDirectory() as scratch:
        snippet = Path(scratch, "cube.py")
        snippet.write_text(SNIPPET, encoding="utf-8")
        check("tensor(12.)" in start(program, "run", str(snippet)), "a snippet runs and prints its gradient")
        package = Path(scratch, "package.py")
        package.write_text("import torch, einops\nprint(einops.rearrange(torch.ones(2, 3), 'a b -> (b a)').shape)\n")
        check("torch.Size([6])" in start(program, "run", str(package)), "a snippet uses einops")
        package.write_text(
            "import torch\nfrom torchdiffeq import odeint\n"
            "print(odeint(lambda t, y: y, torch.ones(1), torch.tensor([0.0, 1.0]), method='euler'))\n"
        )
        check("[2.]" in start(program, "run", str(package)), "a snippet uses a package whose source is shipped")
        steps = json.loads(start(program, "run", "--json", str(snippet)))["steps"]
        check(len(steps) > 5, "its trace is written as JSON")
        broken = Path(scratch, "broken.py")
        broken.write_text(SNIPPET + "y.backward()\n", encoding="utf-8")
        answer = start(program, "run", str(broken), expected_status=1)
        check("backward through the graph a second time" in answer, "PyTorch's error comes out, with status 1")
        refused = Path(scratch, "refused.py")
        refused.write_text("import socket\nsocket.socket()\n", encoding="utf-8")
        check("socket" in start(program, "run", str(refused), expected_status=1), "importing socket is refused")
        inside = folder.parent / "Resources" if folder.name == "MacOS" else folder / "_internal"
        examples = sorted((inside / "resources" / "examples").glob("*.py"))
        check(bool(examples), "the examples are shipped")
        picture = Path(scratch, "window.png")
        start(program, str(examples[0]), "--step", "end", "--screenshot", str(picture))
        check(picture.read_bytes()[:4] == b"\x89PNG" and picture.stat().st_size > 20_000, "the window is drawn")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
