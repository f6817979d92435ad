"""Compare our operations with PyTorch's own samples of them (`op_db` of torch.testing): values, gradients, second
gradients, `grad_fn` names, saved buffers, in-place forms and error messages.

It runs in a Python that has torch 2.13.0 and expecttest beside NumPy and ml_dtypes; nothing of it is needed by the app:
`python tests/engine/compare_op_db.py --help`. How one sample is looked at stands in `op_samples.py`.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.engine.op_samples import DIFFERENTIABLE, Side, compared, converted, errors_compared, inplace_compared

DTYPES = ("float64", "float32", "complex128", "bfloat16", "float16", "int64", "bool")
CHECKS = ("forward", "strides", "gradient", "second", "names", "saved", "inplace", "errors")
# PyTorch's private operators, GPU code generators and what its own test module wraps: no snippet calls them.
PRIVATE = ("torch.*", "jiterator_*", "_*", "*_backward_data", "*_backward", "sparse.*")
PUBLIC = ("__r*__", "__getitem__")


class Tally:
    """How many comparisons of each check agreed, and what did not."""

    def __init__(self) -> None:
        self.same: Counter[tuple[str, str]] = Counter()
        self.all: Counter[tuple[str, str]] = Counter()
        self.failures: list[tuple[str, str, str, str]] = []

    def add(self, op: str, check: str, where: str, problem: str | None) -> None:
        self.all[op, check] += 1
        if problem is None:
            self.same[op, check] += 1
        else:
            self.failures.append((op, check, where, problem))


def chosen(patterns: list[str], private_too: bool) -> Iterator[Any]:
    """The rows of `op_db` that match one of the patterns: PyTorch's public operators, or all."""
    from torch.testing._internal.common_methods_invocations import op_db

    for info in op_db:
        private = any(fnmatchcase(info.name, p) for p in PRIVATE)
        if private and not private_too and not any(fnmatchcase(info.name, p) for p in PUBLIC):
            continue
        if not patterns or any(fnmatchcase(info.name, p) or fnmatchcase(info.full_name, p) for p in patterns):
            yield info


class limited:
    """Ends what takes longer than some seconds with TimeoutError."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds

    def __enter__(self) -> None:
        def ring(*_: Any) -> None:
            raise TimeoutError(f"longer than {self.seconds} s")

        signal.signal(signal.SIGALRM, ring)
        signal.alarm(self.seconds)

    def __exit__(self, *_: Any) -> None:
        signal.alarm(0)


def samples_of(torch: Any, info: Any, dtype: str, limit: int) -> list[Any]:
    """Up to `limit` samples, spread over all that PyTorch has; the first ones are usually the plainest."""
    kind = getattr(torch, dtype)
    tracked = info.supports_autograd and dtype in DIFFERENTIABLE and kind in info.dtypes
    torch.manual_seed(0)
    every = list(info.sample_inputs("cpu", kind, requires_grad=tracked))
    step = max(1, -(-len(every) // limit))
    return every[::step]


def compare_row(theirs: Side, ours: Side, info: Any, options: argparse.Namespace, tally: Tally) -> None:
    torch, op = theirs.torch, info.full_name
    for dtype in options.dtype:
        if getattr(torch, dtype) not in info.dtypes:
            continue
        try:
            samples = samples_of(torch, info, dtype, options.samples)
        except (RuntimeError, TypeError, ValueError, NotImplementedError) as error:
            print(f"# {op} {dtype}: no samples: {error}", file=sys.stderr)
            continue
        for number, sample in enumerate(samples):
            where = f"{dtype}[{number}]"
            try:
                with limited(options.seconds):
                    for check, problem in compared(theirs, ours, info, sample):
                        tally.add(op, check, where, problem)
                    if dtype == "float64" and info.inplace_variant is not None:
                        for check, problem in inplace_compared(theirs, ours, info, sample):
                            tally.add(op, check, where, problem)
            except TimeoutError as error:
                tally.add(op, "forward", where, str(error))
    if info.error_inputs_func is not None and not options.no_errors:
        for number, each in enumerate(info.error_inputs("cpu")):
            tally.add(op, "errors", f"error[{number}]", errors_compared(theirs, ours, info, each.sample_input))


def print_table(tally: Tally, quiet: bool, checks: tuple[str, ...] = CHECKS) -> None:
    """One line for each row that has a difference, and the totals."""
    print(f"{'':44}" + "".join(f"{check:>12}" for check in checks))
    for op in sorted({op for op, _ in tally.all}):
        wrong = any(tally.same[op, c] != tally.all[op, c] for c in checks)
        if wrong and not quiet:
            print(f"{op:44}" + "".join(f"{cell(tally.same[op, c], tally.all[op, c]):>12}" for c in checks))
    same = {c: sum(n for (_, check), n in tally.same.items() if check == c) for c in checks}
    every = {c: sum(n for (_, check), n in tally.all.items() if check == c) for c in checks}
    print(f"{'all comparisons':44}" + "".join(f"{cell(same[c], every[c]):>12}" for c in checks))
    ops = {c: {op for op, check in tally.all if check == c} for c in checks}
    whole = {c: sum(tally.same[op, c] == tally.all[op, c] for op in ops[c]) for c in checks}
    print(f"{'rows without a difference':44}" + "".join(f"{cell(whole[c], len(ops[c])):>12}" for c in checks))


def cell(same: int, every: int) -> str:
    return f"{same}/{every}" if every else "-"


def print_failures(tally: Tally, each: int) -> None:
    shown: Counter[tuple[str, str]] = Counter()
    for op, check, where, problem in tally.failures:
        shown[op, check] += 1
        if shown[op, check] <= each:
            print(f"{op} {check} {where}: {problem[:600]}")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ops", nargs="*", help="names as in op_db, with wildcards: linalg.* 'fft.*' add")
    parser.add_argument("--dtype", nargs="+", default=list(DTYPES), choices=DTYPES)
    parser.add_argument("--samples", type=int, default=20, help="at most about so many samples for a row and dtype")
    parser.add_argument("--failures", type=int, default=0, metavar="N", help="print N differences per row and check")
    parser.add_argument("--private", action="store_true", help="also what PyTorch keeps to itself: all rows of op_db")
    parser.add_argument("--no-errors", action="store_true", help="leave PyTorch's error samples out")
    parser.add_argument("--quiet", action="store_true", help="totals only")
    parser.add_argument("--seconds", type=int, default=20, help="limit for one sample")
    parser.add_argument("--part", default="0/1", help="i/n: the i-th of n parts of the rows")
    parser.add_argument("--json", type=Path, help="write the counts and the differences into a file")
    return parser.parse_args()


def main() -> None:
    import torch

    import gradviz.torch

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    options = parsed()
    theirs, ours = Side(torch, lambda value: value), Side(gradviz.torch, converted)
    part, parts = map(int, options.part.split("/"))
    tally = Tally()
    for number, info in enumerate(chosen(options.ops, options.private)):
        if number % parts == part:
            compare_row(theirs, ours, info, options, tally)
    print_failures(tally, options.failures)
    print_table(tally, options.quiet)
    if options.json:
        counts = [[op, check, tally.same[op, check], n] for (op, check), n in sorted(tally.all.items())]
        options.json.write_text(json.dumps({"counts": counts, "failures": tally.failures}, indent=0))


if __name__ == "__main__":
    main()
