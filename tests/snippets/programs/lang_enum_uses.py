from enum import Enum, IntEnum, auto, unique


class Mode(Enum):
    TRAIN = "train"
    EVAL = "eval"

    @property
    def is_training(self):
        return self is Mode.TRAIN

    @classmethod
    def parse(cls, text):
        return cls(text.lower())

    def __str__(self):
        return self.value.upper()


@unique
class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Colour(Enum):
    RED = auto()
    GREEN = auto()


print(
    Mode.TRAIN,
    repr(Mode.TRAIN),
    Mode("eval"),
    Mode["EVAL"],
    Mode.parse("TRAIN").is_training,
    Mode.TRAIN.name,
    Mode.TRAIN.value,
)
print(
    [m for m in Mode],
    len(Mode),
    Mode.TRAIN in Mode,
    Level.HIGH > Level.LOW,
    Level.HIGH + 1,
    int(Level.LOW),
    list(Colour),
)
print({Mode.TRAIN: 1}[Mode.TRAIN], Mode.TRAIN == "train", Colour.RED.value, Colour(2).name)
try:
    Mode("test")
except ValueError as e:
    print(e)
