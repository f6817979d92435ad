"""Files that are attached to a snippet: data that it reads, modules of its own that it imports; and what there is of
them in a document."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import pytest

from gradviz.document.documents import Contents
from gradviz.document.errors import UserError
from gradviz.document.files import gradviz_file
from gradviz.document.snippet import (
    MOST_BYTES,
    MOST_FILES,
    Attached,
    Snippet,
    is_name,
    read,
    safe_name,
    together,
    with_imported,
)
from gradviz.trace.table.trace import Trace
from tests.worker.conftest import Runner

_NET = """
import torch
from .losses import mse
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 1)
        self._scale = 2.0
    def forward(self, x):
        return self.fc(x) * self._scale
@torch.no_grad()
class Average:
    def __init__(self, net):
        self.made = net.fc.weight * 2
if __name__ == "__main__":
    print("not when it is imported")
"""
_FILES: dict[str, str | bytes] = {
    "names.txt": "Anna\nBo\n",
    "data/table.csv": "1,2\n3,4\n",
    "helper.py": "VALUE = 3\n_hidden = 4\ndef fail():\n    return 1 / 0\ndef names():\n    return sorted(globals())\n",
    "tools.py": "__all__ = ['greet']\ndef greet(x):\n    return 'hello ' + x\ndef other():\n    pass\n",
    "pkg/net.py": _NET,
    "pkg/losses.py": "def mse(a, b):\n    return ((a - b) ** 2).mean()\n",
}


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        ("print(open('names.txt').read().split())", "['Anna', 'Bo']"),
        ("print(open('../elsewhere/names.txt').readline())", "Anna\n"),
        ("from pkg.net import Average, Net\nprint(Average(Net()).made.requires_grad)", "False"),
        ("import os\nprint(os.listdir(), os.path.exists('x/names.txt'), os.path.exists('x.txt'))",
         "['data', 'helper.py', 'names.txt', 'pkg', 'tools.py'] True False"),
        ("import os, glob\nfrom pathlib import Path\nprint(glob.glob('../data/*.csv'), os.listdir('/drive/data'),\n"
         "      os.path.isdir('../../data'), os.path.isdir('x/data'), open('/k/data/table.csv').readline())\n"
         "print(sorted(os.walk('../data')), [p.name for p in Path('../data').iterdir()])\n"
         "open('../data/out.txt', 'w').write('a')\nos.makedirs('../data', exist_ok=True)\nos.makedirs('x/pkg')\n"
         "print(os.listdir('data'), os.listdir('x'), os.path.exists('../other'), glob.glob('../other/*'))",
         "['../data/table.csv'] ['table.csv'] True False 1,2\n\n[('../data', [], ['table.csv'])] ['table.csv']\n"
         "['out.txt', 'table.csv'] ['pkg'] False []"),
        ("import numpy as np\nprint(np.loadtxt('data/table.csv', delimiter=',').sum())", "10.0"),
        ("import helper\nprint(helper.VALUE, helper._hidden, helper)", "3 4 <module 'helper'>"),
        ("import helper as h\nh.VALUE = 5\nimport helper\nprint(helper.VALUE, hasattr(helper, 'no'))", "5 False"),
        ("import helper\nprint(helper.names())", "['VALUE', '_hidden', 'fail', 'names']"),
        ("from tools import *\nprint(greet('you'), 'other' in globals())", "hello you False"),
        ("from tools import *\nfrom torchvision.transforms import *\nprint(greet('you'))", "hello you"),
        ("from pkg.net import Net\nfrom pkg import losses\nimport pkg.net as n\nprint(n.Net is Net, losses.mse(3, 5.0)"
         " if False else Net.__module__)", "True pkg.net"),
        ("from far.away.tools import greet\nimport other.helper as h\nprint(greet('a'), h.VALUE)", "hello a 3"),
        ("from .tools import greet\nfrom . import helper\nprint(greet('b'), helper.VALUE)", "hello b 3"),
        ("try:\n    import no\nexcept ImportError as e:\n    print(e)", "No module named 'no' in GradViz snippets"),
        ("import importlib\nprint(importlib.import_module('helper').VALUE)", "3"),
    ],
)  # fmt: skip
def test_a_run_finds_what_is_attached(run: Runner, source: str, printed: str) -> None:
    outcome = run(source, files=_FILES)
    assert (outcome.printed().removesuffix("\n"), outcome.sentence) == (printed, "")


def test_a_module_of_ones_own_takes_no_place_of_pytorchs(run: Runner) -> None:
    source = "import torch.nn.functional as F\nfrom torch.utils import data\nprint(F.relu, data.Dataset.__name__)\n"
    printed = run(source, files={"functional.py": "relu = 3\n", "data.py": "class Dataset: __name__ = 5\n"}).printed()
    assert printed.startswith("<function relu at 0x") and printed.endswith("> Dataset\n")


def test_a_module_of_ones_own_is_recorded_as_the_snippet_is(run: Runner) -> None:
    source = (
        "import torch\nfrom pkg.net import Net, mse\ntorch.manual_seed(0)\nnet = Net()\n"
        "loss = mse(net(torch.ones(2, 3)), torch.zeros(2, 1))\nloss.backward()\nprint(loss.grad_fn, net.fc.bias.grad)\n"
    )
    outcome = run(source, files=_FILES)
    function, _, grad = outcome.printed().partition("> ")
    assert (function[:24], grad) == ("<MeanBackward0 object at", "tensor([-4.7575])\n")
    assert sum(batch.header["rows"]["steps"] for batch in outcome.batches) > 10


def test_tensors_that_a_module_makes_have_their_names_in_it(run: Runner) -> None:
    made = (
        "import torch\nSCALE = torch.ones(2) * 3\nmany = [torch.zeros(1)]\n"
        "def hidden(kept=torch.ones(2)): return kept, 1\ndef f(x): return x * SCALE + hidden()[0]\n"
    )
    outcome = run(
        "import torch\nimport helper\nfrom helper import f\nf(torch.ones(2, requires_grad=True))",
        files={"helper.py": made},
    )
    trace = Trace()
    for batch in outcome.batches:
        trace.extend(batch)
    named = {trace.naming.name(tensor, len(trace)) for tensor in range(len(trace.tensors))}
    assert {"helper.SCALE", "helper.many[0]", "constant of helper"} <= named, named


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"m.py": "import torch\nx = compile('1')\n"}, "ImportError: m.py, line 2: compile() is not available in"),
        ({"m.py": "x = (\n"}, "SyntaxError: '(' was never closed"),
        ({"m.py": b"\xff\xfe"}, "ImportError: m.py is not UTF-8 text"),
        ({"m.py": "import n\n", "n.py": "import m\nprint(m.x)\n"}, "AttributeError: module 'm' has no attribute 'x'"),
        ({"m.py": "import os\nraise ValueError('no')\n"}, "ValueError: no"),
    ],
)  # fmt: skip
def test_what_a_module_may_not_do_is_said(run: Runner, files: dict[str, str | bytes], sentence: str) -> None:
    assert run("import m\n", files=files).sentence.startswith(sentence)


def test_an_error_in_a_module_has_its_lines(run: Runner) -> None:
    outcome = run("import helper\nhelper.fail()\n", files=_FILES)
    assert outcome.done.detail.line == 2
    assert 'File "/home/you/snippet/helper.py", line 4, in fail\n    return 1 / 0\n' in outcome.done.detail.traceback


def test_the_next_run_finds_none_of_it(run: Runner) -> None:
    run("import helper\nhelper.VALUE = 9\nopen('names.txt', 'w').write('gone')", files=_FILES)
    assert (
        run("import helper\nprint(helper.VALUE, open('names.txt').read())", files=_FILES).printed() == "3 Anna\nBo\n\n"
    )
    assert "helper.VALUE is not available" in run("import helper\nprint(helper.VALUE + 1)").sentence


def _bomb() -> bytes:
    """One compressed file of 2 GB."""
    packing = zlib.compressobj(wbits=31)
    head = packing.compress(b"a") + packing.flush(zlib.Z_FULL_FLUSH)
    return head + (packing.compress(bytes(20 << 20)) + packing.flush(zlib.Z_FULL_FLUSH)) * 100


def test_a_compressed_file_is_read_but_no_more_of_it_than_fits(run: Runner) -> None:
    files: dict[str, str | bytes] = {"a.csv.gz": gzip.compress(b"1,2\n") + gzip.compress("3,ä\n".encode())}
    files |= {
        "bomb.gz": _bomb(),
        "many.gz": gzip.compress(bytes(50 << 20)) * 3,
        "cut.gz": gzip.compress(b"abc")[:-9],
        "no.gz": b"abc",
    }
    source = (
        "import gzip, csv\nprint(list(csv.reader(gzip.open('a.csv.gz', 'rt'))), gzip.open('a.csv.gz').readline())\n"
        "for name in ('bomb.gz', 'many.gz', 'cut.gz', 'no.gz'):\n    try: gzip.open(name).read()\n"
        "    except (OSError, EOFError) as e: print(e)\n"
        "import logging\nlog = logging.getLogger()\nlog.addHandler(logging.StreamHandler())\n"
        "for each in list(log.handlers): log.removeHandler(each)\nprint(log.handlers)\n"
    )
    assert run(source, files=files).printed().splitlines() == [
        "[['1', '2'], ['3', 'ä']] b'1,2\\n'",
        *["[Errno 28] more than 64 MB are in this file"] * 2,
        "Compressed file ended before the end-of-stream marker was reached",
        "Not a gzipped file, or a damaged one",
        "[]",
    ]


@pytest.mark.parametrize("name", ["a.txt", "data/names/Italian.txt", "ä b.csv", ".hidden/x.py", "pkg/__init__.py"])
def test_a_name_is_a_path_within_the_folder(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize(
    "name", ["", "/etc/x", "../x", "a/../x", "a//b", "a\\b", "C:/x", "x\0", ".", "a/.", "x" * 201, "a\nb"]
)
def test_other_names_are_none(name: str) -> None:
    assert not is_name(name)


def test_a_folder_is_read_as_far_as_a_snippet_can_use_it(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    (folder / "names").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "names" / "Italian.txt").write_text("Rossi")
    (folder / "a.py").write_text("x = 1")
    for other in ("photo.raw", ".secret.txt", ".git/config.txt"):
        (folder / other).write_text("no")
    (folder / "link.txt").symlink_to(folder / "a.py")
    assert {each.name: each.data for each in read(folder)} == {
        "data/a.py": b"x = 1",
        "data/names/Italian.txt": b"Rossi",
    }
    assert read(folder / "a.py", "b.py") == (Attached("b.py", b"x = 1"),)
    with pytest.raises(UserError):
        read(tmp_path / "no.txt")


def test_a_document_has_no_more_than_it_can_be_saved_with() -> None:
    one = (Attached("a", b"1"),)
    assert together(one, (Attached("a", b"2"), Attached("b", b""))) == (Attached("a", b"2"), Attached("b", b""))
    for more in ([Attached("b", bytes(MOST_BYTES))], [Attached(str(n), b"") for n in range(MOST_FILES)]):
        with pytest.raises(UserError, match="Attach what the snippet needs only"):
            together(one, tuple(more))


def test_files_are_saved_with_the_snippet() -> None:
    files = (Attached("names.txt", "Änne\r\n".encode()), Attached("p/x.png", b"\x89PNG\x00\xff"), Attached("e", b""))
    contents = Contents(Snippet("x = 1\n", files=files))
    assert gradviz_file.read(gradviz_file.write(contents), "a.gradviz") == contents
    assert b'"text": "\xc3\x84nne\\r\\n"' in gradviz_file.write(contents), "a person can read it"


@pytest.mark.parametrize(
    "broken",
    [
        '{"name": "../x", "text": "a"}',
        '{"name": "x", "base64": "%%"}',
        '{"name": 3}',
        '{"text": "x"}',
        '"x"',
        '{"name": ""}',
    ],
)
def test_what_is_broken_of_them_is_left_out(broken: str) -> None:
    good = '{"name": "y", "text": "b"}'
    text = f'{{"format": "gradviz", "version": 1, "kind": "snippet", "files": [{broken}, {good}]}}'
    found = gradviz_file.read(text.encode(), "a.gradviz")
    assert isinstance(found.document, Snippet) and found.document.files == (Attached("y", b"b"),)
    assert len(found.dropped) == 1 and found.dropped[0].startswith("file")


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("out/loss.csv", "out/loss.csv"),
        ("../../etc/passwd", "etc/passwd"),
        ("/abs/x", "abs/x"),
        ("c:\\x", "c_/x"),
        ("a\\..\\b", "a/b"),
        ("con.txt", "_con.txt"),
        ("NUL", "_NUL"),
        ("a\u202eb.exe", "a_b.exe"),
        ("a\nb", "a_b"),
        ("~/.bashrc", "~/bashrc"),
        ("-rf", "rf"),
        (". .", "file"),
        ("", "file"),
        ("x" * 500 + ".txt", "x" * 80 + ".txt"),
    ],
)
def test_a_name_from_a_snippet_leads_nowhere_but_down(name: str, safe: str) -> None:
    assert safe_name(name) == safe


def test_numpy_reads_a_packed_table(run: Runner) -> None:
    """A public course keeps its table as diabetes.csv.gz."""
    files: dict[str, str | bytes] = {"data/table.csv.gz": gzip.compress(b"1,2\n3,4\n"), "bad.gz": b"1 2\n"}
    source = "import numpy as np\nfor read in (np.loadtxt, np.genfromtxt):\n    print(read({!r}, delimiter=',').sum())"
    assert run(source.format("data/table.csv.gz"), files=files).printed() == "10.0\n10.0\n"
    assert "Not a gzipped file" in run(source.format("bad.gz"), files=files).sentence


def test_a_dataclass_in_an_own_module_may_have_annotations_in_quotes(run: Runner) -> None:
    text = (
        "from __future__ import annotations\nfrom dataclasses import dataclass, field\nfrom typing import ClassVar\n"
        "@dataclass\nclass Settings:\n    lr: float = 0.1\n    sizes: list[int] = field(default_factory=list)\n"
        "    kind: ClassVar[str] = 'x'\n"
    )
    outcome = run(
        "from pkg.settings import Settings\nprint(Settings(0.5), Settings.kind)", files={"pkg/settings.py": text}
    )
    assert outcome.printed() == "Settings(lr=0.5, sizes=[]) x\n", outcome.done


def test_a_package_of_python_code_that_is_attached_is_imported_and_the_refusal_says_so(run: Runner) -> None:
    source = "import torch\nfrom halves import half\nprint(half(torch.ones(2)))\n"
    files = {
        "halves/__init__.py": "from .inner.maths import half\n__version__ = '1'\n",
        "halves/inner/__init__.py": "",
        "halves/inner/maths.py": "import torch\ndef half(x): return torch.div(x, 2)\n",
    }
    assert run(source, files=files).printed() == "tensor([0.5000, 0.5000])\n"
    told = "if it is a file of yours, or a package of Python code only, attach halves.py or its folder"
    assert told in run(source).sentence


def test_a_package_that_is_shipped_is_found_by_its_whole_name_and_gives_way_to_one_that_is_attached(
    run: Runner,
) -> None:
    assert run("from torchdiffeq import _impl\nprint(_impl.__name__)").printed() == "torchdiffeq._impl\n"
    assert run("try: import interp\nexcept ImportError: print('none')").printed() == "none\n"
    files = {"torchdiffeq/__init__.py": "from .misc import x", "torchdiffeq/misc.py": "x = 'mine'"}
    assert run("import torchdiffeq\nprint(torchdiffeq.x)", files=files).printed() == "mine\n"
    assert run("try: import torchdiffeq._impl\nexcept ImportError: print('none')", files=files).printed() == "none\n"


def test_modules_beside_a_snippet_are_found_as_python_finds_them(tmp_path: Path) -> None:
    for name, text in {
        "models.py": "import torch\nfrom parts.layers import Layer",
        "parts/layers.py": "from . import sizes",
        "parts/sizes.py": "N = 3",
        "parts/notes.txt": "not imported",
        "train.py": "never imported",
        "broken.py": "def (",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "linked.py").symlink_to(tmp_path / "train.py")
    text = "import models as m, os.path\nimport linked, broken\nfrom .train import x\nfrom absent import y"
    found = with_imported(text, tmp_path, ())
    assert [each.name for each in found if each.name != "broken.py"] == [
        "models.py",
        "parts/layers.py",
        "parts/sizes.py",
    ]
    own = (Attached("models.py", b"another"),)
    assert {each.name: each.data for each in with_imported(text, tmp_path, own)}["models.py"] == b"another"
    assert with_imported("import (", tmp_path, own) == own
    (tmp_path / "broken.py").write_bytes(b"#" * (MOST_BYTES + 1))
    assert with_imported(text, tmp_path, own) == own


@pytest.mark.parametrize(
    ("added", "names"),
    [
        ('sys.path.append("..")', ["near.py"]),
        ("sys.path.insert(0, '../')", ["near.py"]),
        ('sys.path.append("../../")', ["far.py"]),
        ("sys.path.append(os.path.abspath('../shared'))", ["tools/__init__.py", "tools/plots.py"]),
        ("sys.path.append(os.path.join(os.path.dirname(__file__), '..'))", ["near.py"]),
        ("sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))", ["near.py"]),
        ("sys.path.append(os.pardir)", ["near.py"]),
        ("sys.path.append('../../..')", []),
        ("sys.path.append('{absolute}')", []),
        ("sys.path.append(folder)", []),
        ("sys.path.append(os.path.join(folder, '..'))", []),
        ("sys.path.append(3)", []),
        (r"sys.path.append('\0')", []),
        ("x" + ".x" * 5_000 + "('..')", []),
    ],
)
def test_modules_are_found_in_folders_near_a_snippet_that_it_adds_to_the_path(
    tmp_path: Path, added: str, names: list[str]
) -> None:
    home = tmp_path / "course" / "chapter" / "notebooks"
    home.mkdir(parents=True)
    for path in ("highest.py", "course/far.py", "course/chapter/near.py"):
        (tmp_path / path).write_text("x = 1")
    tools = tmp_path / "course" / "chapter" / "shared" / "tools"
    tools.mkdir(parents=True)
    for name in ("__init__.py", "plots.py"):
        (tools / name).write_text("")
    text = f"import sys, os\n{added.format(absolute=tmp_path.as_posix())}\nimport highest, far, near, tools"
    assert [each.name for each in with_imported(text, home, ())] == names


def test_a_folder_that_is_inserted_goes_before_that_of_the_snippet_and_one_that_is_appended_after_it(
    tmp_path: Path,
) -> None:
    home = tmp_path / "chapter"
    home.mkdir()
    (home / "near.py").write_text("x = 'beside'")
    (tmp_path / "near.py").write_text("x = 'above'")
    text = "import sys\n{}\nimport near"
    assert with_imported(text.format("sys.path.append('..')"), home, ())[0].data == b"x = 'beside'"
    assert with_imported(text.format("sys.path.insert(0, '..')"), home, ())[0].data == b"x = 'above'"


def test_sys_modules_has_what_was_imported_and_the_snippet_itself(run: Runner) -> None:
    source = """import sys, torch
import helper
me = sys.modules[__name__]
def double(x): return 2 * x
print(me, me is sys.modules["__main__"], me.double(4), dir(me))
setattr(me, "triple", lambda x: 3 * x)
print(triple(2), sorted(sys.modules), "google.colab" in sys.modules, sys.modules["helper"] is helper)
print(helper.me.VALUE)
sys.modules["torch"] = sys.modules["helper"] = None
import torch
print(torch.ones(1), sys.modules["helper"].VALUE)
"""
    files = {"helper.py": "import sys\nVALUE = 5\nme = sys.modules[__name__]\n"}
    assert run(source, files=files).printed() == (
        "<module '__main__'> True 8 ['double', 'helper', 'me', 'sys', 'torch']\n"
        "6 ['__main__', 'helper', 'sys', 'torch'] False True\n5\ntensor([1.]) 5\n"
    )
