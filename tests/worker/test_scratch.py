"""The folder of a run: what is no file of the computer, and what does not stay. What programs do with files is in
`tests/snippets/programs/files_of_a_run.py`."""

from __future__ import annotations

import ast
import glob
import pickle
from pathlib import Path as RealPath

import numpy as np
import pytest

from gradviz.worker.modules import file_formats
from gradviz.worker.modules.arrays import numpy_modules
from gradviz.worker.modules.file_formats import array_files
from gradviz.worker.modules.scratch import HOME, MOST_BYTES, SCRATCH, Scratch
from gradviz.worker.modules.scratch_paths import Path, exists, open_, path_modules
from gradviz.worker.process.events import Done, Written
from gradviz.worker.process.limits import MOST_WRITTEN, WRITTEN_BYTES
from tests.worker.conftest import Outcome, Runner


@pytest.fixture(autouse=True)
def _empty() -> None:
    SCRATCH.forget()


def test_no_run_finds_what_another_left(run: Runner) -> None:
    left = "import os, torch, pickle\nopen('a', 'w').write('x')\nos.environ['A'] = 'b'\ntorch.save(1, 'b')\n"
    assert run(left + "print(os.listdir(), pickle.dumps(torch.ones(2)))").printed().startswith("['a', 'b']")
    assert run("import os\nprint(os.listdir(), dict(os.environ))").printed() == "[] {}\n"
    outcome = run("import pickle\npickle.loads(b'GradViz object            0\\n')")
    assert "only what this run itself has put away" in outcome.sentence


def test_plain_data_is_pickled_as_python_does(run: Runner) -> None:
    plain = {
        "a": [1, 2.5, None, True, -3, 2**70, 300, 70_000, -1],
        1: ((1,), (2, 3), (1, 2, 3, 4), ()),
        "t": "äöü" * 100,
    }
    files = {f"{version}.pkl": pickle.dumps(plain, version) for version in (2, 3)}
    plain["b"] = (b"x" * 300, {2, 3}, frozenset([1]))
    files |= {f"{version}.pkl": pickle.dumps(plain, version) for version in (4, 5)}
    source = (
        f"import io, pickle\nplain = {plain!r}\nround = []\nround.append(round)\n"
        "for n in (4, 5): print(pickle.load(open(f'{n}.pkl', 'rb')) == plain)\n"
        "older = [pickle.load(open(f'{n}.pkl', 'rb')) for n in (2, 3)]\n"
        "for each in older: print({**each, 'b': plain['b']} == plain)\n"
        "print(pickle.dumps(plain))\nfound = pickle.loads(pickle.dumps(round))\nprint(found[0] is found)\n"
        "held = io.BytesIO()\nfor each in (plain, [1], None): pickle.dump(each, held)\nheld.seek(0)\n"
        "print(pickle.load(held) == plain, pickle.load(held), pickle.load(held))\n"
        "try: pickle.load(held)\nexcept EOFError as error: print(error)\n"
    )
    printed = run(source, files=files).printed()
    assert printed == "True\n" * 4 + f"{pickle.dumps(plain)!r}\nTrue\nTrue [1] None\nRan out of input\n"


@pytest.mark.parametrize(
    "data",
    [
        b"abc",
        b"\x80\x04K",
        b"\x80\x04.",
        b"(u.",
        b"}(K\x01u.",
        b"]K\x01s.",
        b"}]K\x01s.",
        b"\x8f(]\x90.",
        b"h\x05.",
        b"((",
    ],
)
def test_a_damaged_pickle_is_an_error(data: bytes) -> None:
    with pytest.raises(pickle.UnpicklingError):
        file_formats.read(data)


def test_a_pickle_of_more_than_plain_data_says_what_it_holds() -> None:
    for version in (0, 2, 4):
        with pytest.raises(pickle.UnpicklingError, match=r"this holds an object of \w*builtin\w*\.x?range"):
            file_formats.read(pickle.dumps(range(3), version))


def test_a_marker_in_other_words_brings_nothing_back() -> None:
    mark = SCRATCH.put_away({"kept": 1})
    assert SCRATCH.brought_back(mark) == {"kept": 1}
    for forged in (mark.replace(b"GradViz", b"gradviz"), mark[:-1] + b" ", mark + b" "):
        with pytest.raises(ValueError, match="only what this run"):
            SCRATCH.brought_back(forged)


def test_an_error_after_a_search_that_found_no_file_says_what_was_looked_for(run: Runner) -> None:
    source = "import glob\nlines = {}\nfor name in glob.glob('data/names/*.txt'): lines[name] = open(name).read()\n"
    outcome = run(source + "lines['Italian']")
    assert outcome.sentence == "KeyError: 'Italian'"
    assert "looked for files named 'data/names/*.txt' and found none: attach them" in outcome.printed("err")
    assert "attach" not in run(source).printed("err"), "it lacked nothing"
    assert "attach" not in run("lines = {}\nlines['Italian']").printed("err")


_TREE = (
    "import os\nos.makedirs('a/b/c')\nos.makedirs('.h/i')\n"
    "for name in ('x.txt', 'a/y.txt', 'a/b/z.txt', '.h/q.txt', 'a/.w.txt'): open(name, 'w').close()\n"
)


@pytest.mark.parametrize("how", [{}, {"recursive": True}, {"recursive": True, "include_hidden": True}])
def test_a_search_finds_what_pythons_finds(
    run: Runner, tmp_path: RealPath, monkeypatch: pytest.MonkeyPatch, how: dict[str, bool]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(_TREE, {})
    patterns = "* ** **/* **/*.txt a/** a/**/ **/b **/b/* ./**/*.txt **/.h/* .* */ a/ x.txt/ **/a/**/c/** [x]*"
    expected = {each: sorted(set(glob.glob(each, **how))) for each in patterns.split()}
    expected["b/*"] = sorted(glob.glob("b/*", root_dir="a", **how))
    asked = f"{{each: sorted(glob.glob(each, **{how})) for each in {patterns.split()}}}"
    asked += f" | {{'b/*': sorted(glob.glob('b/*', root_dir='a', **{how}))}}"
    assert ast.literal_eval(run(f"{_TREE}import glob\nprint({asked})").printed()) == expected


def test_pathlib_finds_hidden_names_and_folders_for_two_stars(run: Runner) -> None:
    source = f"{_TREE}from pathlib import Path\nprint(*sorted(map(str, Path('a').glob('**'))))\n"
    source += "print(*sorted(map(str, Path('.').rglob('*.txt'))))"
    assert run(source).printed() == "a a/b a/b/c\n.h/q.txt a/.w.txt a/b/z.txt a/y.txt x.txt\n"


def test_a_search_of_many_parts_looks_into_each_folder_once_for_each(run: Runner) -> None:
    source = "import glob, os, time\nfor i in range(600): os.makedirs(f'd{i % 30}/e{i}/f')\n"
    source += "begun = time.process_time()\nfor pattern in ('**/' * 20, '**/*/' * 20):\n"
    source += "    glob.glob(pattern, recursive=True)\nprint(time.process_time() - begun)"
    assert float(run(source).printed()) < 5.0, "seconds; hours where each folder is found again in each part"


def test_a_file_of_the_computer_is_none(tmp_path: RealPath) -> None:
    real = tmp_path / "real.txt"
    real.write_text("x")
    with pytest.raises(FileNotFoundError):
        open_(str(real))
    assert not exists(str(real))
    with pytest.raises(FileNotFoundError):
        open_(str(tmp_path / "new.txt"), "w")
    assert sorted(tmp_path.iterdir()) == [real]


def test_a_name_is_the_text_that_it_holds() -> None:
    class Other(str):
        def __str__(self) -> str:
            return "b"

        def __contains__(self, part: object) -> bool:
            return False

    open_(Other("a"), "w").close()
    assert SCRATCH.children(HOME) == ["a"]
    assert exists(Path(Other("a"))) and str(Path(Other("x\0"))) == "x\0"


def test_numpy_opens_nothing(tmp_path: RealPath) -> None:
    real = tmp_path / "real.txt"
    real.write_text("1 2")
    np.save(tmp_path / "real.npy", np.ones(2))
    names = array_files()
    for read in (names["loadtxt"], names["genfromtxt"], names["load"]):
        for name in (str(real), Path(str(real)), str(tmp_path / "real.npy"), "https://example.org/x"):
            with pytest.raises(FileNotFoundError):
                read(name)
    with pytest.raises(TypeError):
        names["loadtxt"](["1"], converters=print)


def test_an_array_of_bytes_is_a_copy() -> None:
    made = numpy_modules()["numpy"].frombuffer(b"\1\2", "u1")
    made[0] = 7
    assert made.tolist() == [7, 2]


def test_a_full_folder_says_so_and_has_room_again() -> None:
    with open_("a", "wb") as file, pytest.raises(OSError, match="full"):
        file.write(bytes(MOST_BYTES + 1))
        file.flush()
    with open_("b", "wb") as file:
        file.write(bytes(MOST_BYTES - 100))
    open_("b", "w").close()
    with open_("c", "wb") as file:
        file.write(bytes(MOST_BYTES - 100))


def test_what_is_attached_lies_in_the_folder() -> None:
    folder = Scratch()
    for name in ("a.txt", "b/c.txt", "../d.txt", "/etc/e.txt", "b/../../f.txt", "."):
        folder.attach(name, b"x")
    assert sorted(folder.files) == [f"{HOME}/a.txt", f"{HOME}/b/c.txt"]


def test_an_object_goes_with_the_last_file_that_stands_for_it(run: Runner) -> None:
    source = (
        "import torch, shutil, os\ntorch.save(torch.ones(2), 'a')\nshutil.copy('a', 'b')\nos.remove('a')\n"
        "print(torch.load('b'))\nfor n in range(500): torch.save(torch.zeros(1 << 20), 'b')\n"
        "print(os.path.getsize('b') > 10**6)"
    )
    assert run(source).printed() == "tensor([1., 1.])\nTrue\n"


def test_nothing_of_the_computer_is_told() -> None:
    system = path_modules()["os"]
    assert (system.cpu_count(), system.getpid(), system.getcwd(), dict(system.environ)) == (1, 1, HOME, {})
    assert not hasattr(system, "system") and not hasattr(system, "fork")


def _written(outcome: Outcome) -> dict[str, tuple[bytes, int, bool]]:
    return {each.name: (each.data, each.size, each.is_object) for each in outcome.events if isinstance(each, Written)}


def test_what_a_run_wrote_comes_out_at_its_end(run: Runner) -> None:
    source = (
        "import os, shutil, torch, tempfile\nos.mkdir('out')\nopen('out/a.csv', 'w').write('1,2')\n"
        "kept = open('b.txt', 'w')\nkept.write('not closed')\ntorch.save(torch.ones(2), 'm.pt')\n"
        "shutil.copy('m.pt', 'n.pt')\ntempfile.NamedTemporaryFile(delete=False).write(b'x')\nos.mkdir('/data')\n"
        "open('/data/c', 'wb').write(b'2')\nopen('same.txt').read()\nopen('other.txt', 'a').write('!')\n1 / 0"
    )
    outcome = run(source, files={"same.txt": "1", "other.txt": "2", "third.txt": "3"})
    found = _written(outcome)
    assert (outcome.status, isinstance(outcome.events[-1], Done)) == ("raised", True)
    assert {name: data for name, (data, size, _) in found.items() if len(data) == size} == {
        "out/a.csv": b"1,2", "b.txt": b"not closed", "data/c": b"2", "other.txt": b"2!"
    }  # fmt: skip
    assert found["m.pt"][0] == found["n.pt"][0] == b"" and found["m.pt"][2] and found["n.pt"][2]
    assert _written(run("print(1)")) == {}


def test_of_too_much_the_names_come_out(run: Runner) -> None:
    source = "for n in range(150): open(f'{n:03}', 'wb').write(b'x' * 300_000)"
    found = _written(run(source))
    assert len(found) == MOST_WRITTEN and {size for _, size, _ in found.values()} == {300_000}
    assert sum(len(data) for data, _, _ in found.values()) == 300_000 * (WRITTEN_BYTES // 300_000)


def test_the_signs_of_paths_have_names(run: Runner) -> None:
    source = (
        "import os\nprint(os.pardir, os.curdir, os.sep, os.altsep, os.extsep, os.pathsep, os.devnull)\n"
        "p = os.path\nprint(p.pardir, p.curdir, p.sep, p.altsep, p.extsep, p.pathsep, p.devnull)\n"
        "print(p.abspath(p.join(os.getcwd(), os.pardir)) == p.dirname(os.getcwd()))"
    )
    assert run(source).printed() == ".. . / None . : /dev/null\n" * 2 + "True\n"
