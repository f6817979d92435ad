"""The entry point: `python -m gradviz`, the `gradviz` command and the frozen executable.

Whether this is a worker is decided before anything else is imported: a worker must contain neither Qt nor the command
line."""

from __future__ import annotations

import sys


def main() -> int:
    """Run as a worker or as the command line says; returns the exit status."""
    if "--gv-worker" in sys.argv:
        from gradviz.worker.main import main as work

        work()
    from gradviz.worker.terminal import guarded

    return guarded(_command)


def _command() -> int:
    from gradviz.cli import run_command_line

    return run_command_line(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
