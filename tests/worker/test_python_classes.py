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
from enum import Enum, IntEnum, StrEnum, auto, unique
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
for kind, value in ((list, []), (dict, field(default={}))):
    @declare()
    class B: x: kind = value
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


ENUMS = {
    "members": """
class Color(Enum):
    RED = 1
    GREEN = "g"
    BLUE = RED
    NONE = None
    PAIR = 1, 2
    LIST = [3]
    def hello(self): return self.name.lower()
    @property
    def loud(self): return self.name + "!"
    @classmethod
    def first(cls): return next(iter(cls))
    @staticmethod
    def two(): return 2
    __private = 3
print(list(Color), len(Color), Color, Color.RED, repr(Color.RED), str(Color.GREEN), f"{Color.RED:>12}", Color.BLUE)
print(Color.RED.name, Color.RED.value, Color.BLUE.name, Color("g"), Color(None), Color((1, 2)), Color([3]))
print(Color.RED.hello(), Color.GREEN.loud, Color.first(), Color.two(), list(reversed(Color)), bool(Color))
print(Color.RED is Color.BLUE, Color.RED == 1, Color.RED == Color(Color.RED), Color.RED != Color.GREEN, Color["BLUE"])
print(isinstance(Color.RED, Color), isinstance(Color.RED, Enum), issubclass(Color, Enum), Color.RED in Color)
print(copy.copy(Color.RED) is Color.RED, copy.deepcopy([Color.RED])[0] is Color.RED, {Color.RED: 3}[Color(1)])
print(Color.__name__, Color.__qualname__, Color.RED.__class__ is Color, type(Color.RED) is Color, Color.__doc__)
print(Color.RED._value_, Color.RED._name_, [each.value for each in Color], {each.name: each.value for each in Color})
def rename(): Color.RED.name = "x"
def revalue(): Color.RED.value = "x"
def reassign(): Color.RED = 3
def remove(): del Color.RED
def add(): Color.RED.more = 4; return Color.RED.more
def extend():
    class More(Color): X = 1
attempt(rename, revalue, reassign, remove, add, extend, lambda: Color(7), lambda: Color["X"], lambda: Color.X)
attempt(lambda: Color.RED < Color.GREEN, lambda: Color.name, lambda: Color[1], lambda: Color.RED.value.x)
match Color("g"):
    case Color.RED: print("red")
    case Color.GREEN: print("green")
""",
    "numbers and texts": """
class Size(IntEnum):
    S = 1
    M = 2
    L = auto()
class Name(StrEnum):
    FIRST = auto()
    SECOND = "two"
class Text(str, Enum): A, B = "a", "b"
class Real(float, Enum):
    HALF = 0.5
    THIRD = "0.25"
class Pair(tuple, Enum):
    A = 1, 2
print(list(Size), Size.S + 1, Size.M < Size.L, sorted([Size.L, Size.S]))
print(str(Size.S), repr(Size.S), f"{Size.M:03}")
print([1, 2, 3][Size.S], Size(3))
print(Size.S == 1, hash(Size.S) == hash(1), isinstance(Size.S, int), type(Size.L.value).__name__)
print(list(Name), Name.FIRST, Name.SECOND + "x", f"{Name.FIRST:>8}", Name("two"), Name.SECOND.upper())
print(list(Text), Text.A, str(Text.A), f"{Text.A}", Text.A == "a", Text("b"), Text.A + "x", "".join([Text.A, Text.B]))
print(list(Real), Real.HALF + 1, Real(0.25), Real.THIRD.value, list(Pair), Pair.A[0], Pair((1, 2)))
def wrong():
    class Wrong(StrEnum): A = 1
def bad():
    class Bad(int, Enum): A = "x"
def both():
    class Both(int, float, Enum): A = 1
def order():
    class Order(Enum, int): A = 1
attempt(wrong, bad, order, lambda: Size("x"), lambda: Name(1))
import json
print(json.dumps({"a": Size.M, "b": Name.FIRST, "c": Text.A}))
""",
    "members that are made": """
class Planet(Enum):
    EARTH = 1.0, 2
    MARS = 0.5, 3
    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius
    def density(self): return self.mass / self.radius
    def __str__(self): return f"planet {self.name}"
    def __eq__(self, other): return isinstance(other, Planet) and self.mass == other.mass
    def __hash__(self): return hash(self.mass)
    def __lt__(self, other): return self.mass < other.mass
class Op(Enum):
    ADD = "+"
    SUB = "-"
    def __call__(self, a, b): return a + b if self is Op.ADD else a - b
    def __repr__(self): return f"Op({self.value})"
    def __bool__(self): return self is Op.ADD
    def __format__(self, form): return "op" + form
    def __len__(self): return 4
print(list(Planet), Planet.EARTH, Planet.MARS.density(), min(Planet), Planet((1.0, 2)), Planet.EARTH == Planet.EARTH)
print(Op.ADD(1, 2), Op.SUB(1, 2), [Op.ADD, Op.SUB], bool(Op.SUB), f"{Op.ADD:x}", str(Op.ADD), len(Op.ADD), len(Op))
def few():
    class Few(Enum):
        A = 1
        def __init__(self, a, b): pass
def raising():
    class Raising(Enum):
        A = 1
        def __init__(self, a): raise ValueError(a)
attempt(few, raising)
""",
    "what is missing": """
class A(Enum):
    X = 1
    @classmethod
    def _missing_(cls, value):
        if value == "x": return cls.X
        if value == "odd": return 3
        if value == "raise": raise KeyError(value)
        if value == "wrong": raise ValueError(value)
attempt(lambda: A("x"), lambda: A("odd"), lambda: A("raise"), lambda: A("wrong"), lambda: A(9), lambda: A([1]))
""",
    "values that come by themselves": """
class A(Enum):
    X = auto()
    Y = auto()
    Z = 10
    W = auto()
    BOTH = X | Y
class B(Enum):
    def _generate_next_value_(name, start, count, last_values): return f"{name.lower()} {start} {count} {last_values}"
    X = auto()
    Y = auto()
class Lower(Enum):
    def _generate_next_value_(name, *more): return name.lower()
class C(Lower):
    Z = auto()
class D(Enum):
    X, Y = (auto(), "x"), (auto(), "y")
    def __init__(self, number, letter): self.letter = letter
class E(Enum):
    @staticmethod
    def _generate_next_value_(name, start, count, last_values): return name * 2
    X = auto()
def late():
    class Late(Enum):
        X = auto()
        def _generate_next_value_(name, *more): return name
def twice():
    class Twice(Enum):
        X = 1
        X = 2
def covered():
    try:
        class Covered(Enum):
            def X(self): pass
            X = 2
    except TypeError as error: return str(error)[:32]
def covering():
    class Covering(Enum):
        X = 2
        def X(self): pass
def reserved():
    class Reserved(Enum): _x_ = 1
def order():
    class Order(Enum):
        _order_ = "B A"
        A = 1
        B = 2
def same():
    @unique
    class Same(Enum):
        A = 1
        B = 1
        C = 2
        D = 2
for kind in (A, B, C, D, E): print(list(kind), [each.value for each in kind])
print(D.Y.letter)
attempt(late, twice, covered, covering, reserved, order, same)
@unique
class F(Enum):
    _ignore_ = ["one", "two"]
    one, two = 1, 2
    A = one + two
    _order_ = "A"
print(list(F), hasattr(F, "one"))
class G(Enum): name, value, label = 1, 2, 3
print(list(G), G.name, G.value, G.value.value, G.name.name, G.label.value)
""",
    "inheriting an Enum": """
class Base(Enum):
    def double(self): return self.value * 2
    @classmethod
    def all(cls): return [each.value for each in cls]
class Mixin:
    kind = "mixed"
    def shout(self): return self.name + "!"
    def __init_subclass__(cls): print("new", cls.__name__, [each.name for each in cls] if issubclass(cls, Enum) else "")
class A(Base): X, Y = 1, 2
class B(Mixin, Enum): X = 1
class Number(int):
    def more(self): return self + 1
class C(Number, Enum): X = 5
class D(str, Base): X = "x"
class Shown(int):
    def __repr__(self): return "shown"
class E(Shown, Enum): X = 3
@dataclass
class Data:
    x: int
    y: str = "y"
class F(Data, Enum):
    A = 1
    B = 2, "z"
class Deep(Base):
    X = 1
    def double(self): return super().double() + 1
print(A.Y.double(), A.all(), B.X.shout(), B.kind, C.X.more(), C.X, repr(C.X), D.X.double(), D.X, repr(E.X), E.X)
print(F.A.x, F.B.y, F.B.value, F.A, Deep.X.double(), repr(D.X))
class Kind(Enum):
    A, B = "a", "b"
    @property
    def other(self): return Kind.B if self is Kind.A else Kind.A
    def __getitem__(self, key): return self.value + key
print(Kind.A.other, Kind.B.other, Kind.A["x"])
class Inner(Enum):
    class Nested: x = 3
    A = lambda self: self.name
print(Inner.Nested.x if sys.version_info >= (3, 13) else Inner.Nested.value.x, [each.name for each in Inner])
""",
}


@pytest.mark.parametrize("name", [*DATA_CLASSES, *ENUMS])
def test_it_is_that_of_python(run: Runner, name: str) -> None:
    source = (DATA_CLASSES | ENUMS)[name]
    whole = source if "__future__" in source else _BEFORE + source
    told = subprocess.run([sys.executable, "-W", "ignore", "-c", whole], capture_output=True, text=True, check=False)
    assert (told.stderr, run(whole).printed()) == ("", told.stdout)
