class Base:
    registry = {}

    def __init__(self, name="base", **kwargs):
        self.name = name
        Base.registry[name] = self

    def hello(self):
        return f"hello from {self.name}"


class LoggingMixin:
    def hello(self):
        return "[log] " + super().hello()


class CountMixin:
    def __init__(self, *args, count=0, **kwargs):
        super().__init__(*args, **kwargs)
        self.count = count


class Both(LoggingMixin, CountMixin, Base):
    def __init__(self, *args, **kwargs):
        super(Both, self).__init__(*args, **kwargs)

    def hello(self):
        return super().hello() + f" ({self.count})"


b = Both("both", count=3)
print(b.hello(), isinstance(b, CountMixin), issubclass(Both, Base), list(Base.registry))
print(type(b).__name__, b.__class__.__name__, Both.__name__, type(b) is Both, type(3) == int, type([]).__name__)


class MyList(list):
    def second(self):
        return self[1]


class MyDict(dict):
    def __missing__(self, key):
        return f"no {key}"

    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)


class Celsius(float):
    def __repr__(self):
        return f"{float(self)}C"


m = MyList([1, 2])
m.append(3)
d = MyDict()
d["a"] = 4
print(m, m.second(), d["a"], d["b"], Celsius(3) + 1, repr(Celsius(3)), isinstance(m, list))
