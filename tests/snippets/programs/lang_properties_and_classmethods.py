class Temperature:
    """A class with everything a class can have."""

    unit = "C"
    _count = 0
    __secret = 42

    class Meta:
        order = 1

    def __init__(self, degrees=0.0):
        self._degrees = degrees
        type(self)._count += 1

    @property
    def degrees(self):
        """the degrees"""
        return self._degrees

    @degrees.setter
    def degrees(self, value):
        if value < -273.15:
            raise ValueError("below absolute zero")
        self._degrees = value

    @degrees.deleter
    def degrees(self):
        self._degrees = 0.0

    @classmethod
    def from_fahrenheit(cls, f):
        return cls((f - 32) * 5 / 9)

    @staticmethod
    def is_hot(x):
        return x > 30

    @classmethod
    def count(cls):
        return cls._count

    def secret(self):
        return self.__secret

    def __repr__(self):
        return f"{self.__class__.__name__}(degrees={self._degrees:.1f})"

    def __str__(self):
        return f"{self._degrees:.1f}°{self.unit}"


t = Temperature.from_fahrenheit(212)
print(t, repr(t), t.degrees, Temperature.is_hot(31), Temperature.count(), t.secret(), Temperature.Meta.order)
t.degrees = 20
print(t)
del t.degrees
print(t, Temperature.degrees.__doc__, Temperature.__doc__, Temperature.__name__)
try:
    t.degrees = -300
except ValueError as e:
    print("ValueError:", e)
try:
    Temperature().missing
except AttributeError as e:
    print(e)
print(hasattr(t, "unit"), getattr(t, "nope", "default"), [n for n in ("unit", "zzz") if hasattr(Temperature, n)])
setattr(t, "extra", 5)
print(t.extra, vars(t))
