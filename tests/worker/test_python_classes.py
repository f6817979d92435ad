"""`dataclasses` and `enum` of a snippet do what Python's own do: the same source prints the same in both."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.worker.conftest import Runner

_BEFORE = """
import copy, pprint, sys
from dataclasses import *
from typing import ClassVar, Generic, List, NamedTuple, TypeVar
from collections import OrderedDict, defaultdict, namedtuple
from abc import ABC, abstractmethod
from enum import *
def attempt(*acts):
    for act in acts:
        try: print(act())
        except Exception as error: print(type(error).__name__, error)
def declare(**options):
    def declared(cls):
        try: return dataclass(**options)(cls)
        except Exception as error: print(type(error).__name__, error)
    return declared
"""

DATA_CLASSES = {
    "what is called wrongly": """
@dataclass
class A:
    x: int
    y: str = "a"
attempt(A, lambda: A(1, 2, 3), lambda: A(x=1, z=2), lambda: A(1, x=2), lambda: A(1, y=3), lambda: A(1).z)
attempt(lambda: dataclass(A, what=1), lambda: dataclass(1, 2), lambda: field(1), lambda: field(what=1))
attempt(lambda: field(default=1, default_factory=list), lambda: fields(3), lambda: fields(int), lambda: asdict(A))
attempt(lambda: asdict(3), lambda: astuple(3), lambda: replace(3), lambda: replace(A(1), z=3), lambda: replace(A, x=1))
print(is_dataclass(A), is_dataclass(A(1)), is_dataclass(3), is_dataclass(int))
""",
    "comparing": """
@dataclass(order=True)
class A:
    x: float
    y: object = field(default=0, compare=False)
class B(A): pass
@dataclass
class Same:
    x: float = float("nan")
class Odd:
    def __eq__(self, other): return "odd"
@dataclass(eq=False)
class No:
    x: int = 1
@dataclass
class Own:
    x: int
    def __eq__(self, other): return "own"
@dataclass
class Empty: pass
print(A(1) == A(1, 5), A(1) != A(2), A(1) < A(2), A(1) >= A(2), A(1) == B(1), A(1) == 1)
print(max(A(1), A(3), A(2)))
same = Same()
print(same == same, Same() == Same(), Own(1) == Own(1), No() == No(), Empty() == Empty(), Same(Odd()) == Same(Odd()))
attempt(lambda: A(1) < 2, lambda: A(1) < B(2), lambda: Own(1) < Own(2), lambda: A("a") < A(1))
""",
    "hashes": """
for options in (dict(), dict(frozen=True), dict(eq=False), dict(unsafe_hash=True), dict(eq=False, frozen=True)):
    @dataclass(**options)
    class A:
        x: int = 1
        y: str = field(default="a", hash=False)
        z: int = field(default=2, compare=False)
    a, b, c, d = A(), A(), A(1, "b"), A(1, "a", 3)
    attempt(*(lambda other=other: hash(a) == hash(other) for other in (b, c, d)), lambda: len({a, b, c, d}))
    @declare(**options)
    class B:
        x: int = 1
        def __hash__(self): return 3
    attempt(lambda: hash(B()))
    @declare(**options)
    class C:
        x: int = 1
        def __eq__(self, other): return True
    a, b = C(), C(1)
    attempt(lambda: hash(a) == hash(b), lambda: len({a, b}))
    @declare(**options)
    class D:
        x: int = 1
        __hash__ = None
    attempt(lambda: hash(D()))
""",
    "frozen": """
@dataclass(frozen=True)
class A:
    x: int
    y: list = field(default_factory=list)
    def __post_init__(self): object.__setattr__(self, "n", self.x + 1)
class B(A): pass
def remove(thing, name): delattr(thing, name)
a, b = A(1), B(2)
attempt(lambda: setattr(a, "x", 3), lambda: setattr(a, "z", 3), lambda: remove(a, "x"), lambda: remove(a, "z"))
attempt(lambda: setattr(b, "x", 3), lambda: setattr(b, "z", 3), lambda: b.z)
attempt(lambda: remove(b, "z"), lambda: remove(b, "x"))
object.__setattr__(a, "x", 7)
print(a, a.n, b, b.n, copy.copy(a), copy.deepcopy(b), issubclass(FrozenInstanceError, AttributeError))
@declare()
class C(A): z: int = 1
@dataclass
class D: x: int = 1
@declare(frozen=True)
class E(D): z: int = 1
@declare(frozen=True)
class F(A): z: int = 1
attempt(lambda: F(1, [], 2), lambda: setattr(F(1), "z", 1), lambda: setattr(F(1), "x", 1))
""",
    "slots": """
@dataclass(slots=True)
class A:
    x: int
    y: int = 3
    z: list = field(default_factory=list, init=False)
    w: int = field(default=5, init=False)
@dataclass(slots=True, frozen=True, order=True)
class B:
    x: int
    y: str = "b"
@dataclass(slots=True)
class C(A):
    v: int = 8
attempt(lambda: setattr(A(1), "q", 1), lambda: A(1), lambda: C(1), lambda: C(1, v=2).w, lambda: setattr(B(1), "x", 1))
attempt(lambda: copy.copy(B(1)), lambda: copy.deepcopy(B([1])), lambda: copy.copy(A(2)), lambda: A.__slots__)
attempt(lambda: C.__slots__, lambda: B(1) < B(2), lambda: hash(B(1)) == hash(B(1)))
@declare(slots=True)
class D:
    __slots__ = ("x",)
    x: int
@declare(weakref_slot=True)
class E: x: int
@dataclass(slots=True, weakref_slot=True)
class F: x: int = 1
print(F(), F.__slots__, A.__qualname__, A.__name__, A.__doc__)
class G:
    def __init_subclass__(cls): print("new", cls.__name__)
@dataclass(slots=True)
class H(G): x: int = 1
""",
    "keywords only": """
@dataclass
class A:
    a: int
    _: KW_ONLY
    b: int = 1
    c: int
@dataclass(kw_only=True)
class B(A):
    d: int
    e: int = field(default=3, kw_only=False)
attempt(lambda: A(1, c=2), lambda: A(1, 2), lambda: A(1), lambda: B(1, 2, c=3, d=4), lambda: B(1, c=1))
print([(each.name, each.kw_only) for each in fields(B)], A.__doc__, B.__doc__)
@declare()
class C:
    _: KW_ONLY
    __: KW_ONLY
    x: int = 1
match A(1, c=3):
    case A(a, b=b): print(a, b)
def positional():
    match A(1, c=3):
        case A(a, b): print(a, b)
attempt(positional)
""",
    "defaults": """
@declare()
class A:
    x: int = 1
    y: int
@declare()
class B: x: list = []
@declare()
class C: x: dict = field(default={})
@declare()
class D: x = field(default=3)
@declare()
class E: x: ClassVar[int] = field(default_factory=list)
@declare()
class F: x: ClassVar[int] = field(default=3, kw_only=True)
@declare()
class G: x: InitVar[int] = field(default_factory=int)
@declare(order=True, eq=False)
class H: x: int = 1
@declare(order=True)
class I:
    x: int = 1
    def __lt__(self, other): return True
class Base: x = 7
@dataclass
class J(Base):
    x: int
    y: int = field(default=2)
    z: int = field(default_factory=lambda: 9)
    w: int = field(init=False, default=4)
    v: int = field(init=False, default_factory=lambda: 5)
    u: int = field(init=False, repr=False)
print(J(), J.y, J.w, hasattr(J, "z"), hasattr(J, "u"), J(1))
attempt(lambda: J().u, lambda: J.z)
""",
    "after the beginning": """
@dataclass
class A:
    x: int
    scale: InitVar[float] = 2.0
    need: InitVar["int"] = None
    total: float = field(init=False)
    shared: ClassVar[list] = []
    def __post_init__(self, scale, need): self.total = self.x * scale
@dataclass
class B(A):
    y: int = 0
    def __post_init__(self, *given):
        super().__post_init__(*given)
        print(given)
@dataclass
class C:
    x: InitVar[int]
    y: int = field(default=1, init=False)
    def __post_init__(self, x): pass
print(A(3), A(3, scale=3.0).total, B(1, 2.0, 3, 4), A.shared, A.scale, [each.name for each in fields(B)])
attempt(lambda: replace(A(3), x=4), lambda: replace(A(3), total=1), lambda: replace(C(1)), lambda: replace(C(1), x=3))
attempt(lambda: replace(C(1), x=1, y=3), lambda: A(1).need)
""",
    "own methods": """
@dataclass
class A:
    x: int = 1
    def __init__(self): self.x = 9
    def __repr__(self): return f"A<{self.x}>"
@dataclass(repr=False, init=False)
class B:
    x: int = 1
class C:
    "what it is"
    def __repr__(self): return "from the base"
@dataclass
class D(C): x: int = 1
@dataclass(repr=False)
class E(C):
    "its own"
    x: int = 1
print(A(), B().x, D(), E(), D.__doc__, E.__doc__, A.__doc__, B.__doc__)
print(D.__init__.__name__, D.__init__.__qualname__, D.__repr__.__qualname__, D.__eq__.__name__, D.__init__.__module__)
""",
    "texts": """
@dataclass
class A:
    x: "A | None" = None
    items: list = field(default_factory=list, repr=False)
    name: str = "it's"
class Outer:
    @dataclass
    class Inner: x: int = 3
a = A()
a.x = a
print(a, A(A()), Outer.Inner(), f"{A()!r:>60}", str(A()))
pprint.pprint(A([list(range(20)), list(range(20, 40))], name="a" * 60))
pprint.pprint([Outer.Inner()] * 3)
print(field(default=1, metadata={"a": 2}).metadata, field(default=1).metadata)
print(str(fields(A)[2]).partition("default_factory")[0])
print(repr(field(default=1, init=False)).partition("default_factory")[0], [each.type for each in fields(A)])
print(fields(A)[1].default_factory, fields(A)[2].default, fields(A)[1].default is MISSING)
print(InitVar[int], InitVar[List[int]])
""",
    "copies": """
Pair = namedtuple("Pair", "a b")
class Several(list): pass
@dataclass
class A:
    x: object = None
@dataclass
class B(A):
    y: object = None
class Thing:
    pass
thing = Thing()
b = B(A([1, A(2)]), {"k": (A(3),), A.__name__: Pair(A(1), 2), "l": Several([A(4)])})
print(asdict(b), astuple(b), asdict(b, dict_factory=OrderedDict), astuple(b, tuple_factory=list))
print(type(asdict(b)["y"]["l"]).__name__, asdict(A(thing))["x"] is thing, replace(b, y=1), replace(b) == b)
print(asdict(A(), dict_factory=lambda pairs: pairs))
""",
    "inheriting": """
T = TypeVar("T")
@dataclass
class A(Generic[T]):
    x: T
    y: int = 1
@dataclass
class B(A[int]):
    x: int = 5
    z: int = 2
class C(B):
    def more(self): return self.x + self.z
@dataclass
class D(C): x: str = "d"
class Shape(ABC):
    @abstractmethod
    def area(self): ...
    @abstractmethod
    def __lt__(self, other): ...
@dataclass(order=True)
class Square(Shape):
    side: float = 1.0
    def area(self): return self.side ** 2
@dataclass
class Half(Shape):
    side: float = 1.0
    def area(self): return self.side
print(A(1), B(), C(1).more(), D(), [each.name for each in fields(C)], [each.type for each in fields(D)])
print(Square(3).area(), Square(1) < Square(2))
attempt(Half)
@dataclass
class E(Exception): code: int = 1
try: raise E(4)
except E as error: print(repr(error), error.code)
@dataclass
class F(dict): x: int = 3
print(F(), F().x, isinstance(F(), dict))
""",
    "odd names": """
@dataclass
class A:
    self: int
    other: int = 1
    hash: int = 2
    object: int = 3
    _0: int = 4
    __private: int = 5
    type: int = 6
    format: str = "x"
print(A(1), A(self=3) == A(3), A(1)._0, A(1).format, A(1).type, A(1, _0=3)._0, asdict(A(1))["hash"])
@dataclass(frozen=True, order=True)
class B:
    self: int
    cls: int = 1
    name: str = "n"
    value: int = 2
print(B(1), B(1) < B(2), hash(B(1)) == hash(B(1)))
attempt(A, lambda: A(1, self=2))
""",
    "annotations that are texts": """
from __future__ import annotations
import dataclasses, typing
from dataclasses import dataclass, field, fields, InitVar, KW_ONLY
from typing import ClassVar
@dataclass
class A:
    x: int
    c: ClassVar[int] = 3
    d: typing.ClassVar[list] = []
    v: InitVar[int] = 4
    w: dataclasses.InitVar[int] = 5
    _: KW_ONLY
    y: Unknown = 6
    def __post_init__(self, v, w): print(v, w)
print(A(1, y=2), [(each.name, each.type) for each in fields(A)], A.__doc__)
""",
}


@pytest.mark.parametrize("name", DATA_CLASSES)
def test_dataclasses_are_those_of_python(run: Runner, name: str) -> None:
    source = DATA_CLASSES[name]
    whole = source if "__future__" in source else _BEFORE + source
    told = subprocess.run([sys.executable, "-c", whole], capture_output=True, text=True, check=False)
    assert (told.stderr, run(whole).printed()) == ("", told.stdout)
