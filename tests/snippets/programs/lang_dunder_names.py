"""Module docstring."""

__author__ = "someone"
__version__ = "0.1"
__all__ = ["main"]
__copyright__ = "nobody"
__credits__, __maintainer__, __status__ = ["someone", "else"], "someone", "Prototype"
import sys
import torch
import numpy as np


def main(argv=None):
    print(__name__, __doc__, __version__, __author__, __all__)
    print(
        __copyright__,
        __credits__,
        __maintainer__,
        __status__,
        "run as a file" if __package__ in (None, "") else __package__,
    )
    print(
        torch.__version__.split("+")[0],
        sys.version_info >= (3, 8),
        sys.version_info.major,
        len(sys.argv),
        isinstance(sys.version, str),
    )
    print(
        torch.version.__version__.split("+")[0],
        torch.version.debug,
        torch.version.hip,
        torch.version.rocm,
        torch.version.xpu,
    )
    print(np.__version__.count(".") >= 1, sys.maxsize > 2**31, sys.byteorder, sys.float_info.epsilon)
    print(main.__name__, main.__doc__, torch.nn.Linear.__name__, torch.optim.SGD.__name__, torch.Tensor.__name__)
    sys.stdout.write("written\n")
    sys.stdout.flush()
    print("to stderr", file=sys.stderr)
    print("flushed", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
