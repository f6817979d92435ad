"""What learners paste and import: copied sessions, notebook lines, stand-ins of small modules, and the page that lists
them."""

from __future__ import annotations

import code
import re
from pathlib import Path

import pytest

from gradviz import RESOURCES
from gradviz.worker.modules.stand_ins import TorchFacade, World, load_torch, torch_modules
from gradviz.worker.policy_names import REFUSED_BUILTINS
from tests.worker.conftest import Runner

PAGE = Path(__file__).parents[2] / "docs" / "safety.md"


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        (">>> x = 1\n>>> for i in range(2):\n...     print(i + x)\n... \n1\n2\n>>> print('end')\nend\n", "1\n2\nend\n"),
        ("    x = 1\n    print(x)\n", "1\n"),
        ("\tif True:\n\t\tprint(2)\n", "2\n"),
        ("%matplotlib inline\n!pip install torch\nprint(3)\nif True:\n    %time 1\n", "3\n"),
        ("\ufeffprint(4)\r\nprint(5)\r\n", "4\n5\n"),
        ("s = '''\n%not magic\n'''\nprint(s)\n", "\n%not magic\n\n"),
        (
            "In [9]: x = 1\n\nIn [10]: for i in range(2):\n    ...:     x += i\n    ...:\n\nIn [11]: x\nOut[11]: 2\n",
            "2\n",
        ),
        (">>> s = 'a\u2028\x0cb'  # \x1c\r\n>>> len(s)\r\n4\r\n", "4\n"),
        ("# Sums\n\nFirst *x*:\n\n```python\nx = 1\n```\n\nthen it's:\n\n~~~ py\nprint(x)\n~~~\n", "1\n"),
        (
            "Install:\n```bash\npip install x\n```\n```\n>>> 1 + 1\n2\n```\n1. and so\n   ```py\n   print(3)\n   ```",
            "2\n3\n",
        ),
        ("Copied with `print`:\n\n````\nprint('''\n```\n''')\n````\n", "\n```\n\n"),
    ],
)
def test_what_is_pasted_runs(run: Runner, source: str, printed: str) -> None:
    outcome = run(source)
    assert (outcome.status, outcome.printed()) == ("ok", printed), outcome.done


SESSION = """\
>>> import torch
>>> 'a string'
>>> x = torch.tensor([1., 2.], requires_grad=True)
>>> y = x ** 2; y
>>> y.shape, 3, None
>>> def f():
...     5
...     return 7
...
>>> f()
>>> class A:
...     9
...
>>> _ + 1
>>> for i in range(2):
...     i; None
...     if i:
...         {'a': i}
...
>>> try:
...     1 / 0
... except ZeroDivisionError:
...     'caught'
...
>>> y.sum().backward()
>>> x.grad
>>> None
"""
ECHOED = """\
'a string'
tensor([1., 4.], grad_fn=<PowBackward0>)
(torch.Size([2]), 3, None)
7
8
0
1
{'a': 1}
'caught'
tensor([2., 4.])
"""  # what `python -i` with PyTorch 2.13 prints


def test_a_copied_session_prints_what_python_prints_at_the_prompt(run: Runner) -> None:
    outcome = run(SESSION)
    assert (outcome.status, outcome.printed()) == ("ok", ECHOED), outcome.done
    assert run("x = 5\nx\n").printed() == "", "a file prints what it is told to"


PLAIN_SESSION = """\
>>> 1 + 1
>>> _ * 3
>>> "it's", b'x', 3.0, {1}, ..., 1 < 2 < 3
>>> x = 5; x; x + 1
>>> (a := 4)
>>> for i in range(2):
...     i; i * 2
... else:
...     'else'
...
>>> with open('a.txt', 'w') as h:
...     h.write('abc')
...
>>> class R:
...     def __repr__(self):
...         print('side')
...         return 'R!'
...
>>> [R()]
>>> '''two
...   lines'''
>>> (1 +
... 2)
>>> y: int = 3
>>> not y
>>> _
>>> match y:
...     case 3:
...         'three'
...
"""


def test_a_session_echoes_what_the_prompt_of_this_python_echoes(
    run: Runner, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    console = code.InteractiveConsole({"__name__": "__main__"})
    for line in PLAIN_SESSION.splitlines():
        if line.startswith(">>>") and console.buffer:
            console.push("")
        console.push(line[4:])
    console.push("")
    assert run(PLAIN_SESSION).printed() == capsys.readouterr().out


@pytest.mark.parametrize("source", ["Code:\n```py\nx = (1\n```\n", "%matplotlib inline\nx = 1\nx = (1\n"])
def test_an_error_in_what_is_pasted_is_pythons_own_alone(run: Runner, source: str) -> None:
    detail = run(source).done.detail
    assert (detail.line, detail.last_line) == (3, "SyntaxError: '(' was never closed")
    assert "SyntaxError" in detail.traceback and "During handling" not in detail.traceback


def test_fences_in_the_strings_of_a_program_make_it_no_page(run: Runner) -> None:
    outcome = run("def f():\n    '''\n    ```\n    print(1)\n    ```\n    '''\nf(\n")
    assert outcome.done.detail.last_line == "SyntaxError: '(' was never closed"


def test_output_in_a_page_is_left_out_whatever_its_language(run: Runner) -> None:
    page = "```python\n{}\n```\n\n```python\nEpoch 1 | Loss: 0.5\nEpoch 2 | Loss: 0.25\n```\n"
    assert run(page.format("print('code')")).printed() == "code\n"
    assert run("Text.\n" + page.format("x = (\ny = 2")).sentence.startswith("SyntaxError: '(' was never closed")


@pytest.mark.parametrize(
    "source",
    ["Some *code*:\n```python\nx = 0\n\n1 / x\n```\n", "In [1]: x = 0\n\nIn [2]: x\nOut[2]: 0\n\nIn [10]: 1 / x\n"],
)
def test_lines_of_copied_pages_stay(run: Runner, source: str) -> None:
    detail = run(source).done.detail
    assert source.splitlines()[detail.line - 1].endswith("1 / x")
    line, marks = detail.traceback.splitlines()[-3:-1]
    assert line.endswith("1 / x") and line.index("1 / x") == marks.index("~~^~~")


def test_lines_and_columns_of_a_copied_session_stay(run: Runner) -> None:
    outcome = run(">>> x = 0\n>>> x\n0\n>>> 1 / x\n")
    assert outcome.done.detail.line == 4
    assert "    >>> 1 / x\n        ~~^~~" in outcome.done.detail.traceback


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        ("from math import *\nprint(floor(pi), pow(2, 2))", "3 4.0\n"),  # its pow, not Python's
        ("def max(*_): return 'mine'\nfrom numpy import *\nprint(max([1, 2]))", "2\n"),
        ("from numpy import *\ndef max(*_): return 'mine'\nprint(max([1, 2]))", "mine\n"),
        ("from torch.nn import *\nclass Net(Module): pass\nprint(Net(), functional.relu)", "Net() <function relu"),
        ("from torch.distributions import *\nprint(Normal(0., 1.))", "Normal(loc: 0.0, scale: 1.0)\n"),
        ("from torch.utils.data import *\nprint(1)", "1\n"),
        ("from os import *\nfrom torchvision.transforms import *\nprint(getcwd())", "/home/you/snippet\n"),
        ("from torchvision.transforms import *\nfrom os import *\nprint(getcwd())", "/home/you/snippet\n"),
        ("from gymnasium.wrappers import *\ntry: print(len([1]))\nexcept Exception: pass", "1\n"),
        ("import re\nfrom typing import *\nprint(re.sub('a', 'b', 'a'), List)", "b typing.List\n"),
        ("if True:\n    from torch.optim.lr_scheduler import *", ""),
    ],
)
def test_all_names_of_a_module_are_those_that_are_read(run: Runner, source: str, printed: str) -> None:
    outcome = run(source)
    assert outcome.status == "ok", outcome.sentence
    assert outcome.printed().startswith(printed)


def test_a_name_that_came_with_all_and_is_not_here_says_so_where_it_is_used(run: Runner) -> None:
    outcome = run("from torch import *\nx = ones(2)\nprint(x.sum())\nto_dlpack(x)")
    assert outcome.printed() == "tensor(2.)\n"
    assert outcome.done.detail.line == 4 and "torch.to_dlpack is not" in outcome.sentence


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x = [1,\n!pip install a\n]\n", "line 2: !pip install a belongs to a notebook; leave the line out."),
        ("%%time\nx = (\n", "SyntaxError: '(' was never closed"),
        ("from torchaudio.functional import *\n", "from torchaudio.functional import * is not available"),
        ("import logging\nlogging.basicConfig(filename='x')", "leave filename out"),
        ("vars(3)", "name the attributes that you need"),
    ],
)
def test_a_refusal_says_what_to_do(run: Runner, source: str, words: str) -> None:
    outcome = run(source)
    assert outcome.status in ("refused", "raised")
    assert words in outcome.sentence


def test_syntax_errors_are_pythons(run: Runner) -> None:
    assert run("x = \u201ca\u201d").sentence.startswith("SyntaxError: invalid character")
    assert run("if True:\nprint(1)").sentence.startswith("IndentationError: expected an indented block")


def test_help_says_where_the_explanations_are_and_the_run_goes_on(run: Runner) -> None:
    outcome = run("import torch\nhelp(torch.relu)\nprint('after')")
    said = "help() shows nothing in GradViz snippets; the inspector explains each operation\n"
    assert outcome.printed() == said + "after\n"


def test_the_page_lists_what_can_be_imported() -> None:
    """Every module that is not PyTorch's, NumPy's or for plots, and every built-in function that is refused."""
    world = World(TorchFacade(torch_modules(load_torch())), lambda stream, text: None)
    text = PAGE.read_text(encoding="utf-8").partition("## What a snippet may use")[2].partition("\n## ")[0]
    named = set(re.findall(r"`([\w.]+)`", text.partition("Imports, each a stand-in")[2].partition("Refused")[0]))
    offered = {name.partition(".")[0] for name in world.modules}
    shipped = {path.name.removesuffix(".py") for path in (RESOURCES / "packages").iterdir() if path.suffix != ".md"}
    assert named == offered | shipped
    assert set(re.findall(r"`(\w+)\(\)`", text.partition("Refused")[2])) == set(REFUSED_BUILTINS)


def test_too_large_a_tensor_is_pytorchs_error_and_can_be_caught(run: Runner) -> None:
    source = "import torch\ntry:\n    torch.ones(10**6, 10**6)\nexcept RuntimeError as e:\n    print(e)"
    assert "you tried to allocate 4000000000000 bytes. Error code 12" in run(source).printed()
    outcome = run("import torch\ntorch.ones(10**6, 10**6)")
    assert outcome.status == "limit"
    assert "more than" in outcome.sentence


def test_an_array_goes_through_numpys_own_code_and_stays_shut(run: Runner) -> None:
    source = (
        "import numpy as np\ngrid = np.meshgrid(np.arange(2), np.arange(3))[0]\nprint(grid.shape, grid.strides)\n"
        "with np.printoptions(precision=2) as shown:\n    pass\n"
        "for held in (grid, np.broadcast_to(grid, (2, 3, 2)), np.apply_along_axis(lambda row: row, 0, grid)):\n"
        "    try:\n        getattr(held, 'tofile')\n    except AttributeError:\n        print('shut')"
    )
    assert run(source).printed() == "(3, 2) (16, 8)\nshut\nshut\nshut\n"
    assert run("import numpy as np\nnp.arange(3).strides = (0,)").status == "raised"


def test_a_traceback_as_text_has_the_lines_of_the_snippet(run: Runner) -> None:
    source = "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    print(traceback.format_exc())"
    assert "line 3, in <module>\n    1 / 0\n    ~~^~~\nZeroDivisionError" in run(source).printed()
    assert run("import traceback\ntraceback.walk_stack(None, None)").status == "raised"


def test_a_string_of_a_traceback_runs_behind_the_closed_gate(run: Runner) -> None:
    source = (
        "import traceback\nclass Odd(Exception):\n    def __str__(self):\n        return str(1 / 0)\n"
        "try:\n    raise Odd()\nexcept Odd as e:\n    print(traceback.format_exception_only(e))"
    )
    assert "<exception str() failed>" in run(source).printed()


def test_what_the_compiler_warns_of_is_told_with_its_line(run: Runner) -> None:
    said = run("x = 3\nprint(x is 3)\n").printed("err").splitlines()
    assert said[0].startswith("snippet.py:2: SyntaxWarning: ") and said[1:] == ["  print(x is 3)"], said
