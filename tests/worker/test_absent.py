"""What a file imports and GradViz does not have: skipped where nothing uses it, refused at its use; and all that is
refused before the start, at once."""

from __future__ import annotations

import pytest

from gradviz.worker.language import absent
from tests.worker.conftest import Runner


@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        (
            "import requests\nx = 1\nrequests.get('x')\n",
            3,
            "requests.get is not available in GradViz snippets; a",
        ),
        ("import threading, torch\nthreading.Thread()\n", 2, "one thread"),
        (
            "import polars as pl\n\npl.read_csv('x')\n",
            3,
            "polars.read_csv is not available in GradViz",
        ),
        ("from netron import start\nstart(1)\n", 2, "draws the graph itself"),
        (
            "import seaborn as sns\nsns.lineplot([1])\n",
            2,
            "seaborn.lineplot is not available in GradViz snippets; draw it",
        ),
        ("import matplotlib.pyplot as plt\nplt.imread('a.png')\n", 2, "open it with PIL.Image.open"),
        ("import matplotlib.pyplot as plt\nplt.twiny()\n", 2, "matplotlib.pyplot.twiny is not available"),
        ("from gym.envs.registration import register\nregister('A')\n", 2, "give the options to make()"),
        ("from .model import Net\nNet()\n", 2, "one file"),
        ("from model import Net\nclass A(Net): pass\n", 2, "model.Net is not available"),
        ("from torch.fx import symbolic_trace as t\nt(1)\n", 2, "torch.fx.symbolic_trace is not in GradViz: programs"),
        ("import torch.fx\ntorch.fx.Graph()\n", 2, "torch.fx is not in GradViz"),
        ("import torch.no_such_part as x\nx()\n", 2, "torch.no_such_part is not in GradViz"),
        ("from numpy import fromregex, ones\nones(2)\nfromregex('x')\n", 3, "numpy.fromregex is not available"),
        ("import numpy as np\nnp.fromregex('x')\n", 2, "numpy.fromregex is not available"),
        ("import random\nrandom.SystemRandom()\n", 2, "random.SystemRandom is not available"),
        ("import sklearn.datasets as d\nd.load_wine()\n", 2, "sklearn.datasets.load_wine is not available"),
        ("import shutil\nshutil.make_archive('a', 'zip')\n", 2, "write what you need of it into the snippet"),
        ("from torchvision import transforms as t\nt.RandomPerspective()\n", 2, "compute it with torch or numpy"),
        ("from torchvision import transforms as t\nt.AutoAugment()\n", 2, "use TrivialAugmentWide"),
        ("from torchvision import models\nmodels.densenet121()\n", 2, "use resnet18, vgg16, alexnet, mobilenet_v2 or"),
        ("import numpy as np\nnp.matrix([[1]])\n", 2, "use np.array; @ multiplies arrays as matrices"),
        ("from zoneinfo import ZoneInfo\nZoneInfo('UTC')\n", 2, "use datetime.timezone("),
        ("from sklearn.metrics import log_loss\nlog_loss([1], [1])\n", 2, "compute it with torch or numpy, or leave"),
        ("import mlflow\nprint(mlflow.__version__)\n", 2, "mlflow is not available"),
        ("import mlflow\nwith mlflow.run: pass\n", 2, "mlflow.run is not available"),
        ("import mlflow\nmlflow.config['x']\n", 2, "mlflow.config is not available"),
        ("import mlflow\nx = mlflow.a + 1\n", 2, "mlflow.a is not available"),
        ("import mlflow\nmlflow.a.b = 1\n", 2, "mlflow.a is not available"),
        ("from mlflow import A\nA._b = 1\n", 2, "mlflow.A is not available"),
        ("from mlflow import A\nprint(A._b)\n", 2, "mlflow.A is not available"),
    ],
)
def test_it_is_refused_where_it_is_used(run: Runner, source: str, line: int, words: str) -> None:
    outcome = run(source)
    assert (outcome.status, outcome.done.detail.line) == ("raised", line)
    assert words in outcome.sentence


def test_nothing_is_refused_that_is_never_reached(run: Runner) -> None:
    source = (
        "import polars as pl, torch\nfrom .data import load\n"
        "def f(x: pl.DataFrame | None = None): return isinstance(x, pl.DataFrame)\n"
        "def g(): return load()\nprint(f(torch.ones(1)), torch.ones(1).item())"
    )
    assert run(source).printed() == "False 1.0\n"


def test_an_import_that_nothing_uses_is_skipped_with_a_note(run: Runner) -> None:
    outcome = run("import visdom, torch\nprint(torch.ones(1).item())")
    assert (outcome.status, outcome.printed()) == ("ok", "1.0\n")
    said = "line 1: visdom is skipped: it is not available in GradViz snippets, and nothing here uses it.\n"
    assert outcome.printed("err") == said


def test_a_method_that_nothing_calls_is_skipped_with_a_note(run: Runner) -> None:
    """Python would call `__del__` in the middle of anything, GradViz's own work too."""
    outcome = run("class A:\n    def __del__(self): print('gone')\na = A()\ndel a\nprint('end')")
    assert (outcome.status, outcome.printed()) == ("ok", "end\n")
    assert outcome.printed("err") == "line 2: __del__ is skipped: GradViz never calls it.\n"
    for other in ("def __del__(self): pass", "class A: __del__ = print"):
        assert run(other).status == "refused", other
    assert run("class A:\n    def __del__(self): pass\nA().__del__()").status == "raised"


@pytest.mark.parametrize("use", ["a.__dict__ = {}", "del a.__dict__", "a.__dict__ |= {}", "a.x, a.__dict__ = 1, {}"])
def test_a_table_of_attributes_is_refused_where_it_is_replaced(run: Runner, use: str) -> None:
    """PyTorch's chatbot does so when it loads an older model, which it has not by default."""
    outcome = run(f"class A: pass\ndef f(a):\n    {use}\nprint(1)\nf(A())")
    assert (outcome.status, outcome.printed(), outcome.done.detail.line) == ("raised", "1\n", 3)
    assert "'__dict__' can't be assigned to in GradViz snippets" in outcome.sentence
    assert run("class A: pass\nA().__class__ = A").status == "refused"


def test_a_failing_import_that_is_expected_fails(run: Runner) -> None:
    source = "try:\n    import apex\nexcept ImportError as e:\n    apex = None\nprint(apex)"
    assert run(source).printed() == "None\n"
    assert "No module named 'apex'" in run("try: import apex\nexcept ImportError: raise").sentence


def test_all_refusals_are_told_at_once(run: Runner) -> None:
    outcome = run("x = compile('1')\nimport os\nclass A(metaclass=B): pass\nasync def f():\n    await g()\nint.mro()\n")
    assert outcome.status == "refused"
    found = [(each.line, each.what.split()[0]) for each in outcome.done.detail.refusals]
    assert found == [(1, "compile()"), (3, "a"), (4, "async"), (6, "the")]
    assert outcome.sentence == outcome.done.detail.refusals[0].sentence
    many = run("\n".join(f"compile('{n}')" for n in range(300)))
    assert len(many.done.detail.refusals) == 100


def test_what_stands_for_it_leads_nowhere(run: Runner) -> None:
    assert "expected a 'Absent'" in run("import apex as a\ntype(a).__getitem__(3, 1)").sentence
    for use in ("a._path", "type(a)._path", "a.__init__('x')", "a.x = 1", "a.b._x = 1"):
        outcome = run(f"import apex as a\nb = {use}" if "=" not in use else f"import apex as a\n{use}")
        assert outcome.status == "raised", use


def _missing(run: Runner, source: str) -> list[tuple[str, str, tuple[int, ...]]]:
    return [(each.path, each.written, each.lines) for each in run(source).done.detail.missing]


def test_all_that_is_missing_is_told_with_the_first_use(run: Runner) -> None:
    source = (
        "import polars as pl, torch\nimport torch.distributed as dist\nfrom .data import load\n"
        "pl.read_csv('x')\ndist.scatter()\npl.read_csv('y')\nload()\ntorch.no_such_thing\n"
    )
    assert _missing(run, source) == [
        ("polars.read_csv", "pl.read_csv", (4, 6)),
        ("torch.distributed.scatter", "dist.scatter", (5,)),
        (".data.load", "load", (7,)),
    ]
    assert _missing(run, f"compile('1')\n{source}")[0] == ("polars.read_csv", "pl.read_csv", (5, 7))
    assert _missing(run, "import polars\nprint(1)\n1 / 0\npolars.x()") == [], "another error is nobody's absence"


def test_nothing_is_called_missing_that_may_be_there(run: Runner) -> None:
    """What is handed on, named in a hint, caught, bound in another way, or for other tools."""
    source = (
        "import polars as pl\nimport mlflow\nimport apex\n"
        "try:\n    import visdom\nexcept ImportError:\n    visdom = None\n"
        "def f(x: pl.DataFrame) -> pl.Series: return isinstance(x, pl.DataFrame)\n"
        "def g(apex): return apex.run()\n"
        "def h(): return visdom.Visdom()\n"
        "try:\n    mlflow.init()\nexcept ImportError: pass\n"
        "kept = [pl.concat]\nmlflow.log()\n"
    )
    assert _missing(run, source) == [("mlflow.log", "mlflow.log", (15,))]


def test_a_program_that_fools_the_list_tells_nothing(run: Runner) -> None:
    assert _missing(run, "raise ImportError('x is not available in GradViz snippets')") == []
    assert len(_missing(run, "import mlflow\n" + "\n".join(f"mlflow.x{n}()" for n in range(300)))) == 100
    assert len(_missing(run, "import mlflow\n" + "mlflow.x()\n" * 300)[0][2]) == 100


def test_what_stands_for_it_is_handed_on_in_copies(run: Runner) -> None:
    source = (
        "import apex, copy, pickle, torch\nheld = {'scaler': apex.amp, 'x': torch.ones(1)}\n"
        "print(copy.copy(apex), copy.deepcopy(held)['scaler'])\n"
        "torch.save(held, 'a')\nprint(torch.load('a', weights_only=False)['scaler'] is apex)\n"
        "pickle.loads(pickle.dumps(apex)).init()"
    )
    outcome = run(source)
    said = "<apex, which is not available in GradViz snippets> <apex.amp, which is not available in GradViz snippets>"
    assert outcome.printed() == f"{said}\nFalse\n"
    assert outcome.sentence.startswith("ImportError: apex.init is not available in GradViz snippets")


def test_no_function_of_pyplot_that_is_here_is_said_to_be_missing(run: Runner) -> None:
    names = sorted(absent._OF_PYPLOT)
    outcome = run(f"import matplotlib.pyplot as plt\nprint([n for n in {names} if hasattr(plt, n)])")
    assert outcome.printed() == "[]\n"


def test_a_method_may_have_a_name_that_learners_take_for_a_hook(run: Runner) -> None:
    source = (
        "from torch import nn, ones\nclass Net(nn.Module):\n    def __forward__(self, x): return x + 1\n"
        "    def forward(self, x): return self.__forward__(x) * 2\nprint(Net()(ones(1)), hasattr(Net, '__forward__'))\n"
    )
    assert run(source).printed() == "tensor([4.]) True\n"
    assert run("class A:\n    def __torch_dispatch__(self): pass").status == "refused"
