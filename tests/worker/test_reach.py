"""From everything that a snippet can import or make, following public attributes leads to no module, frame, code, weak
reference or raw array.

The language lets nobody spell private names; what this test walks is what is left. It found the saved buffers of a
node.
"""

from __future__ import annotations

import contextlib
import inspect
import types
import warnings
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from gradviz.engine.kernel.tensor import ORDINARY, MarkedType
from gradviz.worker.language.enumerations import EnumForm
from gradviz.worker.language.stand_in import StandIn, plain_type
from gradviz.worker.modules.stand_ins import TorchFacade, World, load_torch, torch_modules
from gradviz.worker.objects.numpy_boundary import REAL, to_snippet
from gradviz.worker.objects.numpy_types import Finfo, Flags, Flat, Iinfo
from gradviz.worker.policy_names import FORBIDDEN_ATTRIBUTES, HOOKED_ATTRIBUTES
from tests.worker.conftest import Runner

DEEPEST = 5
WEAK = (weakref.ref, weakref.WeakKeyDictionary, weakref.WeakValueDictionary, weakref.WeakSet)  # call at an object's end
INNARDS = (types.ModuleType, types.FrameType, types.CodeType, types.TracebackType, *WEAK)
PLAIN = (int, float, complex, str, bytes, bool, type(None), np.generic, np.ndarray)
# without a class of NumPy's own behind them; an error and a context manager that hold nothing
OTHER_STAND_INS = (Finfo, Flags, Flat, Iinfo, np.linalg.LinAlgError, np.errstate)
OPEN_PRIVATE = ("_base", "_parameters", "_modules", "_buffers", "_backward_hooks", "_forward_hooks")


@pytest.fixture(scope="module")
def world() -> World:
    return World(TorchFacade(torch_modules(load_torch())), lambda stream, text: None)


def things(torch: Any) -> dict[str, Any]:
    """One of each kind of object that a snippet gets from torch."""
    kept: list[Any] = []

    class Double(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            ctx.save_for_backward(a)
            kept.append(ctx)
            return a * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).exp()
    view = x.clone()
    view[0] = 3.0
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    y.sum().backward(retain_graph=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as saved:
        (x * x).sum()
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x.detach()))
    return {
        "leaf": x, "result": y, "node": y.grad_fn, "own function": Double.apply(x), "ctx": kept[0], "view": view,
        "module": model, "output": model(x), "parameter": model[0].weight, "optimizer": optimizer, "loader": loader,
        "state": model.state_dict(), "hook": x.register_hook(lambda grad: grad), "array": x.detach().numpy(),
        "largest": x.max(0), "generator": torch.Generator(), "mode": torch.no_grad(), "iterator": iter(loader),
        "schedule": torch.optim.lr_scheduler.StepLR(optimizer, 1), "saved": saved,
    }  # fmt: skip


def reachable(roots: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    waiting = [(path, thing, 0) for path, thing in roots.items()]
    seen: dict[int, Any] = {}  # keeps them alive, so that no identity is used twice
    while waiting:
        path, thing, depth = waiting.pop()
        if id(thing) in seen:
            continue
        seen[id(thing)] = thing
        yield path, thing
        if depth == DEEPEST or isinstance(thing, (PLAIN, INNARDS)):
            continue
        if isinstance(thing, list | tuple | set):
            waiting += [(f"{path}[]", each, depth + 1) for each in list(thing)[:20]]
        if isinstance(thing, dict):
            waiting += [(f"{path}[{key!r}]", each, depth + 1) for key, each in list(thing.items())[:20]]
        waiting += [(f"{path}.{name}", value, depth + 1) for name, value in readable(thing)]
        waiting += [(f"{path}, by default", value, depth + 1) for value in defaults(thing)]


def readable(thing: Any) -> Iterator[tuple[str, Any]]:
    for name in dir(thing):
        closed = name.startswith("_") and name not in OPEN_PRIVATE and not name.startswith("_saved")
        if closed or name in FORBIDDEN_ATTRIBUTES or name in HOOKED_ATTRIBUTES:
            continue
        try:
            value = getattr(thing, name)
        except Exception:  # noqa: BLE001 what can't be read leads nowhere
            continue
        yield name, value


def defaults(thing: Any) -> Iterator[Any]:
    """Yield what is given for the arguments that a call leaves out: `Function.apply` shows it to `setup_context`."""
    asked = getattr(thing, "__init__", None) if isinstance(thing, type) else thing
    function = inspect.unwrap(getattr(asked, "__func__", asked)) if callable(asked) else None
    if isinstance(function, types.FunctionType):
        yield from (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())


def is_numpys_own(thing: Any) -> bool:
    """Whether it is an object or a class of NumPy's itself, and no stand-in."""
    kind = thing if isinstance(thing, type) else type(thing)
    return kind.__module__.split(".")[0] in ("numpy", "ml_dtypes") and kind not in REAL and kind not in OTHER_STAND_INS


def test_nothing_that_can_be_reached_is_an_innard(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    real = load_torch()["torch"]
    plain = real.Tensor.numpy
    monkeypatch.setattr(real.Tensor, "numpy", lambda tensor: to_snippet(plain(tensor)))  # as in a worker
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = list(reachable({**world.modules, **things(real)}))
    leaks = [path for path, thing in found if isinstance(thing, INNARDS) or thing is type or is_numpys_own(thing)]
    assert not leaks
    assert len(found) > 2000


@pytest.mark.parametrize(
    "call",
    [
        *("np.errstate(all='ignore')", "np.printoptions(precision=3)", "torch.random.fork_rng()"),
        *("torch.nn.utils.parametrize.cached()", "torch.autograd.graph.disable_saved_tensors_hooks('no')"),
        *("torch.utils.checkpoint.set_checkpoint_early_stop(False)", "torch.nn.attention.sdpa_kernel([])"),
    ],
)
def test_a_context_of_ours_hands_out_no_generator(run: Runner, call: str) -> None:
    source = (
        f"import numpy as np, torch\nmade = {call}\n"
        "print([name for name in ('gen', 'func', 'args', 'kwds') if hasattr(made, name)])\n"
        "with made as it: print(it or None)\n"
        f"@{call}\ndef f(x): return x\nprint(f.__name__, f(3), f(4))\n"
    )
    outcome = run(source)
    assert outcome.printed() == "[]\nNone\nf 3 4\n", outcome.sentence


def test_every_context_of_ours_is_offered_without_its_generator(world: World) -> None:
    made = contextlib.contextmanager(iter).__code__
    modules = [each for each in world.modules.values() if isinstance(each, StandIn)]
    functions = [(type(module).__name__, key, getattr(module, key)) for module in modules for key in vars(type(module))]
    assert not [(module, key) for module, key, value in functions if getattr(value, "__code__", None) is made]
    assert len(functions) > 2000


def test_stand_ins_hold_no_state_of_their_own(world: World) -> None:
    for name, module in world.modules.items():
        if isinstance(module, StandIn):
            assert not hasattr(module, "__dict__"), name
            assert type(type(module)) is type, name


def test_every_offered_class_has_the_plain_metaclass_or_is_no_base(world: World) -> None:
    """A snippet that derives from an offered class must get a class whose metaclass does nothing, or only looks for a
    mark."""
    assert {name for name, value in vars(MarkedType).items() if callable(value)} == {"__instancecheck__"}
    for name, module in world.modules.items():
        for key, value in vars(type(module)).items():
            if isinstance(value, type) and type(value) not in ORDINARY and not key.startswith("__"):
                label = f"{name}.{key}"
                assert value is plain_type or isinstance(value, EnumForm) or not world.classes.may_be_base(value), label


@pytest.mark.parametrize("method", ["sort()", "argsort()", "partition(1)", "argpartition(1)", "searchsorted(1)"])
def test_an_array_of_objects_is_sorted_by_nobody(run: Runner, method: str) -> None:
    """It would call the snippet while NumPy holds pointers into the array."""
    source = (
        "import numpy as np\nclass A:\n    def __lt__(self, other): print('called')\n"
        f"    def __radd__(self, other): return self\narray = np.float64(1) + [A(), A()]\narray.{method}\n"
    )
    outcome = run(source)
    assert outcome.done.status == "raised"
    assert "NumPy in GradViz snippets takes numbers, lists, arrays and tensors, not A objects" in outcome.sentence
    assert "called" not in outcome.printed()
