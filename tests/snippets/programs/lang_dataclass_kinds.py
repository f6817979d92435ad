from dataclasses import dataclass, field, astuple, is_dataclass, FrozenInstanceError, KW_ONLY, InitVar
from typing import ClassVar


@dataclass(frozen=True, order=True)
class Version:
    major: int
    minor: int = 0
    count: ClassVar[int] = 3


@dataclass(slots=True)
class Point:
    x: float
    y: float = 0.0

    def norm(self):
        return (self.x**2 + self.y**2) ** 0.5


@dataclass
class Schedule:
    start: float
    _: KW_ONLY
    steps: int = 10
    factor: InitVar[float] = 0.5
    values: list = field(init=False, default_factory=list)

    def __post_init__(self, factor):
        self.values = [self.start * factor**i for i in range(self.steps)]


@dataclass
class Base:
    name: str = "base"


@dataclass
class Child(Base):
    size: int = 1


print(sorted([Version(1, 2), Version(1), Version(0, 9)]), max(Version(2), Version(1, 9)))
print({Version(1): "a"}[Version(1)], Version.count, astuple(Version(3, 4)))
try:
    Version(1).major = 2
except FrozenInstanceError as e:
    print(type(e).__name__, e)
p = Point(3, 4)
p.x = 6
print(p, p.norm(), is_dataclass(p))
print(Schedule(1.0, steps=3), Child(size=4), isinstance(Child(), Base))
