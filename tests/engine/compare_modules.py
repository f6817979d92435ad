"""Compare our modules with PyTorch's own samples of them (`module_db` of torch.testing): text, initial parameters,
outputs, strides, `grad_fn` names, gradients of parameters and inputs, and what the buffers hold afterwards, in training
and in evaluation.

It runs where `compare_op_db.py` runs, and looks at tensors as `op_samples.py` does:
`python tests/engine/compare_modules.py --help`.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.engine.compare_op_db import Tally, limited, print_failures, print_table
from tests.engine.op_samples import Side, converted, difference, leaves, outputs_compared, plain

CHECKS = ("text", "start", "forward", "strides", "names", "gradient", "after")
DTYPES = ("float64", "float32", "bfloat16", "complex128")
Problem = str | None


def made(side: Side, info: Any, sample: Any, dtype: str, training: bool) -> Any:
    """The module of a sample, its parameters drawn from one seed and then cast as PyTorch's own test does."""
    name = info.module_cls.__module__.startswith("torch.nn") and info.module_cls.__name__
    cls = getattr(side.torch.nn, name) if name else info.module_cls
    given = sample.constructor_input
    side.torch.manual_seed(5)
    args = [side.convert(each) for each in given.args]
    module = cls(*args, **{key: side.convert(value) for key, value in given.kwargs.items()})
    return module.to(getattr(side.torch, dtype)).train(training)


def run(side: Side, module: Any, sample: Any) -> tuple[list[Any], Any]:
    """The tensors that want gradients, and what the module gives."""
    given = sample.forward_input
    args, kwargs = side.convert([list(given.args), dict(given.kwargs)])
    inputs = [each for each in leaves(side.torch, [args, kwargs]) if each.requires_grad]
    side.torch.manual_seed(7)
    result = module(*args, **kwargs)
    return [*inputs, *(each for each in module.parameters() if each.requires_grad)], result


def state(module: Any) -> Any:
    """All names and values that a module keeps."""
    return [[("value", "key", key), plain(value)] for key, value in module.state_dict().items()]


def compared(theirs: Side, ours: Side, info: Any, sample: Any, dtype: str, training: bool) -> Iterator[Any]:
    """Each check of one sample with what differs, or None."""
    try:
        module = made(theirs, info, sample, dtype, training)
        text = repr(module)
        inputs, result = run(theirs, module, sample)
    except Exception as error:  # noqa: BLE001  the type or mode is not one that the module takes
        refused = f"{type(error).__name__}: {error}"
        yield "forward", _refused_alike(ours, (info, sample, dtype, training), refused)
        return
    try:
        own = made(ours, info, sample, dtype, training)
        yield "text", None if text == repr(own) else f"{text} but ours {own!r}"
        lazy = "Lazy" in info.module_cls.__name__
        if not lazy:
            fresh = made(theirs, info, sample, dtype, training)
            yield "start", difference(state(fresh), state(own))
        own_inputs, own_result = run(ours, own, sample)
    except Exception as error:
        if isinstance(error, TimeoutError):
            raise
        yield "forward", f"raises {type(error).__name__}: {error}"
        return
    for check, problem in outputs_compared(theirs, ours, (inputs, result), (own_inputs, own_result)):
        if check in CHECKS:
            yield check, problem
    yield "after", difference(state(module), state(own))


def _refused_alike(ours: Side, ask: Any, refused: str) -> Problem:
    info, sample, dtype, training = ask
    try:
        run(ours, made(ours, info, sample, dtype, training), sample)
    except Exception as error:
        if isinstance(error, TimeoutError):
            raise
        said = f"{type(error).__name__}: {error}"
        return None if said.splitlines()[0] == refused.splitlines()[0] else f"{refused} but ours {said}"
    return f"{refused} but ours a result"


def samples_of(torch: Any, info: Any, dtype: str, training: bool, limit: int) -> list[Any]:
    torch.manual_seed(0)
    kind = getattr(torch, dtype)
    every = info.module_inputs_func(info, device="cpu", dtype=kind, requires_grad=True, training=training)
    every = [each for each in every if each.forward_input is not None]
    return every[:: max(1, -(-len(every) // limit))]


def compare_module(theirs: Side, ours: Side, info: Any, options: argparse.Namespace, tally: Tally) -> None:
    for dtype in options.dtype:
        if getattr(theirs.torch, dtype) not in info.dtypes and dtype != "bfloat16":
            continue
        for training in (True, False):
            for number, sample in enumerate(samples_of(theirs.torch, info, dtype, training, options.samples)):
                where = f"{dtype} {'train' if training else 'eval'}[{number}]"
                try:
                    with limited(options.seconds):
                        for check, problem in compared(theirs, ours, info, sample, dtype, training):
                            tally.add(info.name, check, where, problem)
                except TimeoutError as error:
                    tally.add(info.name, "forward", where, str(error))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", help="names as in module_db, with wildcards: nn.Conv* 'nn.*Norm*'")
    parser.add_argument("--dtype", nargs="+", default=["float64", "float32"], choices=DTYPES)
    parser.add_argument("--samples", type=int, default=40, help="at most about so many samples for a module and mode")
    parser.add_argument("--failures", type=int, default=0, metavar="N", help="print N differences per module and check")
    parser.add_argument("--quiet", action="store_true", help="totals only")
    parser.add_argument("--seconds", type=int, default=20, help="limit for one sample")
    return parser.parse_args()


def main() -> None:
    import torch
    from torch.testing._internal.common_modules import module_db

    import gradviz.torch

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    options = parsed()
    theirs, ours = Side(torch, lambda value: value), Side(gradviz.torch, converted)
    tally = Tally()
    for info in module_db:
        quantized = info.module_cls.__module__.startswith(("torch.ao", "torch.testing"))
        if not quantized and (not options.modules or any(fnmatchcase(info.name, p) for p in options.modules)):
            compare_module(theirs, ours, info, options, tally)
    print_failures(tally, options.failures)
    print_table(tally, options.quiet, CHECKS)


if __name__ == "__main__":
    main()
