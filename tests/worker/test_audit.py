"""The audit hook, in processes of their own: it can't be taken out again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gradviz.worker.process.protocol import FrameKind, read_frame

ROOT = Path(__file__).parents[2]

BEFORE = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import builtins, collections, ctypes, dataclasses, gc, importlib, inspect, mmap, os, pickle, signal, socket, sqlite3
import subprocess, types, weakref
from gradviz.worker.running import audit
from gradviz.worker.modules.stand_ins import TorchFacade, World
from gradviz.worker.modules.stand_ins import load_torch, torch_modules
world = World(TorchFacade(torch_modules(load_torch())), lambda stream, text: None)
world.guard.globals.update(__name__="__main__", __file__="x.py")
libc = ctypes.CDLL(None)
def generator(): yield
left = generator()
def failing():
    try: 1 / 0
    except ZeroDivisionError as error: return error
error = failing()
open(os.devnull).close()
def refused(attempt):
    try:
        attempt()
    except PermissionError as refusal:
        return "not available in GradViz snippets" in str(refusal)
    except Exception:
        pass
    return False
audit.refuse_from_now_on()
"""

ATTEMPTS = {
    "a file": "open(os.devnull)",
    "a file by its descriptor": "os.open(os.devnull, os.O_RDONLY)",
    "a folder": "os.listdir('.')",
    "a new folder": "os.mkdir('x')",
    "a removed file": "os.remove('x')",
    "a renamed file": "os.rename('x', 'y')",
    "a socket": "socket.socket()",
    "a name's address": "socket.getaddrinfo('localhost', 80)",
    "a program": "subprocess.Popen(['true'])",
    "a command": "os.system('true')",
    "another program in this process": "os.execv('/bin/true', ['true'])",
    "a fork": "os.fork()",
    "a signal to others": "os.kill(1, 0)",
    "a module from disk": "importlib.import_module('wave')",
    "a module that is built in": "__import__('faulthandler')",
    "code from text": "exec('1')",
    "a value from text": "eval('1')",
    "a function of code": "types.FunctionType(generator.__code__, {})",
    "a code object": "generator.__code__.replace(co_name='x')",
    "its own frame": "sys._getframe()",
    "a frame above": "sys._getframe(1)",
    "the frame by inspect": "inspect.currentframe()",
    "all frames": "sys._current_frames()",
    "the frame of a generator": "left.gi_frame",
    "the frame of a traceback": "error.__traceback__.tb_frame",
    "all objects": "gc.get_objects()",
    "who refers to an object": "gc.get_referrers(world)",
    "what an object refers to": "gc.get_referents(world)",
    "a C library": "ctypes.CDLL(None)",
    "a C function": "libc.getpid",
    "an address in C": "ctypes.string_at(id(world))",
    "memory by address": "ctypes.c_char.from_address(id(world))",
    "a function of a module in C": "ctypes.pythonapi.Py_IsInitialized()",
    "mapped memory": "mmap.mmap(-1, 100)",
    "a pickle": "pickle.loads(b'cos\\ngetpid\\n(tR.')",
    "a database": "sqlite3.connect(':memory:')",
    "a tracing function": "sys.settrace(None)",
    "a profiling function": "sys.setprofile(None)",
    "other code for a function": "setattr(generator, '__code__', failing.__code__)",
    "a breakpoint": "breakpoint()",
}


def run(script: str) -> str:
    done = subprocess.run([sys.executable, "-c", BEFORE + script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def verdicts() -> dict[str, str]:
    script = "".join(f"print({name!r}, refused(lambda: {code}), sep='|')\n" for name, code in ATTEMPTS.items())
    return dict(line.split("|") for line in run(script).splitlines())


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_it_is_refused(verdicts: dict[str, str], attempt: str) -> None:
    assert verdicts[attempt] == "True"


WHILE = {
    "the fields of a dataclass are looked at": """
class Default:
    def __get__(self, thing, owner): answers.append(refused(lambda: open(os.devnull)))
made = type("A", (), {"x": Default(), "__annotations__": {"x": int}})
modules["dataclasses"].dataclass(world.guard.adopt(made))
""",
    "what a dataclass is asked for its truth": """
class Truth:
    def __bool__(self):
        answers.append(refused(lambda: open(os.devnull)))
        return True
field = modules["dataclasses"].field(default=1, init=Truth(), repr=Truth())
made = type("A", (), {"x": field, "__annotations__": {"x": int}, "__doc__": Truth()})
modules["dataclasses"].dataclass(world.guard.adopt(made))
""",
    "a namedtuple is made of names that are asked": """
class Name:
    def __str__(self):
        answers.append(refused(lambda: open(os.devnull)))
        return "x"
modules["collections"].namedtuple("T", [Name()])
""",
    "an error is told": """
class Odd(Exception):
    def __str__(self):
        answers.append(refused(lambda: open(os.devnull)))
        return "x"
modules["traceback"].print_exception(Odd())
""",
    "garbage is collected while a dataclass is made": """
def last():
    try: yield
    finally: answers.append(refused(lambda: open(os.devnull)))
class Default:
    def __get__(self, thing, owner):
        waiting = last()
        next(waiting)
        del waiting
made = type("A", (), {"x": Default(), "__annotations__": {"x": int}})
modules["dataclasses"].dataclass(world.guard.adopt(made))
""",
}


@pytest.mark.parametrize("moment", WHILE)
def test_code_of_the_snippet_is_refused_while(moment: str) -> None:
    printed = run(f"modules, answers = world.modules, []\n{WHILE[moment]}\nprint(answers and all(answers))")
    assert printed == "True\n"


def test_no_other_hook_is_added() -> None:
    """Python swallows the refusal; the hook is not there all the same."""
    assert run("seen = []\nsys.addaudithook(lambda *given: seen.append(given))\nid(seen)\nprint(seen)") == "[]\n"


def test_nothing_of_the_hook_can_be_changed() -> None:
    """Its tables can't be added to, and what it permits is bound to code, not to who calls."""
    script = """
import types
for name in ("_HARMLESS", "_READABLE"):
    setattr(audit, name, frozenset({"open", "sys._getframe"}))
audit._permitted = lambda: {"open": {(lambda: 0).__code__}}
audit.refuse_from_now_on.__globals__["frozenset"] = set
print(refused(lambda: open(os.devnull)), refused(lambda: sys._getframe()))
"""
    assert run(script) == "True True\n"


WORKER = f"""
import os, sys
sys.path.insert(0, {str(ROOT)!r})
from gradviz.worker import main
def serve(channel, runner, reading):
    try: open(os.devnull)
    except PermissionError as error: channel.done({{"sentence": str(error)}})
main._serve, main.lock_down = serve, lambda *given: {{}}
main.main()
"""


def test_a_worker_has_the_hook_before_it_takes_a_snippet() -> None:
    """Here without its other locks."""
    command = [sys.executable, "-c", WORKER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:  # its pipe stays open
        assert started.stdout is not None
        ready, done = (read_frame(started.stdout.read, 1000) for _ in range(2))
    assert ready is not None and ready.kind is FrameKind.READY
    assert done is not None and done.header == {"sentence": "not available in GradViz snippets: open"}
