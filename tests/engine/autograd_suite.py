"""Run PyTorch's own tests of autograd, its file test/test_autograd.py, with our torch and say which of them pass:
`python -m tests.engine.autograd_suite PATH/TO/test_autograd.py [NAME ...]`. With `--real`, in a Python that has
PyTorch, the same tests are run with PyTorch itself: those that pass there are what ours is measured by
(`--of FILE`, the list that `--real --write FILE` made). The file is read where it lies and is no part of this project.

What the file takes from PyTorch's testing package is here in the small form that these tests need: on the CPU, without
a compiler, and a test with parameters counts once.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import functools
import gc
import importlib
import inspect
import itertools
import json
import random
import signal
import sys
import traceback
import types
import unittest
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

SECONDS = 60  # for one test
ELSEWHERE = ("test_pynode_destruction_deadlock", "test_thread_shutdown")  # they start a Python that imports torch
OUTSIDE = "torch.testing._internal"


class Absent:
    """Stands for a module or class that our torch does not have; whatever is done with it says so."""

    def __init__(self, name: str) -> None:
        self.__dict__["name"] = name

    def __getattr__(self, key: str) -> Any:
        if key.startswith("__"):
            raise AttributeError(key)
        return Absent(f"{self.name}.{key}")

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"GradViz has no {self.name}")

    def __mro_entries__(self, _: Any) -> Any:
        raise NotImplementedError(f"GradViz has no {self.name}")


class Imports(ast.NodeTransformer):
    """Makes `import torch…` take the torch under test, and PyTorch's testing package what stands below."""

    def visit_Import(self, node: ast.Import) -> Any:
        return [self._bound(each.asname or each.name.split(".")[0], each) for each in node.names]

    def _bound(self, name: str, each: ast.alias) -> ast.stmt:
        if each.name.split(".")[0] != "torch":
            return ast.Import([each])
        whole = "_of_torch" if each.asname else "_root_of_torch"
        return ast.parse(f"{name} = {whole}({each.name!r})").body[0]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        if (node.module or "").split(".")[0] not in ("torch", "autograd"):
            return node
        found = [f"{each.asname or each.name} = _of_torch({f'{node.module}.{each.name}'!r})" for each in node.names]
        return ast.parse("\n".join(found)).body

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        self.generic_visit(node)
        node.decorator_list = [
            ast.Call(ast.Name("_decorator", ast.Load()), [ast.Lambda(_NO_ARGUMENTS, each)], [])
            if names_torch(each)
            else each
            for each in node.decorator_list
        ]
        return node


_NO_ARGUMENTS = ast.parse("lambda: 0", mode="eval").body.args  # type: ignore[attr-defined]


def names_torch(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Call) and any(
        isinstance(each, ast.Name) and each.id == "torch" for each in ast.walk(decorator)
    )


def decorator_or_failure(make: Callable[[], Any]) -> Any:
    """The decorator of a test; where its arguments are names that our torch lacks, one whose test fails with that."""
    try:
        return make()
    except AttributeError as error:
        said = str(error)

    def fails(*_: Any, **__: Any) -> None:
        raise NotImplementedError(said)

    return lambda _: fails


class Harness:
    """The names that the file finds in PyTorch's testing package, for one torch."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.names: dict[str, Any] = {
            "TestCase": self.test_case(),
            "TEST_CUDA": False,
            "IS_MACOS": False,
            "IS_WINDOWS": False,
            "parametrize": parametrize,
            "dtypes": lambda *kinds: parametrize("dtype", kinds),
            "instantiate_device_type_tests": lambda *_, **__: None,
            "disable_gc": disable_gc,
            "set_warn_always_context": self.set_warn_always_context,
            "mask_not_all_zeros": self.mask_not_all_zeros,
            "floating_types_and": lambda *kinds: (torch.float32, torch.float64, *kinds),
            "gradcheck": functools.partial(self.checked, torch.autograd.gradcheck),
            "gradgradcheck": functools.partial(self.checked, torch.autograd.gradgradcheck),
            "instantiate_parametrized_tests": lambda cls: cls,
            "run_tests": lambda: None,
            "subtest": lambda values, name="", **_: None if name == "logging_tensor" else values,
        }
        for name in ("onlyCUDA", "scoped_load_inline", "slowTest"):
            self.names[name] = unittest.skip(name)
        for name in (
            "onlyCPU",
            "skipMeta",
            "skipIfMPS",
            "skipIfNoLapack",
            "skipIfWindows",
            "xfailIfS390X",
            "skipIfTorchDynamo",
        ):
            self.names[name] = as_it_is
        for name in ("dtypesIfCUDA", "dtypesIfMPS", "xfailIfTorchDynamo"):
            self.names[name] = as_it_is
        self.names["deviceCountAtLeast"] = lambda count: unittest.skip("several devices")

    def found(self, dotted: str) -> Any:
        """What `import` finds under that name."""
        if dotted.startswith(OUTSIDE):
            return self.names.get(dotted.rsplit(".", 1)[1], Absent(dotted))
        if dotted.startswith("autograd."):  # files that lie beside this one: they are run for themselves
            return Absent(dotted)
        parts, value = dotted.split("."), self.torch
        for i, part in enumerate(parts[1:], 2):
            if not hasattr(value, part):
                with contextlib.suppress(ImportError):
                    importlib.import_module(".".join([self.torch.__name__, *parts[1:i]]))
            value = getattr(value, part, None)
            if value is None:
                return Absent(dotted)
        return value

    def root(self, dotted: str) -> Any:
        self.found(dotted)
        return self.torch

    def checked(self, check: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return check(*args, **{"check_batched_grad": True, "fast_mode": True, **kwargs})

    def mask_not_all_zeros(self, shape: Any) -> Any:
        while True:
            if (mask := self.torch.randn(shape).gt(0)).sum() > 0:
                return mask

    @contextlib.contextmanager
    def set_warn_always_context(self, new: bool) -> Iterator[None]:
        before = self.torch.is_warn_always_enabled()
        self.torch.set_warn_always(new)
        try:
            yield
        finally:
            self.torch.set_warn_always(before)

    def test_case(self) -> type[unittest.TestCase]:
        torch = self.torch

        class TestCase(unittest.TestCase):
            def setUp(self) -> None:
                torch.manual_seed(1234)
                random.seed(1234)

            def assertEqual(self, x: Any, y: Any, msg: Any = None, **options: Any) -> None:
                if isinstance(x, torch.Tensor) or isinstance(y, torch.Tensor):
                    x, y = (each if isinstance(each, torch.Tensor) else torch.as_tensor(each) for each in (x, y))
                    near = {key: options[key] for key in ("atol", "rtol") if key in options}
                    exact = options.get("exact_dtype", True) and x.dim() + y.dim() > 0 and x.dtype.is_floating_point
                    torch.testing.assert_close(x, y, check_dtype=exact, equal_nan=True, check_stride=False, **near)
                elif isinstance(x, list | tuple) and isinstance(y, list | tuple) and not isinstance(x, torch.Size):
                    super().assertEqual(len(x), len(y), msg)
                    for a, b in zip(x, y, strict=True):
                        self.assertEqual(a, b, msg, **options)
                elif isinstance(x, dict) and isinstance(y, dict):
                    super().assertEqual(set(x), set(y), msg)
                    for key in x:
                        self.assertEqual(x[key], y[key], msg, **options)
                elif isinstance(x, float) or isinstance(y, float):
                    torch.testing.assert_close(x, y, rtol=1e-6, atol=1e-5, check_dtype=False)
                else:
                    super().assertEqual(x, y, msg)

            def assertNotEqual(self, x: Any, y: Any, msg: Any = None, **options: Any) -> None:
                with self.assertRaises(AssertionError, msg=msg):
                    self.assertEqual(x, y, msg, **options)

            def assertExpectedInline(self, actual: str, expect: str, skip: int = 0) -> None:
                super().assertEqual(actual.strip(), expect.strip())

            def assertExpected(self, *_: Any) -> None:
                """The expected texts lie in other files than this one."""

            @contextlib.contextmanager
            def assertWarnsOnceRegex(self, category: type[Warning], regex: str = "") -> Iterator[None]:
                with warnings.catch_warnings(record=True) as seen:
                    warnings.simplefilter("always")
                    yield
                self.assertTrue(any(issubclass(each.category, category) for each in seen))
                if regex:
                    self.assertRegex(str(seen[0].message), regex)

            def assertNotWarn(self, call: Callable[[], Any], msg: str = "") -> None:
                with warnings.catch_warnings(record=True) as seen:
                    warnings.simplefilter("always")
                    call()
                self.assertTrue(not seen, msg)

        return TestCase


def as_it_is(found: Any = None, *_: Any, **__: Any) -> Any:
    """A decorator, with arguments or without, that leaves a test alone."""
    return found if isinstance(found, types.FunctionType | type) else as_it_is


def parametrize(names: str, values: Any, **_: Any) -> Callable[[Any], Any]:
    def decorate(test: Any) -> Any:
        keys = [each.strip() for each in names.split(",")]
        rows = [
            dict(zip(keys, value if len(keys) > 1 else (value,), strict=True)) for value in values if value is not None
        ]
        test.parameters = [*getattr(test, "parameters", []), rows]
        return test

    return decorate


@contextlib.contextmanager
def disable_gc() -> Iterator[None]:
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        (gc.enable if before else gc.disable)()


def loaded(path: Path, harness: Harness) -> dict[str, Any]:
    """The names of the file, executed with the torch of the harness."""
    tree = ast.fix_missing_locations(Imports().visit(ast.parse(path.read_text())))
    module = sys.modules[path.stem] = types.ModuleType(path.stem)
    sys.modules["torch"] = harness.torch  # which pickle looks for
    vars(module).update(
        __file__=str(path), _of_torch=harness.found, _root_of_torch=harness.root, _decorator=decorator_or_failure
    )
    exec(compile(tree, str(path), "exec"), vars(module))
    return vars(module)


def outcome(cls: Any, name: str) -> tuple[str, str]:
    """("passed", "skipped", "refused" or "failed", what was raised) for a test with all its parameters."""
    method = getattr(cls, name)
    if getattr(method, "__unittest_skip__", False):
        return "skipped", method.__unittest_skip_why__
    if name in ELSEWHERE:
        return "skipped", "runs in another process"
    device = {"device": "cpu"} if "device" in inspect.signature(method).parameters else {}
    for rows in itertools.product(*getattr(method, "parameters", [])):
        test = cls(name)
        signal.alarm(SECONDS)
        try:
            with warnings.catch_warnings():
                test.setUp()
                method(test, **device, **{key: value for row in rows for key, value in row.items()})
                test.tearDown()
        except unittest.SkipTest as skipped:
            return "skipped", str(skipped)
        except Exception as error:  # noqa: BLE001  what it raises is the result
            said = f"{type(error).__name__}: {error}"
            where = [
                frame.lineno for frame in traceback.extract_tb(error.__traceback__) if "test_autograd" in frame.filename
            ]
            return "refused" if "GradViz" in said else "failed", f"line {where[-1] if where else '?'}: {said}"
        finally:
            signal.alarm(0)
            test.doCleanups()
    return "passed", ""


def ring(*_: Any) -> None:
    raise TimeoutError(f"longer than {SECONDS} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("names", nargs="*", help="run only tests whose name contains one of these")
    parser.add_argument("--real", action="store_true", help="with PyTorch instead of ours")
    parser.add_argument("--write", type=Path, help="write the names of those that pass into a file")
    parser.add_argument("--of", type=Path, help="count only the tests of that list")
    options = parser.parse_args()
    torch = importlib.import_module("torch" if options.real else "gradviz.torch")
    signal.signal(signal.SIGALRM, ring)
    wanted = set(json.loads(options.of.read_text())) if options.of else None
    counts, passed = Counter[str](), []
    found = loaded(options.file, Harness(torch))
    for cls in [each for each in found.values() if isinstance(each, type) and issubclass(each, unittest.TestCase)]:
        for name in unittest.TestLoader().getTestCaseNames(cls):
            whole = f"{cls.__name__}.{name}"
            if (wanted is None or whole in wanted) and (
                not options.names or any(each in whole for each in options.names)
            ):
                result, said = outcome(cls, name)
                counts[result] += 1
                if result == "passed":
                    passed.append(whole)
                else:
                    print(f"{result} {whole}: {said[:400]}", flush=True)
    print(", ".join(f"{count} {result}" for result, count in counts.items()), f"of {counts.total()}")
    if options.write:
        options.write.write_text(json.dumps(passed, indent=0))


if __name__ == "__main__":
    main()
