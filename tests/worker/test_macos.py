"""The profiles for sandbox-exec: read as the parentheses that they are, and asked what they allow. No Mac was at
hand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from gradviz.worker.locks import macos
from gradviz.worker.process import starting
from gradviz.worker.process.spawn import search_folders, worker_folders

ROOT = Path(__file__).parents[2]
STRICT, LENIENT = macos.PROFILES

HOME = '/Users/Zoë "Z" \\ 名'
FOLDERS = ["/opt/python", f"{HOME}/app"]
LISTED = [f"{HOME}/checkout"]
Expression = str | list["Expression"]


def parsed(text: str) -> list[Expression]:
    """The expressions of a profile; strings keep a quote in front."""
    stack: list[list[Expression]] = [[]]
    for token in re.findall(r'"(?:\\.|[^"\\])*"|[()]|[^\s()"]+', text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(re.sub(r"\\(.)", r"\1", token[:-1]) if token.startswith('"') else token)
    assert len(stack) == 1, "a parenthesis is missing"
    return stack[0]


def allows(profile: macos.Profile, operation: str, path: str = "") -> bool:
    """What the last rule says that fits, as the kernel reads a profile."""
    return answer_of(parsed(macos.written(profile, FOLDERS, LISTED)), operation, path)


def answer_of(rules: list[Expression], operation: str, path: str) -> bool:
    answer = True
    for rule in rules:
        assert isinstance(rule, list)
        verb, *rest = rule
        if verb not in ("allow", "deny"):
            assert rule == ["version", "1"]
            continue
        operations = [each for each in rest if isinstance(each, str)]
        filters = [each for each in rest if isinstance(each, list)]
        assert operations, rule
        fits = any(
            each in ("default", operation) or (each.endswith("*") and operation.startswith(each[:-1]))
            for each in operations
        )
        if fits and (not filters or any(matches(each, path) for each in filters)):
            answer = verb == "allow"
    return answer


def matches(filter_: Expression, path: str) -> bool:
    kind, value = filter_
    assert isinstance(value, str)
    value = value.removeprefix('"')
    if kind == "subpath":
        return path == value or path.startswith(f"{value}/")
    if kind == "sysctl-name-prefix":
        return path.startswith(value)
    assert kind in ("literal", "target", "global-name", "sysctl-name", "ipc-posix-name")
    return path == value


IN_BOTH = [
    ("file-read-data", f"{HOME}/secret", False),
    ("file-read-metadata", f"{HOME}/secret", False),
    ("file-read-data", HOME, False),
    ("file-read-data", f"{HOME}/checkout", True),
    ("file-read-data", f"{HOME}/checkout/secret", False),
    ("file-read-metadata", HOME, True),
    ("file-read-data", f"{HOME}/app/gradviz/x.py", True),
    ("file-read-data", "/opt/python/lib/python3.12/os.py", True),
    ("file-map-executable", "/opt/python/lib/python3.12/lib-dynload/math.so", True),
    ("file-read-data", "/usr/lib/libSystem.dylib", True),
    ("file-map-executable", "/System/Library/Frameworks/Accelerate.framework/Accelerate", True),
    ("file-read-data", "/private/var/db/timezone/tz/2026a/zoneinfo/Europe/Berlin", True),
    ("file-read-data", "/dev/urandom", True),
    ("file-read-data", "/Volumes/stick/x", False),
    ("file-read-data", "/private/var/folders/a/b", False),
    ("file-write-data", f"{HOME}/app/gradviz/x.py", False),
    ("file-write-data", "/dev/null", True),
    ("file-write-create", "/private/tmp/x", False),
    ("file-write-unlink", f"{HOME}/app/gradviz/x.py", False),
    ("network-outbound", "", False),
    ("network-inbound", "", False),
    ("network-bind", "", False),
    ("process-fork", "", False),
    ("process-exec", "/bin/sh", False),
    ("process-exec", "/opt/python/bin/python3", True),
    ("process-info-pidinfo", "others", False),
    ("process-info-pidinfo", "self", True),
    ("mach-lookup", "com.apple.coreservices.launchservicesd", False),
    ("mach-lookup", "com.apple.pasteboard.1", False),
    ("mach-lookup", "com.apple.logd", True),
    ("appleevent-send", "", False),
    ("signal", "others", False),
    ("signal", "self", True),
    ("sysctl-read", "hw.ncpu", True),
    ("sysctl-read", "hw.optional.arm.FEAT_SHA3", True),
]
ONLY_STRICT = [  # what the laxer one leaves open
    ("file-read-data", "/private/etc/passwd"),
    ("file-read-data", "/private/etc/hosts"),
    ("file-read-metadata", "/private/etc/hosts"),
    ("file-read-data", "/Library/Preferences/com.apple.loginwindow.plist"),
    ("file-read-data", "/Applications/Mail.app/Contents/Info.plist"),
    ("file-read-data", "/bin/sh"),
    ("file-read-data", "/private/var/log/system.log"),
    ("file-ioctl", "/dev/ptmx"),
    ("sysctl-read", "kern.hostname"),
    ("sysctl-read", "kern.proc.all"),
    ("sysctl-write", "kern.hostname"),
    ("mach-register", "anything"),
    ("mach-priv-task-port", "others"),
    ("iokit-open", "AppleClient"),
    ("ipc-posix-shm-write-create", "anything"),
    ("ipc-posix-shm-read-data", "anything"),
    ("ipc-posix-sem", "anything"),
    ("system-socket", ""),
    ("user-preference-read", ""),
    ("pseudo-tty", ""),
    ("job-creation", ""),
    ("nvram-get", ""),
    ("lsopen", ""),
    ("file-issue-extension", ""),
    ("an operation of a later system", ""),
]


@pytest.mark.parametrize("profile", [STRICT, LENIENT], ids=["strict", "lenient"])
@pytest.mark.parametrize(("operation", "path", "is_allowed"), IN_BOTH)
def test_what_both_profiles_allow(profile: macos.Profile, operation: str, path: str, is_allowed: bool) -> None:
    assert allows(profile, operation, path) is is_allowed


@pytest.mark.parametrize(("operation", "path"), ONLY_STRICT)
def test_what_only_the_strict_profile_denies(operation: str, path: str) -> None:
    assert not allows(STRICT, operation, path)
    assert allows(LENIENT, operation, path)


OPENED = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
opened = set()
sys.addaudithook(lambda event, given: opened.add(given[0]) if event in ("open", "os.listdir", "os.scandir") else None)
from gradviz.worker import main
main._prepare()
print(*sorted(each for each in opened if isinstance(each, str)), sep="\\n")
"""


def test_a_worker_opens_nothing_while_it_starts_that_the_strict_profile_denies(tmp_path: Path) -> None:
    rules = parsed(macos.written(STRICT, worker_folders(), search_folders()))
    command = [sys.executable, "-I", "-c", OPENED]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stderr
    opened = [os.path.realpath(each) for each in done.stdout.splitlines() if os.path.exists(each)]
    opened = [each for each in opened if not each.startswith("/proc/")]  # asked for on Linux alone; macOS has none
    assert len(opened) > 100
    assert [each for each in opened if not answer_of(rules, "file-read-data", each)] == []


@pytest.mark.parametrize("profile", macos.PROFILES)
def test_a_path_is_the_one_that_the_kernel_sees(tmp_path: Path, profile: macos.Profile) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    text = macos.written(profile, [str(tmp_path / "link" / "app")])
    assert f'"{tmp_path.resolve()}/real/app"' in text
    assert "/link" not in text


@pytest.mark.parametrize("text", ['"', "\\", 'a"b\\c', "名 ü", ") (allow default"])
def test_a_path_can_t_end_its_string(text: str) -> None:
    assert parsed(f"(literal {macos.quoted(text)})") == [["literal", f'"{text}']]


def ends_with(status: int, said: str = "") -> Callable[..., subprocess.CompletedProcess[str]]:
    return lambda command, **keywords: subprocess.CompletedProcess(command, status, "", said)


@pytest.fixture
def has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(macos, "SANDBOX_EXEC", "/bin/sh")


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What one test gives up is there for the next."""
    monkeypatch.setattr(starting, "_given_up", {})
    monkeypatch.setattr(starting, "_profiles", list(macos.PROFILES))
    starting._sandbox.cache_clear()
    yield
    starting._sandbox.cache_clear()


@pytest.mark.usefixtures("has_it")
def test_a_command_is_put_behind_the_profile() -> None:
    assert macos.sandbox(STRICT, FOLDERS, (), ends_with(0)) == ["/bin/sh", "-p", macos.written(STRICT, FOLDERS)]


@pytest.mark.usefixtures("has_it")
def test_a_profile_that_is_refused_is_no_sandbox() -> None:
    with pytest.raises(OSError, match="unbound variable"):
        macos.sandbox(STRICT, FOLDERS, (), ends_with(65, "sandbox-exec:\nunbound variable: x\n"))
    with pytest.raises(OSError, match="ended with 71"):
        macos.sandbox(STRICT, FOLDERS, (), ends_with(71))

    def hangs(command: list[str], **keywords: object) -> subprocess.CompletedProcess[str]:
        raise subprocess.TimeoutExpired("sandbox-exec", 10)

    with pytest.raises(OSError, match="timed out"):
        macos.sandbox(STRICT, FOLDERS, (), hangs)


def test_a_mac_without_sandbox_exec_starts_workers_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(macos, "SANDBOX_EXEC", "/nowhere/sandbox-exec")
    assert starting.in_sandbox(["python"]) == (["python"], "absent: this system has no sandbox-exec")
    assert starting.in_sandbox(["python"]) == (["python"], "absent: this system has no sandbox-exec")


def test_where_nothing_starts_in_the_strict_profile_the_laxer_one_is_taken_and_then_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(macos, "sandbox", lambda profile, folders, listed: [profile.detail or "strict"])
    command, state = starting.in_sandbox(["python"])
    assert (command, state) == (["strict", "python"], "on")
    starting.not_ready({"sandbox": state})
    command, state = starting.in_sandbox(["python"])
    assert (command, state) == ([LENIENT.detail, "python"], f"on ({LENIENT.detail})")
    starting.not_ready({"sandbox": state})
    assert starting.in_sandbox(["python"]) == (["python"], "absent: a worker did not start in it")
    starting.not_ready({"sandbox": "absent: a worker did not start in it"})
    assert starting.in_sandbox(["python"]) == (["python"], "absent: a worker did not start in it")


def test_a_profile_that_the_system_does_not_take_gives_way_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses_strict(profile: macos.Profile, folders: Sequence[str], listed: Sequence[str]) -> list[str]:
        if profile is STRICT:
            raise OSError("unbound variable: file-map-executable")
        return ["lenient"]

    monkeypatch.setattr(macos, "sandbox", refuses_strict)
    assert starting.in_sandbox(["python"]) == (["lenient", "python"], f"on ({LENIENT.detail})")
