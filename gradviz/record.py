"""`python -m gradviz.record`: run a PyTorch script and record it. In code, `gradviz.record` is a function."""

from __future__ import annotations

import sys

from gradviz.recorder.script import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
