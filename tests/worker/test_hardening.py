"""What a worker changes on the torch classes, in a process of its own where neither the policy nor the guard is: names
that are given as data stay out, and arrays leave as stand-ins."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BEFORE = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from types import FunctionType
import collections, copy, datetime, pprint, random, types, typing, warnings, weakref
import numpy as np
from gradviz.worker.objects.identity import Identities
from gradviz.worker.objects import hardening
from gradviz.worker.objects.hardening import harden
from gradviz.worker.objects.kept_memory import keeping
from gradviz.worker.objects import numpy_types
from gradviz.worker.policy_names import READABLE_DUNDERS
from gradviz.worker.objects.numpy_types import SafeArray
from gradviz.worker.language.stand_in import plain_type
from gradviz.worker.modules.stand_ins import load_torch
modules = load_torch()
first_append = list.append
harden(modules)
torch = modules["torch"]
def borrowed():  # what of PyTorch's classes a snippet can name and call with an object of another class
    taken = []
    for cls in hardening._own_classes(modules):
        owners = (cls, torch.nn.Module) if issubclass(cls, torch.nn.Module) else (cls,)
        for name, value in vars(cls).items():
            parts = (value.fget, value.fset, value.fdel) if type(value) is property else (value,)
            for part in parts if name in READABLE_DUNDERS or name[:1] != "_" else ():
                if type(part) is FunctionType and name != "__init__":
                    heard = said(lambda: part(1))
                    if heard not in ["expected a '" + each.__name__ + "', not 'int'" for each in owners]:
                        taken.append((cls.__name__, name, heard))
    return taken
class Own(torch.nn.Module): pass
class Number(int):
    __slots__ = ()
    def above(self): return super()
class Recurrent(torch.nn.LSTM): pass
recurrent, answering = Recurrent(2, 2), Own()
vars(answering).update(__deepcopy__=lambda memo: memo, __reduce_ex__=lambda protocol: (dict, ()))
recurrent._flat_weights_names = ["__dict__"]
optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
def act(some):
    some.update(dict(a=1), b=2)
    return some
class Emptying:
    def __init__(self, thing, told=0): self.thing, self.told = thing, told
    def __index__(self):
        self.thing.clear()
        return self.told
    def __iter__(self):
        self.thing.clear()
        return iter([1] * 50)
class Losing:
    def __repr__(self):
        losing.clear()
        return "w"
losing = [Losing(), Losing()]
class Short:
    def __len__(self): return 0
    def __iter__(self): return iter([49, 50])
letters, items, ring, none = bytearray(b"A" * 100), [0] * 50, [], float("nan")
ring.append(ring)
called = iter(lambda: next(called), 1)
class Clearing:
    def __eq__(self, other):
        told.append(second() is not None)
        items.clear()
        told.append(second() is not None)
        return False
def held(method):
    global items, second, told
    items, told = collections.deque([Clearing(), Clearing()]), []
    second = weakref.ref(items[1])
    try:
        getattr(items, method)(5)
    except (RuntimeError, IndexError, ValueError):
        pass
    return told[:2]
class Places:
    def __index__(self):
        places.clear()
        places.others = [bytes(67) for _ in range(400)]
        places.extend(range(100))
        return 0
class Overwriting:
    def __repr__(self):
        form[:] = b"B" * len(form)
        return "x"
form = bytearray(b"%a" + b"A" * 10)
class Own_bytes(bytearray): pass
places = Own_bytes(b"A" * 100)
def spread(act):
    act(slice(Places(), 100, 2))
    return list(places[:4])
def warned():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        bytes([92, 120, 122, 92, 113]).decode("unicode_escape", "ignore")
    return len(found)
run = Identities(lambda function: False)
def said(attempt):
    try:
        return attempt()
    except (AttributeError, RuntimeError, TypeError, ValueError) as error:
        return str(error)
"""
NAME = "the name '{}' is not available in GradViz snippets"
SAID = {
    "the array of a tensor": ("type(torch.ones(1).numpy()) is SafeArray", "True"),
    "a name set on a module": ("setattr(Own(), '__deepcopy__', 1)", NAME.format("__deepcopy__")),
    "a class set on a module": ("setattr(Own(), '__class__', Own)", NAME.format("__class__")),
    "what NumPy would ask for": (
        "vars(schedule).update(__array_interface__=1) or schedule.__array_interface__",
        "'StepLR' object has no attribute '__array_interface__'",
    ),
    "a key of a table": ("torch.nn.ParameterDict()['__class__']", NAME.format("__class__")),
    "a key set in a table": ("torch.nn.ParameterDict().__setitem__('__x__', 1)", NAME.format("__x__")),
    "a name of weights": ("recurrent._flat_weights", "'Recurrent' object has no attribute '_flat_weights'"),
    "a state of a scheduler": ("schedule.load_state_dict({'__deepcopy__': 1})", NAME.format("__deepcopy__")),
    "an optimizer's method with another object": ("torch.optim.SGD.state_dict(1)", "expected a 'Optimizer', not 'int'"),
    "a scheduler's method with another object": (
        "torch.optim.lr_scheduler.StepLR.get_last_lr(1)",
        "expected a 'LRScheduler', not 'int'",
    ),
    "a generator's method with another object": ("torch.Generator.get_state(1)", "expected a 'Generator', not 'int'"),
    "a method of PyTorch's classes with another object": ("borrowed()", "[]"),
    "what a module borrows": (
        "torch.nn.ReLU.forward(Own(), torch.ones(1))",
        "'Own' object has no attribute 'function'",
    ),
    "a bytearray that is emptied": ("letters.find(Emptying(letters, 65))", "0"),
    "a format that is overwritten": ("form % (Overwriting(),)", "bytearray(b'xAAAAAAAAAA')"),
    "a length that is wrong": ("letters.clear() or letters.extend(Short()) or bytes(letters)", "b'12'"),
    "a list that is emptied": (
        "items.__setitem__(slice(None, None, -1), Emptying(items))",
        "attempt to assign sequence of size 50 to extended slice of size 0",
    ),
    "what lies before bytes": (
        "str(UnicodeDecodeError('utf-8', b'abc', -8, -7, 'r'))",
        "utf-8 codec, position -8--7: r",
    ),
    "what lies in bytes": (
        "str(UnicodeDecodeError('utf-8', b'abc', 1, 2, 'r'))",
        "'utf-8' codec can't decode byte 0x62 in position 1: r",
    ),
    "a method that Python knows by its address": (
        "(list.append is first_append, first_append.__name__, type(list.append).__name__, list.append(items, 1))",
        "(False, 'append', 'method_descriptor', None)",
    ),
    "a day of the year 0": ("datetime.date(bytes([0, 0, 1, 1])).ctime()", "year 0 is out of range"),
    "a seed from an address": ("random.Random(none).random() == random.Random(run.hash(none)).random()", "True"),
    "the address of a list in itself": ("pprint.pformat(ring)", f"[<Recursion on list with id={(1 << 40) + 32}>]"),
    "an iterator within itself": ("next(called)", "iterator already executing"),
    "items of a deque that is asked": ("held('__contains__')", "[True, True]"),
    "items of a deque that is searched": ("held('index')", "[True, True]"),
    "items of a deque that are counted": ("held('count')", "[True, True]"),
    "items of a deque that one leaves": ("held('remove')", "[True, True]"),
    "a place that empties a bytearray": (
        "spread(lambda place: places.__setitem__(place, bytes(50)))",
        "[0, 1, 0, 3]",
    ),
    "a place that is deleted": ("spread(lambda place: places.__delitem__(place))", "[1, 3, 5, 7]"),
    "what a Counter counts with": ("collections._count_elements.__module__", "gradviz.worker.objects.python_types"),
    "a letter of a text that is freed": ("warned()", "0"),
    "a table that its copy empties": ("type(collections.OrderedDict.copy).__name__", "function"),
    "a list in a type in brackets": (
        "repr([list[losing], *list[losing], *tuple[int]])",
        "[list[[w, w]], *list[[]], *tuple[int]]",
    ),
    "a mark on a class": ("plain_type[int](random.Random())", "type[...] can't be called; write type()"),
    "a mark by a type in brackets of typing": (
        "hasattr(typing.Annotated[lambda: Own, 1](), '__orig_class__')",
        "False",
    ),
    "a type in brackets of typing that makes nothing": (
        "typing.Type[int](1)",
        "Type Type cannot be instantiated; use type() instead",
    ),
    "what a Counter has counted": (
        "collections.Counter('abca') + collections.Counter(b=-1)",
        "Counter({'a': 2, 'c': 1})",
    ),
    "how an object says that it is copied": (
        "[type(act(answering)).__name__ for act in (copy.copy, copy.deepcopy)]",
        "['Own', 'Own']",
    ),
    "an object of super() without a class": ("copy.copy(Number(3).above())", "cannot pickle 'super' object"),
    "None that is lent to a property": (
        "[before := sys.getrefcount(None), sum(bool(each.deleter(None)) for each in [property(len)] * 500), "
        "sys.getrefcount(None) > before - 100][1:]",
        "[500, True]",
    ),
    "a property that is given None": (
        "[(each.fget, each.fset, each.fdel, each.__doc__) == (len, print, None, len.__doc__) for each in "
        "(getattr(property(len, print), name)(None) for name in ('getter', 'setter', 'deleter'))]",
        "[True, True, True]",
    ),
    "a dict that grows while it is gone through backwards": (
        "[some := dict(a=1), list(map(lambda each: some.update({each * 2: 3}), reversed(some)))]",
        "dictionary changed size during iteration",
    ),
    "dicts gone through backwards": (
        "[list(reversed(each)) for each in (collections.OrderedDict(a=1), dict(a=1, b=2).items(), {}.values(), "
        "types.MappingProxyType({3: 4}), collections.Counter('ab').keys())]",
        "[['a'], [('b', 2), ('a', 1)], [], [3], ['b', 'a']]",
    ),
    "a dict that is filled in the middle of a search": (
        "[keeping(lambda: [act({}), act(dict(z=3))])(), [act({}), act(dict(z=3))]]",
        "[[{'a': 1, 'b': 2}, {'z': 3, 'a': 1, 'b': 2}], [{'a': 1, 'b': 2}, {'z': 3, 'a': 1, 'b': 2}]]",
    ),
    "a dict that is emptied in the middle of a search": (
        "[some := dict(a=1, b=2), keeping(some.clear)(), some][2]",
        "{}",
    ),
    "a dtype of one's own": ("type(torch.float32)('x', 'O', 2, 'X')", "cannot create 'torch.dtype' instances"),
}


@pytest.fixture(scope="module")
def said() -> list[str]:
    script = BEFORE + "".join(f"print(said(lambda: {code}))\n" for code, _ in SAID.values())
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("what", SAID)
def test_what_stays_out(said: list[str], what: str) -> None:
    assert said[list(SAID).index(what)] == SAID[what][1]
