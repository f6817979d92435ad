from dataclasses import dataclass
from enum import Enum


class Op(Enum):
    ADD = "+"
    MUL = "*"


@dataclass
class Num:
    value: float


@dataclass
class Bin:
    op: Op
    left: object
    right: object


def evaluate(e):
    match e:
        case Num(value=v):
            return v
        case Num(v):
            return v
        case Bin(Op.ADD, l, r):
            return evaluate(l) + evaluate(r)
        case Bin(op=Op.MUL, left=l, right=r):
            return evaluate(l) * evaluate(r)
        case _:
            raise ValueError(f"unknown {e!r}")


print(evaluate(Bin(Op.ADD, Num(2), Bin(Op.MUL, Num(3), Num(4)))))


def describe(x):
    match x:
        case None:
            return "nothing"
        case True | False:
            return "bool"
        case int(n) if n > 100:
            return f"big {n}"
        case int() | float():
            return "number"
        case "relu" | "tanh" as act:
            return f"activation {act}"
        case []:
            return "empty"
        case [x]:
            return f"one {x}"
        case [first, *rest]:
            return f"{first} then {len(rest)}"
        case {"type": "linear", "in": i, "out": o, **other}:
            return f"linear {i}->{o} {other}"
        case (a, b):
            return "never"
        case _:
            return type(x).__name__


for v in (
    None,
    True,
    500,
    3,
    2.5,
    "tanh",
    [],
    [1],
    [1, 2, 3],
    {"type": "linear", "in": 2, "out": 3, "bias": False},
    {1},
):
    print(describe(v))
command = "go north"
match command.split():
    case ["go", ("north" | "south") as direction]:
        print(direction)
