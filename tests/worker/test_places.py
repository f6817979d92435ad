"""A warm worker knows no folder: neither its own, nor Python's, nor that of the packages; whatever Python can reach in
it was looked through."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy
import pytest

from gradviz.worker.process.spawn import FOLDER_FLAG, source_command
from tests.worker.conftest import Runner

ROOT = Path(__file__).parents[2]
NAME = "of-somebody-81726354"

# Beside the packages: it is imported as they are, and knows nothing else than they do.
LOOK_AROUND = '''
import ctypes, gc, json, os, sys, time, types
from gradviz.worker import main

def names_of(thing):
    return thing if type(thing) is str else thing.decode(errors="replace")

def reachable():
    """Everything, by the collector and by what its objects refer to."""
    gc.unfreeze()
    seen, waiting = {}, list(gc.get_objects())
    while waiting:
        thing = waiting.pop()
        if id(thing) not in seen and thing is not waiting:
            seen[id(thing)] = thing
            waiting += gc.get_referents(thing)
    return seen.values()

def look(word):
    before = len([each for each in sys.modules.values() if word in str(getattr(each, "__file__", ""))])
    runner = main._prepare()
    main.forget_environment()
    found = []
    for thing in list(reachable()):
        if type(thing) in (str, bytes) and word in names_of(thing):
            found.append(names_of(thing)[:200])
        elif type(thing) is types.FunctionType and word in thing.__code__.co_filename:
            found.append(thing.__code__.co_filename)
    told = {name: str(getattr(sys, name)) for name in (
        "executable", "prefix", "base_prefix", "exec_prefix", "base_exec_prefix", "path", "argv", "orig_argv")}
    told |= {"module": repr(main), "package": str(sys.modules["numpy"].__path__)}
    told |= {"file": str(hasattr(main, "__file__")), "code": main.main.__code__.co_filename}
    told |= {"environment": str(dict(os.environ)), "environment of C": str(ctypes.CDLL(None).getenv(b"HOME"))}
    try:
        import gradviz.layout.flat
    except ImportError as error:
        told["late"] = str(error)
    print(json.dumps([before, sorted(set(found) - {word}), told]))

def started():
    look(sys.argv[-1])
'''


@pytest.mark.skipif(os.name == "nt", reason="it takes symbolic links")
def test_nothing_in_a_warm_worker_holds_the_name_of_a_folder(tmp_path: Path) -> None:
    home = tmp_path / NAME
    (home / "own").mkdir(parents=True)
    (home / "own" / "look_around.py").write_text(LOOK_AROUND)
    (home / "own" / "gradviz").symlink_to(ROOT / "gradviz")
    (home / "own" / "resources").symlink_to(ROOT / "resources")
    for package in (numpy, ml_dtypes):
        real = Path(package.__file__).parent
        (home / real.name).symlink_to(real)
        for libraries in real.parent.glob(f"{real.name}.libs"):
            (home / libraries.name).symlink_to(libraries)
    (home / "python").symlink_to(sys.executable)
    flags = [each for each in source_command("look_around", "started()")[1:] if not each.startswith(("--gv", "/"))]
    folders = [f"{FOLDER_FLAG}{folder}" for folder in (home / "own", home)]
    command = [str(home / "python"), *flags, *folders, NAME]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env={"HOME": str(home)}, timeout=300)
    assert done.returncode == 0, done.stderr
    loaded, found, told = json.loads(done.stdout)
    assert loaded > 10, "the packages came from the folder that was looked for"
    assert found == []
    empty = dict.fromkeys(("executable", "prefix", "base_prefix", "exec_prefix", "base_exec_prefix"), "")
    zone = {"TZ": ":/etc/localtime"} if sys.platform.startswith("linux") else {}
    assert told == {
        **empty,
        "path": "[]",
        "argv": "['']",
        "orig_argv": "[]",
        "module": "<module 'gradviz.worker.main' (frozen)>",
        "package": "[]",
        "file": "False",
        "code": "<frozen gradviz.worker.main>",
        "environment": str(zone),
        "environment of C": "0",
        "late": "No module named 'gradviz.layout'",
    }


def test_a_snippet_still_has_its_own_name_and_lines(run: Runner) -> None:
    outcome = run("print(__file__)\ndef f():\n    return 1 / 0\nf()\n", "mine.py")
    assert outcome.printed() == "mine.py\n"
    assert outcome.done.detail.line == 3
    assert '  File "mine.py", line 4, in <module>\n' in outcome.done.detail.traceback


def test_anomaly_mode_shows_the_lines_of_the_snippet_only(run: Runner) -> None:
    outcome = run(
        "import torch, functools\ntorch.autograd.set_detect_anomaly(True)\nx = torch.tensor(-1., requires_grad=True)\n"
        "def f(a): return torch.sqrt(a)\ny = functools.reduce(lambda a, b: f(a), [x, 1])\n(y * 0).backward()\n",
        "mine.py",
    )
    assert "returned nan values" in outcome.sentence
    said = outcome.printed("err")
    assert 'File "mine.py", line 4, in f' in said
    assert [line for line in said.splitlines() if "File " in line and "mine.py" not in line] == []
