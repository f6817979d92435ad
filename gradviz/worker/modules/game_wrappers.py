"""Wrappers around a game: the base classes of wrappers that a snippet writes, the wrappers that Gymnasium provides, and
several games played at once; and the modules under which `games` and these are imported.

A wrapper or a set of games holds what the snippet gave it and stand-ins of arrays, nothing of NumPy's own. No video is
made. Next: `games`, the rules, and `numpy_boundary`."""

from __future__ import annotations

import collections
import copy
import operator
import time
from collections.abc import Callable, Iterable
from typing import Any, NoReturn, Protocol, SupportsIndex

import numpy as np

from gradviz.worker.language.stand_in import stand_in
from gradviz.worker.modules.games import FORM, VERSION, Box, Discrete, Space, begin_games, make, make_as_asked
from gradviz.worker.objects.numpy_boundary import to_numpy, to_snippet

_MOST_GAMES = 1_000


class Env:
    """Base class of a game that a snippet writes itself."""

    action_space: object = None
    observation_space: object = None
    render_mode = spec = None

    @property
    def unwrapped(self) -> object:
        """The game itself: nothing is wrapped around it."""
        return self

    def reset(self, *, seed: object = None, options: object = None) -> object:
        """Begin an episode: for a subclass to define; this does nothing."""

    def step(self, action: object) -> tuple[Any, ...]:
        """Take an action: for a subclass to define."""
        raise NotImplementedError

    def render(self) -> object:
        """Do nothing: games are not drawn."""

    def close(self) -> None:
        """Do nothing: nothing is open."""


class Played(Protocol):
    """What a wrapper is around: a game, or another wrapper; a snippet may have written either."""

    @property
    def unwrapped(self) -> object: ...
    def reset(self, **options: object) -> Any: ...
    def step(self, action: object) -> tuple[Any, ...]: ...
    def render(self, *look: object, **more: object) -> object: ...
    def close(self) -> None: ...


class Wrapper(Env):
    """Base class of what a snippet puts around a game: what it does not define, the game does."""

    def __init__(self, env: Played) -> None:
        self.env = env

    @property
    def unwrapped(self) -> object:
        """The game itself."""
        return self.env.unwrapped

    def reset(self, **options: object) -> object:
        """Begin an episode."""
        return self.env.reset(**options)

    def step(self, action: object) -> tuple[Any, ...]:
        """Take an action."""
        return self.env.step(action)

    def render(self, *look: object, **more: object) -> object:
        """Do nothing: games are not drawn."""
        return self.env.render(*look, **more)

    def close(self) -> None:
        """Do nothing: nothing is open."""
        self.env.close()


def _of_the_game(name: str) -> property:
    """What a wrapper says about the game, unless it has been set."""

    def told(self: object) -> object:
        return vars(self).get(f"own_{name}", getattr(vars(self)["env"], name))

    def tell(self: object, value: object) -> None:
        vars(self)[f"own_{name}"] = value

    return property(told, tell)


for _told in ("action_space", "observation_space", "spec", "render_mode", "metadata"):
    setattr(Wrapper, _told, _of_the_game(_told))


class ObservationWrapper(Wrapper):
    """Base class of wrappers that change the observations."""

    def observation(self, observation: object) -> NoReturn:
        """Change an observation: for a subclass to define."""
        raise NotImplementedError

    def reset(self, **options: object) -> object:
        """Begin an episode."""
        begun = self.env.reset(**options)
        return (self.observation(begun[0]), begun[1]) if type(begun) is tuple else self.observation(begun)

    def step(self, action: object) -> tuple[Any, ...]:
        """Take an action."""
        seen, *rest = self.env.step(action)
        return (self.observation(seen), *rest)


class RewardWrapper(Wrapper):
    """Base class of wrappers that change the rewards."""

    def reward(self, reward: object) -> NoReturn:
        """Change a reward: for a subclass to define."""
        raise NotImplementedError

    def step(self, action: object) -> tuple[Any, ...]:
        """Take an action."""
        seen, reward, *rest = self.env.step(action)
        return (seen, self.reward(reward), *rest)


class ActionWrapper(Wrapper):
    """Base class of wrappers that change the actions."""

    def action(self, action: object) -> NoReturn:
        """Change an action: for a subclass to define."""
        raise NotImplementedError

    def step(self, action: object) -> tuple[Any, ...]:
        """Take an action."""
        return self.env.step(self.action(action))


# --- ready-made wrappers ---


class RecordEpisodeStatistics(Wrapper):
    """Adds the sum of the rewards and the length of an episode to the info of its last step."""

    def __init__(
        self, env: Played, buffer_length: SupportsIndex = 100, stats_key: object = "episode", **more: object
    ) -> None:
        super().__init__(env)
        longest = operator.index(buffer_length)
        self.return_queue: collections.deque[float] = collections.deque(maxlen=longest)
        self.length_queue: collections.deque[int] = collections.deque(maxlen=longest)
        self.episode_count = self.episode_lengths = 0
        self.episode_returns, self.episode_start_time, self._key = 0.0, -1.0, str.__str__(stats_key)

    def reset(self, **options: object) -> object:
        """Begin an episode."""
        begun = self.env.reset(**options)
        self.episode_returns, self.episode_lengths, self.episode_start_time = 0.0, 0, time.perf_counter()
        return begun

    def step(self, action: object) -> tuple[Any, ...]:
        """Take an action."""
        seen, reward, *ends, told = self.env.step(action)
        self.episode_returns += reward
        self.episode_lengths += 1
        if any(ends):
            took = round(time.perf_counter() - self.episode_start_time, 6)
            told = dict(told) | {self._key: {"r": self.episode_returns, "l": self.episode_lengths, "t": took}}
            self.return_queue.append(self.episode_returns)
            self.length_queue.append(self.episode_lengths)
            self.episode_count += 1
        return (seen, reward, *ends, told)


class RecordVideo(Wrapper):
    """Changes nothing: there are no pictures of games."""

    def __init__(self, env: Played, *where: object, **how: object) -> None:
        super().__init__(env)


# --- several games at once ---


class MultiDiscrete(Space):
    """An array of integers, each below its bound."""

    __slots__ = ("_bounds",)

    def __init__(self, nvec: object, seed: int | None = None) -> None:
        self._bounds = np.asarray(to_numpy(nvec)).astype(np.int64)
        self._source = np.random.default_rng(0 if seed is None else operator.index(seed))

    nvec = property(lambda self: to_snippet(self._bounds.copy()), doc="The bounds.")
    shape = property(lambda self: self._bounds.shape, doc="Of an array.")
    dtype = property(lambda self: to_snippet(np.dtype(np.int64)), doc="Of a sample.")

    def sample(self, mask: object = None) -> object:
        """Return a random array."""
        return to_snippet((self._source.random(self._bounds.shape) * self._bounds).astype(np.int64))

    def __repr__(self) -> str:
        return f"MultiDiscrete({self._bounds})"


def _of_all(space: object, count: int) -> object:
    """Return the space of this many of them."""
    if type(space) is Discrete:
        made: MultiDiscrete | Box = MultiDiscrete([int(to_numpy(space.n))] * count)
    elif type(space) is Box:
        low, high = (to_snippet(np.stack([to_numpy(each)] * count)) for each in (space.low, space.high))
        made = Box(low, high, dtype=space.dtype)
    else:
        return space
    made._source = copy.deepcopy(space._source)
    return made


class SyncVectorEnv:
    """Several games, played in turn; those that have ended start again automatically."""

    __slots__ = ("_is_old", "_over", "_spaces", "envs", "metadata", "num_envs")

    def __init__(self, env_fns: Iterable[Callable[[], Any]], *how: object, **more: object) -> None:
        makers = list(env_fns)
        if not 0 < len(makers) <= _MOST_GAMES:
            raise ValueError(f"1 to {_MOST_GAMES:,} games are played at once in GradViz snippets")
        self.envs = [each() for each in makers]
        self.num_envs, self._over, self._is_old = len(makers), [False] * len(makers), FORM["ends_at_once"]
        self.metadata: dict[str, object] = {}
        first = self.envs[0]
        self._spaces = tuple(_of_all(each, len(makers)) for each in (first.action_space, first.observation_space))

    single_action_space = property(lambda self: self.envs[0].action_space, doc="Of one game.")
    single_observation_space = property(lambda self: self.envs[0].observation_space, doc="Of one game.")
    action_space = property(lambda self: self._spaces[0], doc="Of all.")
    observation_space = property(lambda self: self._spaces[1], doc="Of all.")
    spec = render_mode = property(lambda self: None, doc="Nothing is shown.")
    unwrapped = property(lambda self: self, doc="Nothing is wrapped around it.")

    def reset(
        self, *, seed: list[object] | tuple[object, ...] | SupportsIndex | None = None, options: object = None
    ) -> object:
        """Begin an episode in each game."""
        numbers: list[object] = [None] * self.num_envs
        if isinstance(seed, list | tuple):
            numbers = list(seed)
        elif seed is not None:
            numbers = [operator.index(seed) + at for at in range(self.num_envs)]
        if len(numbers) != self.num_envs:
            raise ValueError(f"seeds for {len(numbers)} games and not for {self.num_envs}")
        self._over = [False] * self.num_envs
        seen, told = zip(*[env.reset(seed=each) for env, each in zip(self.envs, numbers, strict=True)], strict=True)
        return _stacked(seen), _tables(list(told))

    def step(self, actions: object) -> tuple[object, ...]:
        """Take an action in each game."""
        plain = np.asarray(to_numpy(actions))
        if len(plain) != self.num_envs:
            raise ValueError(f"actions for {len(plain)} games and not for {self.num_envs}")
        found = [self._step(at, to_snippet(each)) for at, each in enumerate(plain)]
        seen, rewards, ends, cuts, told, last = (list(each) for each in zip(*found, strict=True))
        infos = _tables(told)
        if self._is_old and any(each is not None for each in last):
            infos["final_observation"] = [None if each is None else each[0] for each in last]
            infos["final_info"] = [None if each is None else each[1] for each in last]
            infos["_final_info"] = infos["_final_observation"] = _truths(each is not None for each in last)
        numbers = to_snippet(np.array([float(each) for each in rewards]))
        return _stacked(seen), numbers, _truths(ends), _truths(cuts), infos

    def _step(self, at: int, action: object) -> tuple[Any, ...]:
        """For one game: the observation, the reward, whether it ended or was cut, its info, and what preceded a new
        episode."""
        env = self.envs[at]
        if self._over[at]:
            self._over[at] = False
            seen, told = env.reset()
            return seen, 0.0, False, False, told, None
        seen, reward, end, cut, told = env.step(action)
        if not (end or cut):
            return seen, reward, end, cut, told, None
        if not self._is_old:
            self._over[at] = True
            return seen, reward, end, cut, told, None
        last = (seen, told)
        seen, told = env.reset()
        return seen, reward, end, cut, told, last

    def close(self, **how: object) -> None:
        """Do nothing: nothing is open."""

    def __repr__(self) -> str:
        return f"SyncVectorEnv(num_envs={self.num_envs})"


def _stacked(seen: Iterable[object]) -> object:
    return to_snippet(np.stack([np.asarray(to_numpy(each)) for each in seen]))


def _truths(given: Iterable[object]) -> object:
    return to_snippet(np.array([bool(each) for each in given]))


def _tables(told: list[dict[str, Any]]) -> dict[str, object]:
    """Merge the info tables of all games: each value is an array, with a mask of the games that have one."""
    made: dict[str, object] = {}
    for key in dict.fromkeys(key for each in told for key in each):
        there = [key in each for each in told]
        values = [each.get(key) for each in told]
        if all(isinstance(each, dict) for each in values if each is not None):
            made[key] = _tables([each or {} for each in values])
        else:
            made[key] = _numbers_or_list(values)
        made[f"_{key}"] = _truths(there)
    return made


def _numbers_or_list(values: list[object]) -> object:
    try:
        plain = [0 if each is None else to_numpy(each) for each in values]
    except TypeError:  # an object of the snippet's own
        return values
    good = all(np.ndim(each) == 0 and isinstance(each, bool | int | float | np.generic) for each in plain)
    return to_snippet(np.array(plain)) if good else values


# --- modules ---

_BASES = (Env, Wrapper, ObservationWrapper, RewardWrapper, ActionWrapper)
_READY = (RecordEpisodeStatistics, RecordVideo)
for _kind in _BASES:
    _kind.__module__ = "gymnasium"
for _kind in _READY:
    _kind.__module__ = "gymnasium.wrappers"
SyncVectorEnv.__module__, MultiDiscrete.__module__ = "gymnasium.vector", "gymnasium.spaces"


def game_modules() -> dict[str, object]:
    """Return the stand-ins by module name."""
    begin_games()
    made: dict[str, object] = {}
    for root, maker in (("gym", make_as_asked), ("gymnasium", make)):
        spaces: dict[str, object] = {each.__name__: each for each in (Discrete, Box, MultiDiscrete)}
        vector: dict[str, object] = {"SyncVectorEnv": SyncVectorEnv, "AsyncVectorEnv": SyncVectorEnv}
        parts: dict[str, dict[str, object]] = {
            "spaces": spaces,
            "vector": vector,
            "wrappers": {each.__name__: each for each in _READY},
        }
        modules: dict[str, object] = {part: stand_in(f"{root}.{part}", names) for part, names in parts.items()}
        names: dict[str, object] = {"make": maker, "__version__": VERSION}
        names |= {each.__name__: each for each in _BASES}
        made |= {root: stand_in(root, names | modules)}
        made |= {f"{root}.{part}": module for part, module in modules.items()}
    return made
