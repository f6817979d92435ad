"""Modules of which scripts use a few names, and what a snippet learns of names: what it could name itself."""

from __future__ import annotations

import pytest

from tests.worker.conftest import Runner


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        ("from torch.utils.data.dataloader import DataLoader\nprint(len(DataLoader([1, 2, 3])))", "3\n"),
        ("import torch\nfrom functorch import vmap\nprint(vmap(torch.sin)(torch.zeros(2)))", "tensor([0., 0.])\n"),
        ("import torch.functional as TF, torch\nprint(TF.einsum('i,i', torch.ones(2), torch.ones(2)).item())", "2.0\n"),
        (
            "from torch.utils._pytree import tree_map\nprint(tree_map(lambda x: x * 2, {'a': [1, (2,)]}))",
            "{'a': [2, (4,)]}\n",
        ),
        (
            "import torch.distributed as dist\nif dist.is_available(): dist.init_process_group()\n"
            "print(dist.is_initialized())",
            "False\n",
        ),
        ("from importlib.metadata import version as v\nimport torch\nprint(v('torch') == torch.__version__)", "True\n"),
        (
            "import importlib.util as u, importlib\nprint(u.find_spec('transformers'), u.find_spec('numpy') is None)\n"
            "print(importlib.import_module('math').pi)",
            "None False\n3.141592653589793\n",
        ),
        (
            "import inspect, torch\nprint('fused' in inspect.signature(torch.optim.AdamW).parameters)\n"
            "print(inspect.signature(lambda a, b=2: a), inspect.isfunction(len), inspect.isclass(int))",
            "True\n(a, b) False True\n",
        ),
        ("from IPython.display import display, clear_output\nclear_output(wait=True)\ndisplay(3)", "3\n"),
        ("import seaborn as sns\nsns.set_theme(style='darkgrid')\nprint(1)", "1\n"),
        ("x = 1\ng = globals()\ng['x'] = 2\nprint(x, sorted(g), dir())", "1 ['x'] ['g', 'x']\n"),
        ("import math\nclass A:\n    y = 1\nprint(dir(math)[:2], dir(A()))", "['acos', 'acosh'] ['y']\n"),
    ],
)
def test_it_answers_as_the_real_one(run: Runner, source: str, printed: str) -> None:
    outcome = run(source)
    assert (outcome.status, outcome.printed()) == ("ok", printed), outcome.sentence


def test_what_is_not_here_is_not_found(run: Runner) -> None:
    assert "No module named 'subprocess'" in run("import importlib\nimportlib.import_module('subprocess')").sentence
    assert "PackageNotFoundError" in run("from importlib.metadata import version\nversion('pip')").sentence
    assert "inspect.currentframe is not available" in run("import inspect\ninspect.currentframe()").sentence
    assert "a snippet runs in one process" in run("import torch.distributed as d\nd.init_process_group()").sentence
