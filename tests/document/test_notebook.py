"""Notebooks are read as Python text, print what they would show, and are never written."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from gradviz.document.documents import Contents
from gradviz.document.errors import UserError
from gradviz.document.files import opening
from gradviz.document.snippet import MAX_BYTES, Snippet, text_of_notebook
from tests.worker.conftest import Runner, _warm, run, shared_pool  # noqa: F401  a worker


def notebook(*cells: tuple[str, Any]) -> bytes:
    made = [{"cell_type": kind, "source": source, "metadata": {}, "outputs": []} for kind, source in cells]
    return json.dumps({"cells": made, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}).encode()


def test_cells_come_one_after_the_other() -> None:
    data = notebook(
        ("markdown", ["# A title\n", "\n", "some *text*"]),
        ("code", ["x = 1\n", "x"]),
        ("code", ""),
        ("raw", "as it is"),
    )
    assert text_of_notebook(data, "a.ipynb") == (
        "# %% [markdown]\n# # A title\n#\n# some *text*\n\n# %%\nx = 1\nx\n\n# %% [markdown]\n# as it is\n"
    )


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("%matplotlib inline\nx = 1", "# %matplotlib inline\nx = 1"),
        ("!pip install \\\n  torch\nx = 1", "# !pip install \\\n# torch\nx = 1"),
        ("if x:\n    !ls\n    y = 1", "if x:\n    pass  # !ls\n    y = 1"),
        ("%%time\nx = 1", "# %%time\nx = 1"),
        ("%%bash\nls -l", "# %%bash\n# ls -l"),
        ("text = '''\n%matplotlib\n!ls'''", "text = '''\n%matplotlib\n!ls'''"),
        ("torch.add?\nx = 1", "# torch.add?\nx = 1"),
        ("x = (1", "x = (1"),
        ("lr = # your code", "lr = # your code"),
        ("pip install einops", "# pip install einops"),
    ],
)
def test_what_only_a_notebook_can_run_is_a_comment(cell: str, text: str) -> None:
    assert text_of_notebook(notebook(("code", cell)), "a.ipynb") == f"# %%\n{text}\n"


def test_imports_from_the_future_stand_at_the_top_where_python_wants_them() -> None:
    data = notebook(
        ("markdown", "# A title"),
        ("code", "import torch"),
        (
            "code",
            "# c\nfrom __future__ import print_function, division  # old\nfrom __future__ import annotations\nx = 1",
        ),
        ("code", "from __future__ import division\ntext = 'from __future__ import x'"),
    )
    text = text_of_notebook(data, "a.ipynb")
    compile(text, "a.ipynb", "exec")
    assert text == (
        "from __future__ import annotations, division, print_function\n\n"
        "# %% [markdown]\n# # A title\n\n# %%\nimport torch\n\n# %%\n# c\n"
        "# from __future__ import print_function, division  # old\n# from __future__ import annotations\nx = 1\n\n"
        "# %%\n# from __future__ import division\ntext = 'from __future__ import x'\n"
    )


def test_imports_from_the_future_stay_where_they_may_be() -> None:
    data = notebook(("code", "from __future__ import division\nx = 1"), ("code", "y = 2"))
    assert text_of_notebook(data, "a.ipynb") == "# %%\nfrom __future__ import division\nx = 1\n\n# %%\ny = 2\n"


def test_a_notebook_of_version_three_is_read() -> None:
    old = {"worksheets": [{"cells": [{"cell_type": "code", "input": ["print 1"]}]}], "nbformat": 3}
    assert text_of_notebook(json.dumps(old).encode(), "a.ipynb") == "# %%\nprint 1\n"


@pytest.mark.parametrize(
    "data",
    [b"", b"x = 1", b"[]", b"{}", b'{"cells": 3}', b"\xff\xfe", b"[" * 100_000, b'{"worksheets": [3]}', b"9" * 10_000],
)
def test_what_is_no_notebook_is_refused_in_a_sentence(data: bytes) -> None:
    with pytest.raises(UserError, match=r"a\.ipynb is not a notebook: its text is not JSON|it has no list of cells"):
        text_of_notebook(data, "a.ipynb")


def test_odd_cells_are_left_out() -> None:
    cells = [None, 3, {}, {"cell_type": "code"}, {"source": 3}, {"cell_type": "code", "source": [1, "x = 1\0\ud800"]}]
    found = text_of_notebook(json.dumps({"cells": cells}).encode(), "a.ipynb")
    assert found == "# %%\nx = 1?\n"


def test_python_reads_a_long_notebook_a_few_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def parse(text: str) -> None:
        read.append(len(text))
        raise SyntaxError("no", ("a.py", len(read), 1, ""))

    monkeypatch.setattr(ast, "parse", parse)
    found = text_of_notebook(notebook(("code", "!ls\n" * 90_000)), "a.ipynb")
    assert found.startswith("# %%\n!ls\n")  # as in a cell with more such lines than are looked for
    assert sum(read) < 20 * MAX_BYTES + 1


def test_a_file_is_opened_and_never_written(tmp_path: Path) -> None:
    path = tmp_path / "a.IPYNB"
    path.write_bytes(notebook(("code", "x = 1")))
    contents = opening.load(path)
    assert contents.document == Snippet("# %%\nx = 1\n")
    with pytest.raises(UserError, match=r"GradViz reads notebooks and writes none\. Save a\.IPYNB under a name"):
        opening.encode(Contents(Snippet("x")), path)
    path.write_bytes(notebook(("code", "x = 1\n" * MAX_BYTES)))
    with pytest.raises(UserError, match=r"a snippet may have 0[.]4 MB at most"):
        opening.load(path)


def test_the_last_expression_of_a_cell_is_printed(run: Runner) -> None:  # noqa: F811
    data = notebook(
        ("code", "import torch\nx = torch.ones(2)\nx"), ("markdown", "text"), ("code", "x + 1;"), ("code", "x\nx * 3"),
        ("code", "for i in range(2):\n    i"), ("code", "'é'; 'a' # no ; here"), ("code", "print('b')"),
        ("code", "None"),
    )  # fmt: skip
    text = text_of_notebook(data, "a.ipynb")
    outcome = run(text, "a.ipynb")
    assert outcome.printed() == "tensor([1., 1.])\ntensor([3., 3.])\n'a'\nb\n", outcome.sentence
    assert run(text, "a.py").printed() == "b\n"


@pytest.mark.parametrize(
    ("broken", "last", "line"),
    [
        ("# to do\ny =", "SyntaxError: invalid syntax", 7),
        (
            "def f():\n    # to do",
            "IndentationError: expected an indented block after function definition on line 6",
            8,
        ),
        ("y = (1", "SyntaxError: '(' was never closed", 6),
    ],
)
def test_the_cells_above_one_that_python_cannot_parse_run(run: Runner, broken: str, last: str, line: int) -> None:  # noqa: F811
    text = text_of_notebook(notebook(("code", "x = 3\nx"), ("code", broken), ("code", "print('below')")), "a.ipynb")
    outcome = run(text, "a.ipynb")
    assert outcome.printed() == "3\n"
    assert (outcome.done.detail.last_line, outcome.done.detail.line) == (last, line)
    alone = run(text_of_notebook(notebook(("code", broken)), "a.ipynb"), "a.ipynb")
    assert alone.printed() == "" and alone.sentence[:9] == last[:9]
    assert run(text, "a.py").printed() == ""
