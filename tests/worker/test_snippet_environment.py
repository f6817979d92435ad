"""What a snippet meets besides torch: printing, warnings, time, numbers, errors that lie."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.worker.conftest import Runner


def test_a_progress_bar_is_left_out(run: Runner) -> None:
    outcome = run(
        "from tqdm import tqdm, trange\nfrom tqdm.auto import tqdm as other\n"
        "for i in tqdm(range(2), desc='x', leave=False):\n    print(i)\n"
        "bar = trange(3)\nfor i in bar:\n    bar.set_postfix(loss=i)\n"
        "with other(total=5) as b:\n    b.update(2)\n    print(b.n, len(b))\ntqdm.write('line')\nprint(list(bar))"
    )
    assert (outcome.status, outcome.printed()) == ("ok", "0\n1\n2 5\nline\n[0, 1, 2]\n"), outcome.done


def test_a_model_is_saved_and_loaded_within_a_run(run: Runner) -> None:
    source = """
import torch
from torch import nn
model = nn.Linear(2, 1)
torch.save(model.state_dict(), "model.pth")
torch.save({"epoch": 3, "loss": torch.tensor(0.5)}, "check.pt")
kept = model.weight.detach().clone()
with torch.no_grad():
    model.weight.zero_()
model.load_state_dict(torch.load("model.pth", weights_only=True, map_location="cpu"))
print(torch.equal(kept, model.weight), torch.load("check.pt"))
try:
    torch.load("none.pth")
except FileNotFoundError as e:
    print(e)
"""
    printed = "True {'epoch': 3, 'loss': tensor(0.5000)}\n[Errno 2] No such file or directory: 'none.pth'\n"
    assert run(source).printed() == printed
    assert "No such file" in run("import torch\ntorch.load('model.pth')").sentence, "the next run starts without files"
    assert run("import torch\ntorch.save(3, object())").status == "raised"


def test_a_lone_surrogate_and_nul_get_through(run: Runner) -> None:
    outcome = run("print('\\ud800', '\\0', chr(0x10FFFF))")
    assert outcome.printed() == "\ud800 \0 \U0010ffff\n"


def test_very_long_numbers_are_divided(run: Runner) -> None:
    """For which Python imports a module of its own when it first does so."""
    outcome = run("a, b = 10**200_000, 7**90_000\nq, r = divmod(a, b)\nprint(q * b + r == a, 0 <= r < b, a // b == q)")
    assert (outcome.status, outcome.printed()) == ("ok", "True True True\n"), outcome


def test_sleep_is_capped(run: Runner) -> None:
    begun = time.monotonic()
    never_more = "class F(float):\n    def __gt__(self, other): return False\n"
    outcome = run(f"import time\n{never_more}for each in (1000, 1e3, F(1000)): time.sleep(each)\nprint('slept')")
    assert outcome.printed() == "slept\n"
    assert time.monotonic() - begun < 10


def test_unseeded_numbers_are_the_same_every_time(run: Runner) -> None:
    source = "import torch, random, numpy as np\nprint(torch.rand(3), random.random(), np.random.rand(2))"
    assert run(source).printed() == run(source).printed()


def test_nothing_leaks_into_the_next_run(run: Runner) -> None:
    run("class Leak: pass\nx = 5\nimport sys\nsys.setrecursionlimit = 3\n")
    outcome = run("try:\n    print(x)\nexcept NameError as e:\n    print(e)")
    assert outcome.printed() == "name 'x' is not defined\n"


def test_generators_that_are_left_open_do_not_reach_anything(run: Runner) -> None:
    run("def g():\n    try:\n        yield 1\n    finally:\n        print('late')\nleft = g()\nnext(left)")
    assert run("print('next')").printed() == "next\n"


def test_what_is_a_function_in_python_is_copied_as_one(run: Runner) -> None:
    source = (
        "import copy\nclass Own:\n    def __init__(self): self.given = []\n    def get(self): return self.given\n"
        "builtin = (getattr, hash, vars, id)\nprint(all(a is b for a, b in zip(copy.deepcopy(builtin), builtin)))\n"
        "own = Own()\nprint(copy.deepcopy(own.get)() is own.given)"
    )
    outcome = run(source)
    assert outcome.printed() == "True\nFalse\n", outcome.sentence


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import torch\ntorch.nope", "module 'torch' has no attribute 'nope'"),
        ("import math\nmath.nope", "module 'math' has no attribute 'nope'"),
        ("import math\nmath.pi = 3", "the module math belongs to GradViz and can't be changed"),
        ("import torch\ntorch.Tensor.x = 1", "'Tensor' belongs to GradViz and can't be changed"),
        ("print(1, sep=2)", "sep must be None or a string, not int"),
        ("x = 1\nx.y", "'int' object has no attribute 'y'"),
        ("class A: pass\nA()._x", "'A' object has no attribute '_x'"),
        ("type('A', (), {})", "type() with three arguments is not available in GradViz snippets"),
        ("f = [open][0]\nf('x')\ndef open(): pass", "open() is not available"),
    ],
)
def test_messages_at_run_time(run: Runner, source: str, message: str) -> None:
    outcome = run(source)
    assert outcome.status == "raised"
    assert message in outcome.sentence or "open" in source


def test_the_traceback_is_pythons(run: Runner, tmp_path: Path) -> None:
    source = (
        "def f(x):\n    return 1 / x\n\n"
        "try:\n    f(0)\nexcept ZeroDivisionError as e:\n    raise ValueError('no') from e\n"
    )
    path = tmp_path / "snippet.py"
    path.write_text(source, encoding="utf-8")
    plain = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=300)
    outcome = run(source)
    assert outcome.done.detail.traceback == plain.stderr.replace(str(path), "snippet.py")
    assert outcome.done.detail.last_line == "ValueError: no"
    assert outcome.done.detail.line == 7


def test_a_long_recursion_is_folded_as_python_does(run: Runner) -> None:
    trace = run("def f(): f()\nf()").done.detail.traceback
    assert "[Previous line repeated" in trace
    assert len(trace) < 2000


def test_a_recursion_with_a_default_value_has_a_limit(run: Runner) -> None:
    """Python 3.13.0 to 3.13.7 check no limit in such a call (gh-132744), only where the argument is reported."""
    outcome = run("def f(n, result=1):\n    return f(n - 1)\nf(5)")
    assert outcome.status == "raised"
    assert outcome.done.detail.last_line == "RecursionError: maximum recursion depth exceeded"
    assert outcome.done.detail.traceback.count("Previous line repeated 9") == 1


@pytest.mark.parametrize(
    ("body", "last_line"),
    [
        ("def __str__(self): return 'x' * 10 ** 6", f"E: {'x' * 20_000}… [980,000 more characters]"),
        ("def __str__(self): raise KeyboardInterrupt", "E: <exception str() failed>"),
        ("def __str__(self): raise SystemExit", "E: <exception str() failed>"),
        ("def __str__(self): return S('lie')", "E: lie"),
        ("def __repr__(self): return 'unused'", "E"),
        ("args = 5", "E"),
        ("__str__ = None", "E: <exception str() failed>"),
    ],
)
def test_exceptions_that_lie(run: Runner, body: str, last_line: str) -> None:
    outcome = run(f"class S(str):\n    def __str__(self): raise E\nclass E(Exception):\n    {body}\nraise E()")
    assert (outcome.status, outcome.done.detail.last_line) == ("raised", last_line)


def test_a_cause_that_is_its_own_cause(run: Runner) -> None:
    outcome = run("e = ValueError('x')\nf = KeyError('y')\ne.__cause__ = f\nf.__cause__ = e\nraise e")
    assert outcome.status == "refused"
    outcome = run("try:\n    raise ValueError('a')\nexcept ValueError as e:\n    raise e from e")
    assert outcome.done.detail.last_line == "ValueError: a"


def test_a_too_long_snippet_is_refused(run: Runner) -> None:
    outcome = run("import polars\npolars.read_csv('a')\n" + "x = 1\n" * 70_000)
    assert outcome.status == "refused"
    assert "420,035 characters" in outcome.sentence
    assert not outcome.done.detail.missing, "its tree would take ten seconds"


def test_names_on_ctx_that_the_engine_uses_are_named(run: Runner) -> None:
    source = """
import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.{name} = 2
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * ctx.{name}
x = torch.tensor(1., requires_grad=True)
F.apply(x).backward()
print(x.grad)
"""
    assert run(source.format(name="factor")).printed() == "tensor(2.)\n"
    assert "choose another name" in run(source.format(name="saved")).sentence


def test_the_ticker_ticks_without_an_interval_timer() -> None:
    """Where the system has none (Windows): a thread raises a signal's handler, in the middle of an endless loop."""
    code = (
        "import sys\nfrom gradviz.worker.running.runner import Ticker\ncount = 0\n"
        "def tick():\n    global count\n    count += 1\n"
        "ticker = Ticker(tick, by_thread=True)\nticker.start()\nwhile count < 3: pass\nticker.stop()\nprint('ticked')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.stdout == "ticked\n", done.stderr


def test_a_tick_that_takes_longer_than_the_time_between_two_is_not_begun_again_within_itself() -> None:
    """On a loaded machine one would run in another until the snippet had a RecursionError."""
    code = (
        "import time\nfrom gradviz.worker.running.runner import INTERVAL, Ticker\ndepth, depths = 0, []\n"
        "def tick():\n    global depth\n    depth += 1\n    depths.append(depth)\n"
        "    end = time.monotonic() + 4 * INTERVAL\n    while time.monotonic() < end and len(depths) < 5: pass\n"
        "    depth -= 1\n    return True\n"
        "ticker = Ticker(tick)\nticker.start()\nwhile len(depths) < 5: pass\nticker.stop()\nprint(depths)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.stdout == "[1, 1, 1, 1, 1]\n", done.stderr


def test_imports_of_what_is_left_out_say_why(run: Runner) -> None:
    outcome = run("from torch import hub\nhub.load('x')\n")
    assert "torch.hub.load is not in GradViz: a snippet has no network; build the model" in str(outcome.done)
    outcome = run("import torch.distributed as dist\ndist.scatter()\n")
    assert "leave it out and run the training function directly" in str(outcome.done)
    outcome = run("from torch.nn import Foo\n")
    assert "cannot import name 'Foo' from 'torch.nn'" in str(outcome.done)


SETTINGS = """
import argparse
parser = argparse.ArgumentParser(description="trains")
parser.add_argument("--lr", type=float, default=0.1, metavar="LR", help="step size (default: %(default)s)")
parser.add_argument("--no-cuda", action="store_true")
parser.add_argument("-m", "--momentum", type=float, default=0.9)
parser.add_argument("--sizes", nargs="+", type=int, default=[3, 2])
args = parser.parse_args()
args.cuda = not args.no_cuda
print(args, args.lr, "lr" in args)
print(parser.parse_args(["--lr", "1", "--sizes", "4", "5"]).sizes, parser.parse_known_args(["x"])[1])
print(parser.format_usage())
"""


def test_a_program_is_called_as_its_file(run: Runner) -> None:
    source = "import sys, argparse\nprint(sys.argv)\nprint(argparse.ArgumentParser().format_usage().strip())"
    assert run(source, "train_net.py").printed() == "['train_net.py']\nusage: train_net.py [-h]\n"


def test_a_command_line_is_empty_and_gives_the_defaults(run: Runner) -> None:
    outcome = run(SETTINGS)
    assert outcome.printed() == (
        "Namespace(lr=0.1, no_cuda=False, momentum=0.9, sizes=[3, 2], cuda=True) 0.1 True\n[4, 5] ['x']\n"
        "usage: snippet.py [-h] [--lr LR] [--no-cuda] [-m MOMENTUM]\n"
        "                  [--sizes SIZES [SIZES ...]]\n\n"
    ), outcome.done


def test_a_missing_setting_is_said_as_by_python(run: Runner) -> None:
    parser = "import argparse\np = argparse.ArgumentParser()\n"
    outcome = run(parser + "p.add_argument('--data', required=True)\np.parse_args()")
    assert outcome.printed("err").endswith("snippet.py: error: the following arguments are required: --data\n")
    for refused in (
        "p.add_argument('--__class__')",
        "p.set_defaults(_x=1)",
        "argparse.Namespace(**{'__class__': int})",
    ):
        assert "can't be called" in run(parser + refused).sentence
    for refused in ("p._real", "p.add_argument('x', action=print)", "p.parse_args([], p)"):
        assert run(parser + refused).status != "ok", refused


COMMANDS = """
import argparse
p = argparse.ArgumentParser()
p.add_argument("--seed", type=int, default=0)
commands = p.add_subparsers(dest="command", help="what to do")
train = commands.add_parser("train", help="learn", aliases=["t"], description="Learn it.")
train.add_argument("--epochs", type=int, default=3)
train.set_defaults(f=lambda given: given.epochs + given.seed)
commands.add_parser("test").add_argument("file")
args = p.parse_args(["--seed", "2", "train", "--epochs", "5"])
print(args.command, args.epochs, args.seed, args.f(args), p.parse_args(["t"]).command)
print(p.parse_args(["test", "x.pt"]), p.parse_args([]), train.format_usage(), end="")
try:
    p.parse_args(["fly"])
except SystemExit as e:
    print(e.code)
train.parse_args(["--help"])
"""


def test_a_script_has_commands(run: Runner) -> None:
    outcome = run(COMMANDS)
    assert outcome.printed() == (
        "train 5 2 7 t\nNamespace(seed=0, command='test', file='x.pt') Namespace(seed=0, command=None) "
        "usage: snippet.py train [-h] [--epochs EPOCHS]\n2\n"
        "usage: snippet.py train [-h] [--epochs EPOCHS]\n\nLearn it.\n\noptions:\n"
        "  -h, --help       show this help message and exit\n  --epochs EPOCHS\n"
    ), outcome.done
    assert "invalid choice: 'fly' (choose from" in outcome.printed("err")
    begin = "import argparse\nc = argparse.ArgumentParser().add_subparsers()\n"
    for refused in (
        "c._real",
        "type(c)(print, c)",
        "c.add_parser('x', parents=[c])",
        "c.add_parser('x', parser_class=print)",
        "c.add_parser('x', formatter_class=print)",
        "argparse.ArgumentParser().add_subparsers(dest='__class__')",
        "argparse.ArgumentParser().add_subparsers(parser_class=print)",
        "argparse.ArgumentParser().add_subparsers(action=print)",
        "c.add_parser('x')._of_command(c)",
    ):
        assert run(begin + refused).status != "ok", refused


NUMPY = """
import numpy as np
print(np.finfo(np.float32).eps.item(), np.finfo(np.float64).max, np.iinfo(np.int8).min)
xx, yy = np.mgrid[0:2, 0:3]
print(np.c_[xx.ravel(), yy.ravel()].tolist(), np.r_[1:3, 5], type(np.c_[xx]) is np.ndarray)
with np.errstate(divide="ignore"):
    print(np.nan_to_num(np.log(np.array([0.0, 1.0])), neginf=-1.0), np.unravel_index(5, (2, 3)))
state = np.random.get_state()
first = np.random.rand()
np.random.set_state(state)
print(first == np.random.rand(), np.isin([1, 2], [2]), np.array2string(np.ones(2), precision=1))
"""


def test_more_of_numpy_that_tutorials_use(run: Runner) -> None:
    outcome = run(NUMPY)
    assert outcome.printed() == (
        "1.1920928955078125e-07 1.7976931348623157e+308 -128\n"
        "[[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]] [1 2 5] True\n"
        "[-1.  0.] (np.int64(1), np.int64(2))\nTrue [False  True] [1. 1.]\n"
    ), outcome.done
    assert run("import numpy as np\nwith np.errstate(call=print):\n    pass").status == "raised"


ERRORS = """
import numpy as np, torch
def told(compute):
    try: return compute()
    except FloatingPointError as error: return error
with np.errstate(all="raise", over="ignore"):
    print(told(lambda: np.log(np.zeros(1))), told(lambda: np.array([1e308]) * 10), told(lambda: np.float64(0) / 0))
    print(torch.log(torch.zeros(1)), torch.tensor([1e30]) * 1e30, np.geterr()["divide"])
    with np.errstate(divide="ignore"):
        print(told(lambda: np.log(np.zeros(1))))
print(told(lambda: np.log(np.zeros(1))), np.geterr())
print(np.seterr(all="raise"), told(lambda: np.ones(1) / 0), np.seterr(all="ignore"), told(lambda: np.ones(1) / 0))
x = torch.zeros(1, requires_grad=True)
np.seterr(divide="raise")
x.sqrt().sum().backward()
print(x.grad)
"""


def test_errors_that_numpy_raises_are_not_those_of_tensors(run: Runner) -> None:
    ways = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
    assert run(ERRORS).printed() == (
        "divide by zero encountered in log [inf] invalid value encountered in scalar divide\n"
        "tensor([-inf]) tensor([inf]) raise\n[-inf]\n"
        f"[-inf] {ways}\n"
        f"{ways} divide by zero encountered in divide {dict.fromkeys(ways, 'raise')} [inf]\n"
        "tensor([inf])\n"
    )
    assert "invalid error mode 'call'" in run("import numpy as np\nnp.seterr(all='call')").sentence


def test_a_back_end_is_imported_as_a_module(run: Runner) -> None:
    source = "import torch.backends.cudnn as cudnn\ncudnn.benchmark = True\nprint(cudnn.benchmark)\n"
    assert (
        run(source + "import torch.backends.cuda\nprint(torch.backends.cuda.is_built())").printed() == "True\nFalse\n"
    )


def test_a_whole_model_is_loaded_only_when_that_is_asked_for(run: Runner) -> None:
    save = "import torch, collections\nimport numpy as np\ntorch.save(%s, 'x.pt')\n"
    for value, name in (
        ("torch.nn.Linear(1, 1)", "torch.nn.modules.linear.Linear"),
        ("{'a': [np.ones(2)]}", "numpy._core.multiarray._reconstruct"),
        ("collections.defaultdict(list)", "collections.defaultdict"),
    ):
        assert f"GLOBAL {name} was not an allowed global" in run(save % value + "torch.load('x.pt')").sentence
        assert run(save % value + "torch.load('x.pt', weights_only=False)").status == "ok"
    weights = "{'m': torch.nn.Linear(1, 1).state_dict(), 'e': 1, 's': torch.Size([1]), 'd': torch.device('cpu')}"
    assert run(save % weights + "torch.load('x.pt', weights_only=True)").status == "ok"


def test_an_encoding_is_there_or_said_not_to_be(run: Runner) -> None:
    outcome = run(
        "for name in ('cp1252', 'latin2', 'utf-8-sig', 'ANSI_X3.4-1968', 'shift_jis', 'no_such'):\n"
        "    try:\n        print('é'.encode(name, 'replace'))\n    except LookupError as error:\n        print(error)\n"
    )
    assert outcome.printed().splitlines() == [
        r"b'\xe9'",
        r"b'\xe9'",
        r"b'\xef\xbb\xbf\xc3\xa9'",
        "b'?'",
        "the encoding shift_jis is not available in GradViz snippets",
        "unknown encoding: no_such",
    ], outcome.done
