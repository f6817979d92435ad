"""Environments of a user as tests need them: folders named as pip names them, and a Python that records what it is told
to record, in pieces, in place of PyTorch."""

from __future__ import annotations

import sys
from pathlib import Path

from gradviz.trace.table.recording import About, Ending, RecordingWriter, batches_of
from gradviz.trace.table.trace import Trace

# Writes the head and the batches, waits for a file `go` beside itself, then says how it ended.
_PYTHON = f"""#!{sys.executable}
import pathlib, sys, time
here = pathlib.Path(__file__).resolve().parent
sys.stdout.reconfigure(line_buffering=True, write_through=False)
options = sys.argv[sys.argv.index("-o"):]
at = next(at for at, each in enumerate(options) if each.endswith(".py"))
script = pathlib.Path(options[at])
print("options", *options[2:at], "arguments", *options[at + 1:])
print("script", script.name, script.read_text().count(chr(10)))
out = open(options[1], "wb", buffering=0)
try:
    for part in sorted(here.glob("*.part")):
        data = part.read_bytes()
        for at in range(0, len(data), 1000):
            out.write(data[at : at + 1000])
        while part.name != "2.part" and not (here / "go").exists():
            time.sleep(0.01)
except KeyboardInterrupt:
    sys.exit(130)
sys.stderr.write("ready\\n")
"""


def environment(prefix: Path, python: str = "3.11", **versions: str) -> Path:
    """An environment with these packages; its Python can't be started."""
    packages = prefix / "lib" / f"python{python}" / "site-packages"
    packages.mkdir(parents=True)
    for name, version in versions.items():
        (packages / f"{name}-{version}.dist-info").mkdir()
    path = prefix / "bin" / "python3"
    path.parent.mkdir()
    path.write_text("")
    return path


def recording_python(prefix: Path, trace: Trace, ending: Ending | None) -> Path:
    """One that tells of this trace, and ends as it is told when there is a file `go` beside it."""
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    path = environment(prefix, python, torch="9.9", numpy="2.0", ml_dtypes="0.5")
    whole = path.with_name("whole")
    with open(whole, "wb") as file:
        writer = RecordingWriter(file, About(trace.source, "job.py", "PyTorch 9.9"))
        for batch in batches_of(trace):
            writer.batch(batch)
        size = writer.size
        if ending is not None:
            writer.end(ending)
    data = whole.read_bytes()
    path.with_name("1.part").write_bytes(data[:size])
    path.with_name("2.part").write_bytes(data[size:])
    path.write_text(_PYTHON, "utf-8")
    path.chmod(0o755)
    return path
