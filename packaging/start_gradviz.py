"""Where the frozen `gradviz` begins; a script of its own because the package's `__main__` is imported as a module."""

import sys

from gradviz.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
