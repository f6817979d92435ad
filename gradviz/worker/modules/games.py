"""`import gymnasium`, or `gym`, for a snippet: four classic games and the spaces of their actions and observations.

The dynamics, the limits and the random streams are Gymnasium's, so that a seeded episode has the same numbers. Nothing
is drawn. A game, a space and what they hold are GradViz's own objects: `make` returns them, and their methods take
plain numbers and return stand-ins of arrays. Next: `game_wrappers`, what is put around them, and `numpy_boundary`."""

from __future__ import annotations

import itertools
import math
import operator
import re
from collections.abc import Callable
from typing import Any, Self, SupportsFloat, SupportsIndex

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.worker.language.stand_in import stand_in
from gradviz.worker.objects.arguments import keep_methods
from gradviz.worker.objects.numpy_boundary import numeric, to_numpy, to_snippet

VERSION = "1.3.0"
_FRESH = itertools.count()
FORM = {"is_old": False, "ends_at_once": False}  # see read_form
OLD_FORM = "gym.make() gives games as gym did before 0.26: this file takes four values from step()."
_GYM = re.compile(r"^[ \t]*(?:import|from)[ \t]+gym\b", re.MULTILINE)
_STEPS = re.compile(r"^[ \t]*+([^=#\n]{1,200}+)=[ \t]*+[\w.]{1,100}\.step\(", re.MULTILINE)  # no blank is read twice
_KEPT = "games and spaces are made by gym.make() and their own functions in GradViz snippets"


def begin_games() -> None:
    """Called when a run begins: games without a seed start as in every run."""
    global _FRESH
    _FRESH = itertools.count()
    FORM.update(is_old=False, ends_at_once=False)


def read_form(source: str, note: Callable[[str], None]) -> None:
    """Adapt to the API version that the snippet expects: a text that imports `gym` and takes four values from each step
    gets games of that form; one that asks several games for `final_info` gets a new episode in the step that ends one,
    as before Gymnasium 1.0."""
    FORM["ends_at_once"] = '"final_info"' in source or "'final_info'" in source
    counts = {found[1].strip("() ").count(",") for found in _STEPS.finditer(source)}
    FORM["is_old"] = 3 in counts and 4 not in counts and _GYM.search(source) is not None
    if FORM["is_old"]:
        note(OLD_FORM)


def _source(seed: int | None = None) -> np.random.Generator:
    number = next(_FRESH) if seed is None else operator.index(seed)
    if number < 0:
        raise ValueError(f"Seed must be greater or equal to zero, actual value: {number}")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(number)))


# --- spaces ---


class Space:
    """Base class: what an action or an observation can be."""

    __slots__ = ("_source",)

    def seed(self, seed: int | None = None) -> int | None:
        """Restart the random numbers."""
        self._source = _source(seed)
        return seed


class Discrete(Space):
    """The integers from `start`, `n` of them."""

    __slots__ = ("_n", "_start")

    def __init__(self, n: SupportsIndex, seed: int | None = None, start: SupportsIndex = 0) -> None:
        self._n, self._start = operator.index(n), operator.index(start)
        if self._n <= 0:
            raise ValueError("n (counts) have to be positive")
        self._source = _source(seed)

    n = property(lambda self: to_snippet(np.int64(self._n)), doc="How many there are.")
    start = property(lambda self: to_snippet(np.int64(self._start)), doc="The first.")
    shape = property(lambda self: (), doc="Of a number.")
    dtype = property(lambda self: to_snippet(np.dtype(np.int64)), doc="Of a sample.")

    def sample(self, mask: object = None) -> object:
        """Return a random element."""
        return to_snippet(self._start + self._source.integers(self._n))

    def contains(self, x: object) -> bool:
        """Whether a value is an element."""
        number = np.asarray(to_numpy(x))
        return number.shape == () and number.dtype.kind in "iu" and 0 <= int(number) - self._start < self._n

    __contains__ = contains

    def __repr__(self) -> str:
        return f"Discrete({self._n})" if not self._start else f"Discrete({self._n}, start={self._start})"


class Box(Space):
    """Arrays between two bounds."""

    __slots__ = ("_high", "_low")

    def __init__(
        self, low: object, high: object, shape: object = None, dtype: object = "f4", seed: int | None = None
    ) -> None:
        kind = numeric(dtype)
        given = [np.asarray(to_numpy(each)).astype(kind) for each in (low, high)]
        size = np.broadcast_shapes(*(each.shape for each in given)) if shape is None else tuple(to_numpy(shape))
        self._low, self._high = (np.broadcast_to(each, size).copy() for each in given)
        self._source = _source(seed)

    low = property(lambda self: to_snippet(self._low.copy()), doc="The lower bounds.")
    high = property(lambda self: to_snippet(self._high.copy()), doc="The upper bounds.")
    shape = property(lambda self: self._low.shape, doc="Of an array.")
    dtype = property(lambda self: to_snippet(self._low.dtype), doc="Of an array.")

    def sample(self, mask: object = None) -> object:
        """Return an array between the bounds; without a bound, a normal or exponential one."""
        low, high = self._low.astype(np.float64), self._high.astype(np.float64)
        found = np.empty(low.shape)
        below, above = np.isfinite(low), np.isfinite(high)
        free = ~below & ~above
        found[free] = self._source.normal(size=free[free].shape)
        only = below & ~above
        found[only] = self._source.exponential(size=only[only].shape) + low[only]
        only = ~below & above
        found[only] = -self._source.exponential(size=only[only].shape) + high[only]
        both = below & above
        found[both] = self._source.uniform(low=low[both], high=high[both], size=both[both].shape)
        return to_snippet(found.astype(self._low.dtype))

    def contains(self, x: object) -> bool:
        """Whether an array lies between the bounds."""
        array = np.asarray(to_numpy(x))
        return array.shape == self._low.shape and bool(np.all((array >= self._low) & (array <= self._high)))

    __contains__ = contains

    def __repr__(self) -> str:
        low, high = (each.flat[0] if (each == each.flat[0]).all() else each for each in (self._low, self._high))
        return f"Box({low}, {high}, {self._low.shape}, {self._low.dtype})"


# --- rules ---


class _Rules:
    """Base class of the rules of a game."""

    facts: tuple[tuple[str, float], ...] = ()
    state: Any

    def told(self) -> dict[str, object]:
        return {}


class _CartPole(_Rules):
    """A pole on a cart that is pushed to the left or to the right."""

    facts = (
        *(("x_threshold", 2.4), ("theta_threshold_radians", 12 * 2 * math.pi / 360), ("gravity", 9.8)),
        *(("masscart", 1.0), ("masspole", 0.1), ("length", 0.5), ("force_mag", 10.0), ("tau", 0.02)),
    )

    def __init__(self) -> None:
        high = np.array([4.8, np.inf, 24 * 2 * math.pi / 360, np.inf], np.float32)
        self.action_space, self.observation_space = Discrete(2), Box(-high, high)
        self._fallen = False
        self.state = None

    def begin(self, source: np.random.Generator) -> None:
        self.state, self._fallen = source.uniform(low=-0.05, high=0.05, size=(4,)), False

    def move(self, action: object, source: np.random.Generator) -> tuple[float, bool]:
        x, x_dot, theta, theta_dot = self.state
        force = 10.0 if action == 1 else -10.0
        cos, sin, mass, pole = np.cos(theta), np.sin(theta), 1.0 + 0.1, 0.1 * 0.5
        push = (force + pole * np.square(theta_dot) * sin) / mass
        turn = (9.8 * sin - cos * push) / (0.5 * (4.0 / 3.0 - 0.1 * np.square(cos) / mass))
        speed = push - pole * turn * cos / mass
        x, x_dot = x + 0.02 * x_dot, x_dot + 0.02 * speed
        theta, theta_dot = theta + 0.02 * theta_dot, theta_dot + 0.02 * turn
        self.state = np.array((x, x_dot, theta, theta_dot))
        ends = bool(abs(x) > 2.4 or abs(theta) > 12 * 2 * math.pi / 360)
        reward = 0.0 if self._fallen else 1.0
        self._fallen = self._fallen or ends
        return reward, ends

    def seen(self) -> Array:
        return np.array(self.state, np.float32)


class _MountainCar(_Rules):
    """A weak car in a valley."""

    facts = (("min_position", -1.2), ("max_position", 0.6), ("max_speed", 0.07), ("goal_position", 0.5))

    def __init__(self) -> None:
        low, high = np.array([-1.2, -0.07], np.float32), np.array([0.6, 0.07], np.float32)
        self.action_space, self.observation_space = Discrete(3), Box(low, high)
        self.state = None

    def begin(self, source: np.random.Generator) -> None:
        self.state = np.array([source.uniform(low=-0.6, high=-0.4), 0])

    def move(self, action: Any, source: np.random.Generator) -> tuple[float, bool]:
        place, speed = self.state
        speed = np.clip(speed + ((action - 1) * 0.001 + math.cos(3 * place) * -0.0025), -0.07, 0.07)
        place = np.clip(place + speed, -1.2, 0.6)
        speed = 0.0 if place == -1.2 and speed < 0 else speed
        self.state = np.array([place, speed])
        return -1.0, bool(place >= 0.5 and speed >= 0)

    def seen(self) -> Array:
        return np.array(self.state, np.float32)


class _Pendulum(_Rules):
    """A pendulum that has to be swung up."""

    facts = (("max_speed", 8), ("max_torque", 2.0), ("dt", 0.05), ("m", 1.0), ("l", 1.0))

    def __init__(self, g: SupportsFloat = 10.0) -> None:
        high = np.array([1.0, 1.0, 8], np.float32)
        self.action_space, self.observation_space = Box(-2.0, 2.0, (1,)), Box(-high, high)
        self._g = float(g)
        self.state = None

    def begin(self, source: np.random.Generator) -> None:
        high = np.array([np.pi, 1.0])
        self.state = source.uniform(low=-high, high=high)

    def move(self, action: Any, source: np.random.Generator) -> tuple[Any, bool]:
        angle, speed = self.state
        push = np.clip(action, -2.0, 2.0)[0]
        cost = (((angle + np.pi) % (2 * np.pi)) - np.pi) ** 2 + 0.1 * speed**2 + 0.001 * (push**2)
        speed = np.clip(speed + (3 * self._g / 2.0 * np.sin(angle) + 3.0 * push) * 0.05, -8, 8)
        self.state = np.array([angle + speed * 0.05, speed])
        return -cost, False

    def seen(self) -> Array:
        angle, speed = self.state
        return np.array([np.cos(angle), np.sin(angle), speed], np.float32)


_ASIDE = (1 - 1 / 3) / 2
_LAKES = {
    "4x4": "SFFF FHFH FFFH HFFG",
    "8x8": "SFFFFFFF FFFFFFFF FFFHFFFF FFFFFHFF FFFHFFFF FHHFFFHF FHFFHFHF FFFHFFFG",
}


class _FrozenLake(_Rules):
    """A way across ice, past the holes."""

    def __init__(self, desc: object = None, map_name: object = "4x4", is_slippery: object = True) -> None:
        rows = [str(row) for row in to_numpy(desc)] if desc is not None else _LAKES[str.__str__(map_name)].split()
        if not 0 < len(rows) <= 100 or len({len(row) for row in rows}) != 1 or "S" not in rows[0]:
            raise ValueError("a lake is a list of rows of the same length, with its start S in the first one")
        self._tiles, self._width, self._slips = "".join(rows), len(rows[0]), bool(is_slippery)
        self.action_space, self.observation_space = Discrete(4), Discrete(len(self._tiles))
        self.state, self._chance = 0, 1.0

    def begin(self, source: np.random.Generator) -> None:
        self._chance = 1
        starts = np.array([tile == "S" for tile in self._tiles], float)
        self.state = _drawn(starts / starts.sum(), source)

    def move(self, action: Any, source: np.random.Generator) -> tuple[int, bool]:
        if self._tiles[self.state] in "GH":
            source.random()
            self._chance = 1.0
            return 0, True
        ways = [(action - 1) % 4, action, (action + 1) % 4] if self._slips else [action]
        chances = np.array([_ASIDE, 1 / 3, _ASIDE] if self._slips else [1.0])
        drawn = _drawn(chances, source)
        way, self._chance = ways[drawn], float(chances[drawn])
        row, column = divmod(self.state, self._width)
        last = len(self._tiles) // self._width - 1
        row = min(row + 1, last) if way == 1 else max(row - 1, 0) if way == 3 else row
        column = max(column - 1, 0) if way == 0 else min(column + 1, self._width - 1) if way == 2 else column
        self.state = row * self._width + column
        tile = self._tiles[self.state]
        return int(tile == "G"), tile in "GH"

    def seen(self) -> int:
        return int(self.state)

    def told(self) -> dict[str, object]:
        return {"prob": self._chance}


def _drawn(shares: Any, source: np.random.Generator) -> int:
    return int(np.argmax(np.cumsum(shares) > source.random()))


_RULES: dict[str, tuple[Any, int, float | None, dict[str, object]]] = {
    # the game, its longest episode, the mean reward at which it counts as solved, its arguments
    "CartPole-v0": (_CartPole, 200, 195.0, {}),
    "CartPole-v1": (_CartPole, 500, 475.0, {}),
    "MountainCar-v0": (_MountainCar, 200, -110.0, {}),
    "Pendulum-v0": (_Pendulum, 200, None, {}),
    "Pendulum-v1": (_Pendulum, 200, None, {}),
    "FrozenLake-v1": (_FrozenLake, 100, 0.7, {}),
    "FrozenLake8x8-v1": (_FrozenLake, 200, 0.85, {"map_name": "8x8"}),
}


# --- games ---


@keep_methods
class Game:
    """What `gym.make` returns."""

    __slots__ = ("_begun", "_is_old", "_longest", "_name", "_rules", "_shows", "_source", "_steps")

    _begun: bool
    _is_old: bool
    _longest: int
    _name: str
    _rules: Any
    _shows: str | None
    _source: np.random.Generator
    _steps: int

    def __new__(cls, *given: object, **named: object) -> Self:
        raise TypeError(_KEPT)

    action_space = property(lambda self: self._rules.action_space, doc="What can be done.")
    observation_space = property(lambda self: self._rules.observation_space, doc="What can be seen.")
    unwrapped = property(lambda self: self, doc="Nothing is wrapped around it.")
    env = unwrapped
    render_mode = property(lambda self: self._shows, doc="How it would be shown.")
    metadata = property(lambda self: {"render_modes": [], "render_fps": 50}, doc="Nothing is shown.")

    @property
    def state(self) -> object:
        """The complete state."""
        state = self._rules.state
        return to_snippet(state.copy() if isinstance(state, np.ndarray) else state)

    @property
    def spec(self) -> object:
        """Its name, its longest episode, and the mean reward at which it counts as solved."""
        solved = _RULES[self._name][2]
        return stand_in("EnvSpec", {"id": self._name, "max_episode_steps": self._longest, "reward_threshold": solved})

    def reset(self, *, seed: Any = None, options: object = None, return_info: object = True) -> object:
        """Begin an episode; return the observation and an info table."""
        if seed is not None:
            self._source = _source(seed)
        self._rules.begin(self._source)
        self._steps, self._begun = 0, True
        seen = to_snippet(self._rules.seen())
        return seen if self._is_old else (seen, self._rules.told())

    def step(self, action: Any) -> Any:
        """Take an action; return the observation, the reward, whether the episode ended, whether it was cut, and an
        info table."""
        if not self._begun:
            raise RuntimeError("Cannot call env.step() before calling env.reset()")
        plain: Any = np.asarray(to_numpy(action))
        if isinstance(self._rules.action_space, Discrete):
            if not self._rules.action_space.contains(to_snippet(plain)):
                raise AssertionError(f"{str.__str__(repr(action))} ({type(action)}) invalid")
            plain = int(plain)
        reward, ends = self._rules.move(plain, self._source)
        self._steps += 1
        seen, is_cut = to_snippet(self._rules.seen()), self._steps >= self._longest
        told = self._rules.told()
        if self._is_old:
            told |= {"TimeLimit.truncated": not ends} if is_cut else {}
            return seen, to_snippet(reward), ends or is_cut, told
        return seen, to_snippet(reward), ends, is_cut, told

    def seed(self, seed: int | None = None) -> list[Any]:
        """Restart the random numbers."""
        self._source = _source(seed)
        return [seed]

    def render(self, *look: object, **more: object) -> None:
        """Do nothing, as games are not drawn; a script that asks for pixels is told so."""
        if self._shows == "rgb_array" or "rgb_array" in look or "rgb_array" in more.values():
            raise PermissionError(f"{self._name} has no pictures in GradViz snippets; plot what step() returns instead")

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def __enter__(self) -> Game:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        facts = dict(self._rules.facts) if type(self) is Game else {}
        if name in facts:
            return facts[name]
        raise AttributeError(f"'{self._name}' object has no attribute '{name}'")

    def __repr__(self) -> str:
        return f"<{type(self._rules).__name__[1:]}Env<{self._name}>>"


def make(id: object, max_episode_steps: Any = None, render_mode: object = None, **options: object) -> Game:
    """Make a game by name."""
    name = str.__str__(id)
    if name not in _RULES:
        raise ValueError(
            f"{name} is not available in GradViz snippets; {', '.join(sorted(_RULES))} are, or write a class with "
            "reset() and step()"
        )
    rules, longest, _, given = _RULES[name]
    plain: dict[str, object] = {key: to_numpy(value) for key, value in options.items()}
    plain.pop("disable_env_checker", None)
    made: Game = object.__new__(Game)
    made._rules, made._name = rules(**given | plain), name
    made._longest = longest if max_episode_steps is None else operator.index(max_episode_steps)
    made._shows = None if render_mode is None else str.__str__(render_mode)
    made._source, made._steps, made._begun, made._is_old = _source(), 0, False, False
    return made


def make_as_asked(id: object, **options: object) -> Game:
    made = make(id, **options)
    made._is_old = FORM["is_old"]
    return made


make_as_asked.__name__ = make_as_asked.__qualname__ = "make"


for _class in (Space, Discrete, Box):
    _class.__module__ = "gymnasium.spaces"
Game.__name__ = Game.__qualname__ = "TimeLimit"
Game.__module__ = "gymnasium"
