"""Games for snippets: a seeded episode has Gymnasium's numbers, which were recorded with Gymnasium 1.4."""

from __future__ import annotations

import pytest

from gradviz.worker.modules.games import make
from gradviz.worker.objects.numpy_types import SafeArray
from tests.worker.conftest import Runner

_EPISODES = """
import gymnasium as gym
env = gym.make("{name}")
env.action_space.seed(3)
obs, info = env.reset(seed=7)
print(obs, info, env.observation_space, env.action_space)
total = 0
for i in range(120):
    action = env.action_space.sample()
    obs, reward, terminated, truncated, info = env.step(action)
    total += reward
    if i < 1:
        print(action, obs, reward, terminated, truncated, info)
    if terminated or truncated:
        obs, info = env.reset()
print(total, obs)
"""
_RECORDED = {
    "CartPole-v1": """\
[ 0.01250955  0.03972138  0.02756857 -0.02747928] {} Box([-4.8               -inf -0.41887903        -inf], \
[4.8               inf 0.41887903        inf], (4,), float32) Discrete(2)
1 [ 0.01330397  0.23443735  0.02701898 -0.31133813] 1.0 False False {}
120.0 [-0.04630969  0.0014444  -0.00011214  0.04269771]
""",
    "MountainCar-v0": """\
[-0.47498092  0.        ] {} Box([-1.2  -0.07], [0.6  0.07], (2,), float32) Discrete(3)
2 [-0.47434425  0.00063666] -1.0 False False {}
-120.0 [-0.4692802 -0.0005249]
""",
    "Pendulum-v1": """\
[0.7066825 0.7075308 0.7944276] {} Box([-1. -1. -8.], [1. 1. 8.], (3,), float32) Box(-2.0, 2.0, (1,), float32)
[-1.6574033] [0.6675959 0.7445238 1.0764652] -0.6836513599556275 False False {}
-608.4593031593827 [-0.15802999 -0.9874343  -3.5098248 ]
""",
    "FrozenLake-v1": """\
0 {'prob': 1} Discrete(16) Discrete(4)
3 0 0 False False {'prob': 0.33333333333333337}
0 4
""",
}


@pytest.mark.parametrize("name", _RECORDED)
def test_a_seeded_episode_is_gymnasiums(run: Runner, name: str) -> None:
    assert run(_EPISODES.format(name=name)).printed() == _RECORDED[name]


def test_arrays_leave_as_stand_ins() -> None:
    game = make("Pendulum-v1")
    seen, _ = game.reset(seed=1)
    action = game.action_space.sample()
    space = game.observation_space
    for array in (seen, action, game.step(action)[0], game.state, space.low, space.high, space.sample()):
        assert type(array) is SafeArray


def test_an_episode_is_cut_where_the_game_says(run: Runner) -> None:
    source = (
        "import gym\ne = gym.make('Pendulum-v1')\ne.reset(seed=0)\nn = 0\nwhile True:\n    n += 1\n"
        "    _, _, over, cut, _ = e.step(e.action_space.sample())\n    if over or cut: break\nprint(n, over, cut)\n"
        "e = gym.make('CartPole-v1', max_episode_steps=3)\ne.reset(seed=0)\n"
        "print([e.step(0)[3] for _ in range(3)], e.spec.id, e.x_threshold, e.unwrapped.force_mag)\n"
    )
    assert run(source).printed() == "200 False True\n[False, False, True] CartPole-v1 2.4 10.0\n"


def test_a_game_says_when_it_counts_as_solved(run: Runner) -> None:
    source = (
        "import gymnasium as gym\n"
        "for name in 'CartPole-v0 CartPole-v1 MountainCar-v0 Pendulum-v1 FrozenLake-v1'.split():\n"
        "    spec = gym.make(name).spec\n    print(spec.max_episode_steps, spec.reward_threshold)\n"
    )
    assert run(source).printed() == "200 195.0\n500 475.0\n200 -110.0\n200 None\n100 0.7\n"


def test_a_snippet_writes_a_game_of_its_own(run: Runner) -> None:
    source = (
        "import gymnasium as gym\nfrom gymnasium import spaces\nclass Walk(gym.Env):\n    def __init__(self):\n"
        "        self.action_space = spaces.Discrete(2)\n        self.observation_space = spaces.Box(-9.0, 9.0, (1,))\n"
        "    def reset(self, *, seed=None, options=None):\n        super().reset(seed=seed)\n        self.at = 0\n"
        "        return self.at, {}\n    def step(self, action):\n        self.at += 2 * action - 1\n"
        "        return self.at, float(self.at), abs(self.at) > 2, False, {}\n"
        "w = Walk()\nw.reset()\nprint(w.step(1), w.unwrapped is w)\n"
    )
    assert run(source).printed() == "(1, 1.0, False, False, {}) True\n"


def test_a_snippet_puts_wrappers_around_a_game(run: Runner) -> None:
    """As Gymnasium 1.4 prints it."""
    source = (
        "import gymnasium as gym\nclass O(gym.ObservationWrapper):\n"
        "    def observation(self, seen): return seen * 2\n"
        "class A(gym.ActionWrapper):\n    def action(self, action): return 1 - action\n"
        "class R(gym.RewardWrapper):\n    def __init__(self, env, k):\n"
        "        super().__init__(env)\n        self.k = k\n"
        "        self.observation_space = gym.spaces.Box(-1.0, 1.0, (4,))\n"
        "    def reward(self, reward): return reward * self.k\n"
        "class W(gym.Wrapper):\n    def __init__(self, env):\n        gym.Wrapper.__init__(self, env)\n"
        "        self.n = 0\n"
        "    def step(self, action):\n        self.n += 1\n        return super().step(action)\n"
        "e = W(R(A(O(gym.make('CartPole-v1'))), 3))\nprint(e.reset(seed=1)[0])\nprint(*e.step(0)[:3])\n"
        "print(e.n, e.action_space, e.observation_space, e.unwrapped.force_mag, e.env.k)\n"
    )
    assert run(source).printed() == (
        "[ 0.00236432  0.09009274 -0.07116808  0.08972989]\n"
        "[ 0.00416618  0.48132005 -0.06937348 -0.5176586 ] 3.0 False\n"
        "1 Discrete(2) Box(-1.0, 1.0, (4,), float32) 10.0 3\n"
    )


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("gym.make('Breakout-v4')", "ValueError: Breakout-v4 is not available in GradViz snippets; CartPole-v0"),
        ("gym.make('CartPole-v1').step(0)", "RuntimeError: Cannot call env.step() before calling env.reset()"),
        ("e = gym.make('CartPole-v1')\ne.reset()\ne.step(5)", "AssertionError: 5 (<class 'int'>) invalid"),
        ("gym.wrappers.AtariPreprocessing(1)", "gymnasium.wrappers.AtariPreprocessing is not available in GradViz"),
        ("gym.vector.SyncVectorEnv([])", "ValueError: 1 to 1,000 games are played at once in GradViz snippets"),
    ],
)
def test_what_a_game_says(run: Runner, source: str, words: str) -> None:
    assert words in run(f"import gymnasium as gym\n{source}\n").sentence


def test_gym_gives_four_values_to_a_file_that_takes_four(run: Runner) -> None:
    """The numbers are Gymnasium's; the form is that of gym before 0.26."""
    source = (
        "import {0}\nenv = {0}.make('CartPole-v0')\nobs = env.reset()\nsteps, done = 0, False\nprint(obs.shape)\n"
        "env = {0}.make('MountainCar-v0', max_episode_steps=3)\nenv.reset()\nwhile not done:\n"
        "    obs, reward, done, info = env.step(1)\n    steps += 1\nprint(steps, reward, done, info)"
    )
    outcome = run(source.format("gym"))
    assert outcome.printed() == "(4,)\n3 -1.0 True {'TimeLimit.truncated': True}\n", outcome.sentence
    assert outcome.printed("err").startswith("gym.make() gives games as gym did before 0.26")
    assert "'tuple' object has no attribute 'shape'" in run(source.format("gymnasium")).sentence
    both = run(source.format("gym").replace("(1)", "(1)\n    a, b, c, d, e = env.step(1)"))
    assert "'tuple' object has no attribute 'shape'" in both.sentence


@pytest.mark.parametrize("line", [" " * 300_000, f"a{' ' * 300_000}", f"a{' ' * 300_000}=", "a " * 150_000])
def test_a_long_line_is_read_once(run: Runner, line: str) -> None:
    """What looks for steps of games read its blanks again from each of them, until a limit ended the run."""
    assert run(f"print('begun')\ntext = '''\n{line}'''\n").printed() == "begun\n"


_SEVERAL = """
import gymnasium as gym, numpy as np
def pole():
    return gym.wrappers.RecordEpisodeStatistics(gym.make("CartPole-v1"))
envs = gym.vector.SyncVectorEnv([pole, pole])
print(envs.num_envs, envs.single_action_space, envs.observation_space.shape, envs.reset(seed=1)[0][:, 0])
for t in range(14):
    seen, reward, over, cut, infos = envs.step(np.array([t % 2, 1]))
    if infos:
        print(t, seen[:, 0], reward, over, infos["episode"]["r"], infos["episode"]["l"], infos["_episode"])
seen, reward, over, cut, infos = envs.step([1, 1])
"""
_OF_SEVERAL = """\
2 Discrete(2) (2, 4) [ 0.00118216 -0.02383879]
9 [-0.00896428  0.14763983] [1. 1.] [False  True] [ 0. 10.] [ 0 10] [False  True]
"""


def test_several_games_at_once_and_ready_wrappers(run: Runner) -> None:
    """As Gymnasium 1.4 prints it."""
    assert run(_SEVERAL).printed() == _OF_SEVERAL


def test_what_ends_begins_at_once_where_a_file_asks_for_the_last_tables(run: Runner) -> None:
    """As before Gymnasium 1.0, for which such a file was written."""
    source = _SEVERAL.partition("for t")[0] + (
        "for t in range(10): seen, *rest, infos = envs.step([t % 2, 1])\nn, t = infos['final_info']\n"
        "print(n, t['episode']['l'], infos['final_observation'][1][2] < -0.2, seen[1][2] > -0.2)"
    )
    assert run(source).printed().splitlines()[-1] == "None 10 True True"
