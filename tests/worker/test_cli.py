"""`gradviz run` as a user or a script meets it: output, error stream, exit status."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import gradviz, gradviz_process

BACKWARD = """import torch
w = torch.tensor(3., requires_grad=True)
y = w * 2
y.backward()
print(y, w.grad)
"""
TWICE = BACKWARD + "y.backward()\n"
SECOND_TIME = "RuntimeError: Trying to backward through the graph a second time"


def written(folder: Path, text: str, name: str = "snippet.py") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_prints_exactly_what_the_snippet_prints(tmp_path: Path) -> None:
    path = written(tmp_path, BACKWARD + "print('é中😀', end='')\nimport sys\nprint('aside', file=sys.stderr)\n")
    done = gradviz_process("run", path)
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        "tensor(6., grad_fn=<MulBackward0>) tensor(2.)\né中😀",
        "aside\n",
    )


def test_an_error_is_pytorchs_with_the_snippets_frames_only(tmp_path: Path) -> None:
    done = gradviz(
        "run", written(tmp_path, "import torch\ndef f(v):\n    v.backward()\n" + TWICE[13:] + "f(y)\n", "my.py")
    )
    lines = done.stderr.splitlines()
    assert done.returncode == 1
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-1].startswith(SECOND_TIME)
    assert [line for line in lines if "File " in line] == ['  File "my.py", line 8, in <module>']
    assert done.stdout.startswith("tensor(6.")


@pytest.mark.parametrize(
    ("text", "status", "says"),
    [
        ("print(1", 1, "SyntaxError: '(' was never closed"),
        ("x = 1\ncompile('1')\n", 1, "line 2: compile() is not available in GradViz snippets"),
        ("import sys\nsys.exit(0)\n", 0, ""),
        ("exit()\n", 0, ""),
        ("raise SystemExit(3)\n", 1, "SystemExit: 3"),
        ("raise SystemExit('bye')\n", 1, "SystemExit: bye"),
        ("raise KeyboardInterrupt\n", 1, "KeyboardInterrupt"),
        ("class E(Exception):\n    def __str__(self): return 'own'\nraise E\n", 1, "E: own"),
        ("class E(Exception):\n    def __str__(self): raise E\nraise E\n", 1, "E: <exception str() failed>"),
        ("class E(Exception):\n    def __str__(self): return 3\nraise E\n", 1, "E: <exception str() failed>"),
        ("x = [0] * 10 ** 11\n", 2, "asked for more than"),
        ("", 1, "is empty: there is nothing to run"),
        ("  \n\n", 1, "is empty: there is nothing to run"),
        ("x = 1\n" * 900_000, 1, "has 5.4 MB; a snippet may have 0.4 MB at most"),
        ("\0", 1, "is not a text file"),
        ("x = 1\n", 0, ""),
    ],
)
def test_every_end_has_a_status_and_a_sentence(tmp_path: Path, text: str, status: int, says: str) -> None:
    done = gradviz("run", written(tmp_path, text))
    assert done.returncode == status, done.stderr
    assert says in done.stderr
    assert bool(done.stderr) == bool(says)
    assert str(tmp_path) not in done.stderr


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    assert "does not exist" in gradviz("run", tmp_path / "no.py").stderr
    done = gradviz("run", tmp_path)
    assert (done.returncode, "is a folder" in done.stderr) == (1, True)


def test_a_time_limit_is_status_2(tmp_path: Path) -> None:
    done = gradviz("run", "--time-limit", 0.5, written(tmp_path, "print('begun')\nwhile True: pass\n"))
    assert (done.returncode, done.stdout) == (2, "begun\n")
    assert done.stderr.startswith("snippet.py: The run was stopped because it took longer than 0.5 seconds. ")
    assert "--time-limit" in done.stderr


def test_several_files_share_nothing(tmp_path: Path) -> None:
    first = """import torch, random, warnings, numpy as np
import math
class Leak: pass
torch.set_grad_enabled(False)
torch.set_default_dtype(torch.float64)
torch.set_printoptions(precision=1)
torch.manual_seed(5)
random.seed(5)
np.random.seed(5)
np.set_printoptions(precision=1)
warnings.simplefilter("ignore")
torch.no_grad().__enter__()
torch.autograd.set_detect_anomaly(True)
"""
    second = """import torch, random, numpy as np
x = torch.tensor(1.23456, requires_grad=True)
print(x * 1, torch.tensor(1.).dtype, torch.rand(1), random.random(), np.random.rand(), np.array([1.23456]))
y = x * 1
y.grad
print("Leak" in str(type(x)), torch.is_grad_enabled())
try:
    Leak
except NameError as e:
    print(e)
"""
    path = written(tmp_path, second, "second.py")
    alone = gradviz("run", path)
    after = gradviz("run", written(tmp_path, first, "first.py"), path, path)
    assert alone.returncode == 0, alone.stderr
    assert "UserWarning: The .grad attribute of a Tensor that is not a leaf" in alone.stderr
    assert after.stdout == alone.stdout * 2
    assert after.stderr == alone.stderr * 2


def test_the_worst_status_counts(tmp_path: Path) -> None:
    good, bad = written(tmp_path, "print(1)", "good.py"), written(tmp_path, "1/0", "bad.py")
    done = gradviz("run", good, bad, good)
    assert (done.returncode, done.stdout) == (1, "1\n1\n")


def test_a_run_goes_on_with_a_new_worker_after_a_limit(tmp_path: Path) -> None:
    good, bad = written(tmp_path, "print(1)", "good.py"), written(tmp_path, "while True: print('x' * 999)", "bad.py")
    done = gradviz("run", good, bad, good)
    assert done.returncode == 2
    assert done.stdout.startswith("1\nxxx")
    assert done.stdout.endswith("x1\n") or done.stdout.endswith("\n1\n")


def test_a_warning_looks_as_python_prints_it(tmp_path: Path) -> None:
    done = gradviz("run", written(tmp_path, "import warnings\nfor _ in range(3):\n    warnings.warn('careful')\n"))
    assert done.stderr == "snippet.py:3: UserWarning: careful\n  warnings.warn('careful')\n"


def test_json_is_one_object_per_file_with_its_steps(tmp_path: Path) -> None:
    done = gradviz("run", "--json", written(tmp_path, TWICE), written(tmp_path, "print(1)", "b.py"))
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["file"], first["status"], second["status"]) == ("snippet.py", "raised", "ok")
    assert [step["kind"] for step in first["steps"]][:2] == ["leaf", "forward"]
    assert first["error"]["last_line"].startswith(SECOND_TIME)
    assert SECOND_TIME in done.stderr


def test_the_steps_name_an_error_once(tmp_path: Path) -> None:
    lines = gradviz("run", "--steps", written(tmp_path, "import torch\ntorch.optim.Adam([])\n")).stdout.splitlines()
    assert lines[-1].endswith("  ValueError (line 2): optimizer got an empty parameter list")


def test_steps_are_printed_after_the_output(tmp_path: Path) -> None:
    lines = gradviz("run", "--steps", written(tmp_path, BACKWARD)).stdout.splitlines()
    assert lines[0].startswith("tensor(6.")
    assert lines[1].split()[:3] == ["1", "line", "2"]
    assert any("MulBackward0" in line for line in lines)


def test_an_interrupt_stops_the_snippet(tmp_path: Path) -> None:
    path = written(tmp_path, "print('begun', flush=True)\nwhile True: pass\n")
    command = [sys.executable, "-m", "gradviz", "run", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=300)
    assert (process.returncode, said) == (130, "snippet.py: The run was stopped.\n")


def test_input_reads_the_terminal_and_shows_the_prompt_as_python_does(tmp_path: Path) -> None:
    path = written(tmp_path, "a = int(input('a = '))\nb = int(input())\nprint(a + b)\n")
    done = gradviz_process("run", path, typed="40\n2\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "a = 42\n", "")


def test_the_end_of_the_input_is_pythons_error(tmp_path: Path) -> None:
    done = gradviz_process(
        "run", written(tmp_path, "print(input())\nprint(input())\n"), typed="last line without an end"
    )
    assert (done.returncode, done.stdout) == (1, "last line without an end\n")
    assert done.stderr.endswith("EOFError: EOF when reading a line\n")


def test_with_json_the_prompt_is_on_the_error_stream(tmp_path: Path) -> None:
    done = gradviz_process(
        "run", "--json", written(tmp_path, "import torch\nx = torch.ones(int(input('n = ')))\n"), typed="3\n"
    )
    assert done.stderr == "n = "
    assert json.loads(done.stdout)["status"] == "ok"


def test_an_interrupt_ends_a_question(tmp_path: Path) -> None:
    path = written(tmp_path, "input('who? ')\n")
    command = [sys.executable, "-m", "gradviz", "run", str(path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as running:
        assert running.stdout is not None
        assert running.stdout.read(5) == b"who? "
        # Python notices an interrupt only between two of its steps or once the read has begun, so one that comes
        # just before the read waits for the next (input() itself is like that).
        for _ in range(12):
            running.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.wait(10)
                break
        assert running.returncode == 130


def test_a_closed_pipe_ends_it_quietly(tmp_path: Path) -> None:
    path = written(tmp_path, "while True: print('x' * 100)\n")
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "gradviz", "run", str(path)],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=300,
    )
    os.close(writing)
    assert "Traceback" not in done.stderr
    assert done.returncode == 1


def test_run_imports_neither_qt_nor_numpy(tmp_path: Path) -> None:
    path = written(tmp_path, BACKWARD)
    code = (
        "import sys\nfrom gradviz.cli import run_command_line\n"
        f"status = run_command_line(['run', {str(path)!r}])\n"
        "found = {'PySide6', 'numpy', 'networkx'} & set(sys.modules)\nprint(status, sorted(found))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.stdout.endswith("0 []\n"), done


def test_help_says_the_statuses() -> None:
    assert "a limit stopped it" in gradviz("run", "--help").stdout
    assert "gradviz run FILE" in gradviz("--help").stdout
    assert gradviz("--version").stdout.startswith("gradviz ")


@pytest.mark.parametrize(
    "arguments",
    [["--size", "big"], ["--step", "last"], ["export", "x.py", "-o", "graph.bmp"], ["run", "--time-limit", "0", "x"]],
)
def test_wrong_arguments_are_named(arguments: list[str]) -> None:
    done = gradviz(*arguments)
    assert done.returncode == 2
    assert arguments[-1] in done.stderr or "0" in done.stderr


def test_explain_says_by_its_status_whether_it_found_anything(tmp_path: Path) -> None:
    right, wrong = written(tmp_path, BACKWARD), written(tmp_path, TWICE, "twice.py")
    nothing = gradviz("explain", right)
    assert (nothing.returncode, nothing.stdout) == (0, f"{right.name}: no mistakes found\n")
    assert (gradviz("explain", right, "--json").returncode, gradviz("explain", right, "--json").stdout) == (0, "[]\n")
    found = gradviz("explain", wrong, "--json")
    (finding,) = json.loads(found.stdout)
    assert (found.returncode, finding["id"], finding["line"]) == (1, "backward-twice", 6)
    assert gradviz("explain", tmp_path / "absent.py").returncode == 2
    assert gradviz("explain", written(tmp_path, "x = (\n", "bad.py")).returncode == 2
    assert json.loads(gradviz("explain", written(tmp_path, "x = y\n", "name.py"), "--json").stdout)[0]["line"] == 1


def test_explain_reads_recordings_which_are_not_run(tmp_path: Path) -> None:
    wrong, out = written(tmp_path, TWICE, "twice.py"), tmp_path / "job.gvtrace"
    gradviz("run", wrong, "--record", out)
    found = gradviz("explain", out)
    assert found.returncode == 1 and found.stdout == gradviz("explain", wrong).stdout, found
    fixed = gradviz("explain", out, "--fix", "backward-twice")
    assert fixed.stdout == TWICE.replace("y.backward()", "y.backward(retain_graph=True)", 1)
    assert "twice.py:2: w was created [step 1]" in gradviz("explain", out, "--why", "w.grad").stdout
    out.write_bytes(out.read_bytes()[: out.stat().st_size * 3 // 4])
    broken = gradviz("explain", out)
    assert "twice.py: It breaks off" in broken.stderr and "Traceback" not in broken.stderr
    out.write_bytes(b"no recording")
    assert gradviz("explain", out).returncode == 2
    assert "job.gvtrace can't be opened: it is not a recording." in gradviz("run", out).stderr
    for command in (["code", out], ["draw", out, "-o", tmp_path / "x.gradviz"]):
        done = gradviz(*command)
        assert done.returncode != 0 and "job.gvtrace is a recording, which can't be run or changed" in done.stderr


def test_explain_prints_the_snippet_with_the_fix(tmp_path: Path) -> None:
    path = written(tmp_path, TWICE)
    fixed = gradviz("explain", path, "--fix", "backward-twice")
    assert (fixed.returncode, fixed.stdout) == (0, TWICE.replace("y.backward()", "y.backward(retain_graph=True)", 1))
    other = gradviz("explain", path, "--fix", "not-zeroed")
    assert (other.returncode, other.stderr) == (1, "There is no finding not-zeroed; there is backward-twice.\n")


def test_a_script_is_called_with_what_follows_two_dashes(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "import argparse, sys, tyro\nfrom dataclasses import dataclass\np = argparse.ArgumentParser()\n"
        "p.add_argument('--lr', type=float)\np.add_argument('--no-cuda', action='store_true')\n"
        "print(p.parse_args(), sys.argv, p.parse_args([]))\n"
        "@dataclass\nclass Args:\n    lr: float = 0.1\n    num_envs: int = 4\n    cuda: bool = True\n"
        "print(tyro.cli(Args), tyro.cli(Args, args=['--num-envs', '2']))\nsys.argv[1:] = []\nprint(tyro.cli(Args))\n",
    )
    assert gradviz("run", path, "--", "--lr", "1e-2", "--no-cuda").stdout == (
        "Namespace(lr=0.01, no_cuda=True) ['snippet.py', '--lr', '1e-2', '--no-cuda'] "
        "Namespace(lr=None, no_cuda=False)\n"
        "Args(lr=0.01, num_envs=4, cuda=False) Args(lr=0.1, num_envs=2, cuda=True)\n"
        "Args(lr=0.1, num_envs=4, cuda=True)\n"
    )
    written(tmp_path, TWICE.replace("y.backward()\ny.backward()", "import sys; [y.backward() for _ in sys.argv]"))
    assert "backward" in gradviz("explain", path, "--", "x").stdout


def test_modules_beside_a_snippet_are_read_other_files_if_attached_and_explain_keeps_to_the_limits_of_the_classroom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, TWICE.replace("y.backward()\ny.backward()", "pass"), "net.py")
    path = written(tmp_path, "import net\nnet.y.backward()\nnet.y.backward()\n", "main.py")
    found = gradviz("explain", path, "--json")
    assert [each["id"] for each in json.loads(found.stdout)] == ["backward-twice"]
    assert gradviz("run", path).stderr.splitlines()[-1].startswith("RuntimeError: Trying to backward through the graph")
    (tmp_path / "data").mkdir()
    notes = written(tmp_path / "data", "read", "notes.txt")
    reader = written(tmp_path, "print(open('notes.txt').read())", "reader.py")
    assert [gradviz("run", reader, *more).stdout for more in ([], ["--attach", notes])] == ["", "read\n"]
    assert gradviz("explain", path, "--attach", tmp_path / "absent.py").returncode == 2
    monkeypatch.setenv("GRADVIZ_CLASSROOM", str(written(tmp_path, "[limits]\nseconds = 1\n", "classroom.toml")))
    endless = written(tmp_path, "while True: pass", "endless.py")
    for arguments in (
        ["explain", endless],
        ["draw", endless, "-o", tmp_path / "x.gradviz"],
        ["export", endless, "x.svg"],
    ):
        assert " 1 second" in gradviz(*arguments, cwd=tmp_path).stderr
