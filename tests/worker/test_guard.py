"""The guard alone, in this process: what its hooks refuse although neither the policy nor a locked worker, which would
stop most of it, too, is there."""

from __future__ import annotations

import builtins
import functools
import gc
import math
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradviz.engine.kernel.rows import ROWS
from gradviz.engine.kernel.state import state
from gradviz.worker.language import enumerations
from gradviz.worker.language.policy import compile_snippet
from gradviz.worker.language.run_texts import run_code
from gradviz.worker.language.stand_in import plain_super, plain_type
from gradviz.worker.modules.snippet_builtins import snippet_builtins
from gradviz.worker.modules.stand_ins import TorchFacade, World, load_torch, torch_modules
from gradviz.worker.objects.numpy_boundary import to_snippet
from gradviz.worker.objects.numpy_types import SafeArray
from gradviz.worker.policy_names import REFUSED_BUILTINS
from tests.worker.conftest import Runner

REAL = load_torch()
TORCH = REAL["torch"]
ALIAS: Any = types.GenericAlias  # which forwards to what it is made of
DOORS = ("__array_interface__", "__array_struct__", "__array__")  # by which NumPy asks an object for its memory


class Lying(str):
    """A name that answers as one which is offered."""

    __slots__ = ()

    def startswith(self, *given: object) -> bool:
        return False


@pytest.fixture(scope="module")
def world() -> World:
    made = World(TorchFacade(torch_modules(REAL)), lambda stream, text: None)
    made.guard.globals.update(made.guard.hooks(), __name__="__main__")
    return made


def made_by_snippet(world: World, text: str = "class A: pass", **names: Any) -> Any:
    """The class A that a statement of the snippet makes."""
    held = {"__builtins__": {**vars(builtins), "__build_class__": world.classes.build_class}, "__name__": "__main__"}
    exec(text, held | names, made := {})
    return made["A"]


def written_out(world: World, expression: str) -> None:
    """Evaluate an expression as it stands in a snippet."""
    exec(compile_snippet(expression, "snippet.py", ()), dict(world.guard.globals))


def node() -> Any:
    x = TORCH.tensor(1.0, requires_grad=True)
    return (x * x).grad_fn


READ: dict[str, Callable[[World], Any]] = {
    "a name that lies": lambda world: world.guard.getattr(int, Lying("__mro__")),
    "a name of Python's": lambda world: world.guard.getattr(int, "__subclasses__", None),
    "a name of Python's insides": lambda world: world.guard.getattr((each for each in ()), "gi_frame", None),
    "a name of Python's, written out": lambda world: written_out(world, "int.__mro__"),
    "such a name in other letters": lambda world: written_out(world, "int.__𝑚𝑟𝑜__"),
    "whether there is such a name": lambda world: world.guard.hasattr(int, "__mro__"),
    "what would be initialized again": lambda world: world.guard.get(
        TORCH.distributions.constraints.positive, "__init__"
    ),
    "a private name": lambda world: world.guard.get(TORCH.ones(1), "_data"),
    "a private name of a node": lambda world: world.guard.get(node(), "_backward"),
    "what a node has saved": lambda world: world.guard.get(node(), "saved"),
    "what a node has saved, by its class": lambda world: world.guard.get(type(node()), "saved_items"),
    "the NumPy type of a dtype": lambda world: world.guard.get(TORCH.float32, "np"),
    "the object of an error": lambda world: world.guard.get(AttributeError("x", obj=math), "obj"),
    "the dtype of an array of NumPy's own": lambda world: world.guard.get(np.zeros(1), "dtype"),
    "a view of an array of NumPy's own": lambda world: world.guard.getattr(np.zeros(1), "view"),
    "a view by the class": lambda world: world.guard.get(np.ndarray, "view"),
    "the type of a dtype of NumPy's own": lambda world: world.guard.get(np.dtype("O"), "type"),
    "the method of a ufunc": lambda world: world.guard.get(np.add, "at"),
    "the memory of an array of NumPy's own by an alias": lambda world: world.guard.get(ALIAS(np.zeros(1), int), "data"),
    "the type of an array of NumPy's own": lambda world: plain_type(np.zeros(1)),
    "the table behind a dictionary's keys": lambda world: world.guard.get({}.keys(), "mapping"),
    "super() of a tensor": lambda world: world.guard.super(TORCH.Tensor, TORCH.ones(1)),
    "super() of a class of PyTorch's": lambda world: world.guard.super(TORCH.Tensor),
    "the methods of super() without an object": lambda world: world.guard.getattr(
        world.guard.super(made_by_snippet(world)), "__getattribute__"
    ),
    "the attributes of a tensor": lambda world: world.guard.vars(TORCH.ones(1)),
    "the attributes of a class": lambda world: world.guard.vars(made_by_snippet(world)),
    "attributes in a text": lambda world: world.guard.get("{0.__class__}", "format")(1),
    "attributes in a text, by its class": lambda world: world.guard.get(str, "format")("{0.__class__}", 1),
    "attributes in a text with names": lambda world: world.guard.get("{x.__class__}", "format_map")({"x": 1}),
    "attributes by operator.attrgetter": lambda world: world.modules["operator"].attrgetter("__class__.__base__")(1),
    "a method by its name": lambda world: world.modules["operator"].methodcaller("__reduce_ex__", 2)(1),
    "type() with three arguments": lambda world: plain_type("A", (), {}),
    "a class by the class of super()": lambda world: plain_super(int, 1),
    "a mark on what a function returns": lambda world: plain_type(list[int])(f, (int,)),
}


def f() -> None:
    """A function that is not the snippet's."""


WRITTEN: dict[str, Callable[[World], Any]] = {
    "a name of Python's": lambda world: world.guard.setattr(made_by_snippet(world), "__module__", "torch"),
    "a name that lies": lambda world: world.guard.setattr(made_by_snippet(world)(), Lying("__class__"), int),
    "an attribute of a tensor's class": lambda world: world.guard.setattr(TORCH.Tensor, "backward", 1),
    "an attribute of a class": lambda world: world.guard.setattr(TORCH.nn.Module, "forward", 1),
    "an attribute of a builtin class": lambda world: world.guard.setattr(OSError, "x", 1),
    "an attribute of a function": lambda world: world.guard.setattr(f, "x", 1),
    "what Python keeps in an error": lambda world: world.guard.setattr(OSError(), "errno", 1),
    "an attribute of an error of NumPy's": lambda world: world.guard.setattr(np.linalg.LinAlgError(), "x", 1),
    "the factory of a field": lambda world: world.guard.setattr(
        world.modules["dataclasses"].field(), "default_factory", 1
    ),
    "an attribute of a dtype": lambda world: world.guard.setattr(TORCH.float32, "x", 1),
    "an attribute of a node": lambda world: world.guard.setattr(node(), "saved", 1),
    "the name of a tensor's memory": lambda world: world.guard.write(made_by_snippet(world)(), "_data"),
    "a private name of a tensor": lambda world: world.guard.setattr(TORCH.ones(1), "_data", 1),
    "the table of a module": lambda world: world.guard.setattr(TORCH.nn.Linear(1, 1), "_modules", {}),
    "a name that is taken away": lambda world: world.guard.delattr(TORCH.nn.Module, "forward"),
    "a name put into vars()": lambda world: world.guard.vars(made_by_snippet(world)()).update({"__deepcopy__": 1}),
    "a name in a namespace": lambda world: world.modules["types"].SimpleNamespace(**{"__deepcopy__": 1}),
    "a function by functools.wraps": lambda world: world.modules["functools"].wraps(math.sin)(f),
    "a class by @dataclass": lambda world: world.modules["dataclasses"].dataclass(TORCH.nn.Linear),
    "a class by @total_ordering": lambda world: world.modules["functools"].total_ordering(TORCH.nn.Linear),
}


@pytest.mark.parametrize("what", READ)
def test_what_is_not_read(world: World, what: str) -> None:
    with pytest.raises((AttributeError, TypeError)):
        READ[what](world)


@pytest.mark.parametrize("what", WRITTEN)
def test_what_is_not_written(world: World, what: str) -> None:
    with pytest.raises((AttributeError, TypeError)):
        WRITTEN[what](world)


def functions_of_snippet(world: World) -> dict[str, Callable[..., Any]]:
    """Some, under the names of what they take."""
    source = """
def first(a): return a
def docstring(a):
    "With one."
    return a
def default(a=1, /, b=2): return a
def keyword(*, a): return a
def several(*given, **named): return given, named
function = lambda a: a
from dataclasses import dataclass
from collections import namedtuple
from typing import NamedTuple, TypedDict
@dataclass
class B: a: object
Named = namedtuple("Named", "a")
class Row(NamedTuple): a: object
class Table(TypedDict): a: object
class A:
    def __init__(self, a): self.a = a
    def method(self, a): return a
    @staticmethod
    def static(a): return a
method, static = A(1).method, A.static
def generator(a): yield a
"""
    offered = snippet_builtins(world.guard, world.classes, world.import_module, print, input)
    made: dict[str, Any] = {**world.guard.hooks(), "__name__": "__main__", "__builtins__": offered}
    exec(compile_snippet(source, "snippet.py", world.modules), made)
    return {name: value for name, value in made.items() if not name.startswith("_") and callable(value)}


FOREIGN = [np.zeros(1), np.float64(1.0), np.dtype("O"), np.add, np.ndarray, ROWS["add"], state, math, memoryview(b"x")]


@pytest.mark.parametrize("foreign", FOREIGN, ids=lambda each: type(each).__name__)
def test_no_function_of_a_snippet_gets_what_is_not_for_it(world: World, foreign: Any) -> None:
    functions = functions_of_snippet(world)
    calls = {
        **{name: functools.partial(functions[name], foreign) for name in ("first", "docstring", "default", "function")},
        **{name: functools.partial(functions[name], foreign) for name in ("several", "method", "static")},
        "in a list": lambda: functions["first"]([foreign]),
        "in a dict": lambda: functions["first"]({"a": foreign}),
        "by keyword": lambda: functions["keyword"](a=foreign),
        "by another keyword": lambda: functions["several"](a=foreign),
        "generator": lambda: next(functions["generator"](foreign)),
    }
    for name, call in calls.items():
        with pytest.raises(TypeError, match="an object that belongs to GradViz"):
            call()
            pytest.fail(name)


@pytest.mark.parametrize("name", ["B", "Named", "Row"])
def test_no_class_that_is_made_for_a_snippet_gets_what_is_not_for_it(world: World, name: str) -> None:
    made = functions_of_snippet(world)[name]
    for call in (lambda: made(FOREIGN[0]), lambda: made(a=FOREIGN[0]), lambda: made([FOREIGN[0]])):
        with pytest.raises(TypeError, match="an object that belongs to GradViz"):
            call()
    assert made(1) == made(a=1) and made(1).a == 1


def test_functions_of_a_snippet_get_what_is_for_it(world: World) -> None:
    functions = functions_of_snippet(world)
    for each in (1, "a", None, TORCH.ones(1), [1, 2], {"a": 1}, to_snippet(np.zeros(1)), to_snippet(np.float64(1.0))):
        assert functions["first"](each) is each and functions["function"](each) is each
    assert functions["docstring"].__doc__ == "With one."


@pytest.mark.parametrize("name", REFUSED_BUILTINS)
def test_a_builtin_that_is_not_offered(world: World, name: str) -> None:
    """Whatever way the snippet names it."""
    offered = snippet_builtins(world.guard, world.classes, world.import_module, print, input)
    with pytest.raises(PermissionError, match=rf"{name}\(\) is not available"):
        offered[name]("1", "x", "exec")


def test_the_tables_of_a_module_hold_what_belongs_there(world: World) -> None:
    module = TORCH.nn.Linear(1, 1)
    for name in ("_parameters", "_modules", "_buffers", "_forward_hooks"):
        table = world.guard.get(module, name)
        assert table == getattr(module, name) and table is not getattr(module, name)
        with pytest.raises(TypeError, match="only modules, parameters and buffers"):
            table["x"] = 5
        assert "x" not in getattr(module, name)
    world.guard.get(module, "_modules")["inner"] = TORCH.nn.ReLU()
    assert type(module.inner) is TORCH.nn.ReLU


@pytest.mark.parametrize("base", [TORCH.dtype, type, type(math), np.ndarray, memoryview, type(f)])
def test_what_is_no_base_class(world: World, base: type) -> None:
    with pytest.raises(TypeError, match="can't be a base class"):
        made_by_snippet(world, "class A(base): pass", base=base)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("class A(metaclass=Meta): pass", "a metaclass is not"),
        ("class A(total=False): pass", "class keywords are not"),
        *((f"class A:\n    __slots__ = ['{name}']", "a class can't define") for name in DOORS),
        *((f"class A:\n    {name} = 1", "a class can't define") for name in ("__reduce__", "__del__", "__getattr__")),
        ("class A(Row):\n    __reduce__ = 1", "a class can't define"),
        ("class A:\n    _data = 1", "a class can't define '_data'"),
        ("class A:\n    _data: int", "a class can't define '_data'"),
        ("class A(Enum):\n    _data = 1", "a class can't define '_data'"),
        ("class A(Module):\n    __match_args__ = ('_modules',)", "a field can't be called '_modules'"),
        ("class A(str):\n    __match_args__ = ('format',)", "a field can't be called 'format'"),
    ],
)
def test_what_a_class_does_not_hold(world: World, text: str, words: str) -> None:
    row = world.modules["typing"].NamedTuple
    with pytest.raises(TypeError, match=words):
        names = {"Meta": type("Meta", (type,), {}), "Module": TORCH.nn.Module, "Enum": world.modules["enum"].Enum}
        made_by_snippet(world, text, Row=row, **names)


@pytest.mark.parametrize(("base", "field"), [("Module", "_modules"), ("str", "format"), ("AttributeError", "obj")])
def test_a_class_that_dataclass_refuses_has_no_pattern(world: World, base: str, field: str) -> None:
    """The snippet has it still, and may catch the error."""
    text = f"class A({base}):\n    {field}: int"
    made = made_by_snippet(world, text, Module=TORCH.nn.Module, Tensor=TORCH.Tensor)
    with pytest.raises(TypeError, match=f"a field can't be called '{field}'"):
        world.modules["dataclasses"].dataclass(made)
    assert not hasattr(made, "__match_args__") and not hasattr(made, "__dataclass_fields__")


def test_a_field_may_be_called_as_what_only_others_keep(world: World) -> None:
    made = made_by_snippet(world, "class A:\n    format: str\n    obj: int = 2")
    assert repr(world.modules["dataclasses"].dataclass(made)("png")) == "A(format='png', obj=2)"


@pytest.mark.parametrize("name", ["dataclass", "total_ordering"])
def test_a_decorator_changes_no_class_of_others(world: World, name: str) -> None:
    decorate = getattr(world.modules["dataclasses" if name == "dataclass" else "functools"], name)
    with pytest.raises(TypeError, match=f"{name} works on classes of the snippet"):
        decorate(TORCH.nn.Linear)


def test_an_enum_is_made_by_a_class_statement_only(world: World) -> None:
    for kind in (world.modules["enum"].Enum, world.modules["enum"].IntEnum):
        with pytest.raises(TypeError, match="an Enum is made with a class statement"):
            kind("A", {"x": 1})


def test_no_text_runs_with_builtins_of_python() -> None:
    with pytest.raises(PermissionError, match="a text runs with the names of the snippet"):
        run_code(compile("1", "<string>", "exec"), {}, {})


def test_nothing_is_kept_of_a_text_that_has_run(world: World) -> None:
    """But its functions are the snippet's as long as somebody has them."""
    offered = snippet_builtins(world.guard, world.classes, world.import_module, print, input)
    kept: list[dict[str, Any]] = [{} for _ in range(3)]
    for names in kept:
        offered["exec"]("def f(): return globals()\ntable = f()", names)
    assert all(world.guard.wrote(names["f"]) for names in kept)
    assert len(world.guard.tables) == len(kept)
    functions = [weakref.ref(names["f"]) for names in kept]
    kept.clear()
    del names
    gc.collect()
    assert len(world.guard.tables) == 0 and not any(each() for each in functions)


def test_functools_wraps_copies_no_table_of_others(world: World) -> None:
    made: dict[str, Any] = {}
    exec("def g(): pass", world.guard.globals, made)
    wrapped = world.modules["functools"].wraps(TORCH.nn.Linear(1, 1))(made["g"])
    assert vars(wrapped).keys() <= {"__wrapped__"}


@pytest.mark.parametrize("base", ["Tensor", "SGD"])
def test_what_calls_methods_with_arrays_has_no_other_base_class(world: World, base: str) -> None:
    """Its attributes could change later, and be no functions of the snippet."""
    text = f"class M: pass\nclass A(M, {base}): pass"
    with pytest.raises(TypeError, match="M as another base class of a tensor or an optimizer is not"):
        made_by_snippet(world, text, Tensor=TORCH.Tensor, SGD=TORCH.optim.SGD)


def test_the_operators_of_a_class_get_stand_ins(world: World) -> None:
    made = made_by_snippet(world, "class A:\n    def __radd__(self, other): return type(other)")
    assert made().__radd__(np.zeros(1)) is SafeArray


def test_a_parser_is_made_over_no_object_of_the_snippet(world: World) -> None:
    argparse = world.modules["argparse"]
    with pytest.raises(TypeError, match="objects of this class are not available in GradViz snippets but by Argument"):
        type(argparse.ArgumentParser())(object(), print, argparse.Namespace, [])


def test_the_operators_of_an_enum_get_stand_ins(world: World) -> None:
    text = "class A(Enum):\n    x = 1\n    def __radd__(self, other): return type(other)"
    made = made_by_snippet(world, text, Enum=world.modules["enum"].Enum)
    assert made.x.__radd__(np.zeros(1)) is SafeArray


def test_a_member_of_an_enum_tells_of_its_value_what_the_snippet_may_read(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(enumerations, "_SINCE_3_12", True)  # since then, the fields of a data class are told
    text = "@dataclass\nclass D: obj: int\nclass A(D, Enum): x = 1"
    around = {"dataclass": world.modules["dataclasses"].dataclass, "Enum": world.modules["enum"].Enum}
    made = made_by_snippet(world, text, **around)
    assert repr(made.x) == "<A.x: obj=1>"
    made.x._value_ = AttributeError("x", obj=1)
    with pytest.raises(AttributeError, match="has no attribute 'obj'"):
        repr(made.x)


@pytest.mark.parametrize("home", ["torch.Size", "gymnasium.spaces.Discrete"])
def test_no_class_with_arrays_is_mixed_into_an_enum(world: World, home: str) -> None:
    module, _, name = home.rpartition(".")
    with pytest.raises(TypeError, match="as another base class of an Enum"):
        made_by_snippet(
            world,
            "class A(Base, Enum):\n    x = (1,)",
            Enum=world.modules["enum"].Enum,
            Base=getattr(world.modules[module], name),
        )


_OF_ITS_OWN = """
import torch
from torchvision import models
class Simple(torch.optim.Optimizer):
    def __init__(self, params): super().__init__(params, {})
    def _update(self, p): p.sub_(p.grad)
    def step(self):
        with torch.no_grad():
            for group in self.param_groups:
                for p in group["params"]: self._update(p)
class Net(models.ResNet):
    def _make_layer(self, *given, **named):
        self.made = getattr(self, "made", 0) + 1
        return super()._make_layer(*given, **named)
class Head(torch.nn.Module):
    _version, _kinds = 3, {}
w = torch.ones(2, requires_grad=True)
w.sum().backward()
Simple([w]).step()
print(w, Net(models.resnet.BasicBlock, [1, 1, 1, 1]).made, Head()._version)
"""


def test_methods_under_private_names_of_pytorch_can_be_written(run: Runner) -> None:
    assert run(_OF_ITS_OWN).printed() == "tensor([0., 0.], requires_grad=True) 4 3\n"


def test_what_an_offered_class_keeps_is_not_replaced(run: Runner) -> None:
    told = run("from torchvision import datasets\nclass A(datasets.MNIST):\n    _labels = None").sentence
    assert told == "TypeError: '_labels' belongs to a base class in GradViz snippets; choose another name"


def test_numpy_asks_an_object_of_the_snippet_for_no_memory(world: World) -> None:
    """Whatever name of NumPy's got into it by a way that nobody knows."""
    memory = np.arange(8.0)
    for name in DOORS:
        thing = made_by_snippet(world)()
        vars(thing)[name] = getattr(memory, name)
        assert np.asarray(thing).dtype == object


def test_super_of_a_class_alone_initializes_nothing(run: Runner) -> None:
    """As PyTorch's page of IterableDataset writes it."""
    text = (
        "import torch\nclass Lines(torch.utils.data.IterableDataset):\n"
        "    def __init__(self, end):\n        super(Lines).__init__()\n        self.end = end\n"
        "    def __iter__(self): return iter(range(self.end))\n"
        "print(list(torch.utils.data.DataLoader(Lines(3), batch_size=2)))"
    )
    assert run(text).printed() == "[tensor([0, 1]), tensor([2])]\n"
