"""The profile for sandbox-exec: read as the parentheses that it is, and asked what it allows. No Mac was at hand."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gradviz.worker import macos, starting

HOME = '/Users/Zoë "Z" \\ 名'
FOLDERS = ["/opt/python", f"{HOME}/app"]
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


def allows(operation: str, path: str = "") -> bool:
    """What the last rule says that fits, as the kernel reads a profile."""
    answer = True
    for rule in parsed(macos.profile(FOLDERS)):
        assert isinstance(rule, list)
        verb, *rest = rule
        if verb not in ("allow", "deny"):
            continue
        pattern, filters = rest[0], rest[1:]
        assert isinstance(pattern, str)
        fits = pattern == "default" or operation == pattern or operation.startswith(pattern.rstrip("*"))
        if fits and (not filters or any(matches(each, path) for each in filters)):
            answer = verb == "allow"
    return answer


def matches(filter_: Expression, path: str) -> bool:
    kind, value = filter_
    assert isinstance(value, str)
    assert kind in ("subpath", "literal", "target", "global-name")
    value = value.removeprefix('"')
    return path == value or (kind == "subpath" and path.startswith(f"{value}/"))


@pytest.mark.parametrize(
    ("operation", "path", "is_allowed"),
    [
        ("file-read-data", f"{HOME}/secret", False),
        ("file-read-metadata", f"{HOME}/secret", False),
        ("file-read-data", HOME, False),
        ("file-read-metadata", HOME, True),
        ("file-read-data", f"{HOME}/app/gradviz/x.py", True),
        ("file-read-data", "/opt/python/lib/python3.12/os.py", True),
        ("file-read-data", "/usr/lib/libSystem.dylib", True),
        ("file-read-data", "/Volumes/stick/x", False),
        ("file-read-data", "/private/var/folders/a/b", False),
        ("file-write-data", f"{HOME}/app/gradviz/x.py", False),
        ("file-write-data", "/dev/null", True),
        ("file-write-create", "/private/tmp/x", False),
        ("network-outbound", "", False),
        ("process-fork", "", False),
        ("process-exec", "/bin/sh", False),
        ("process-exec", "/opt/python/bin/python3", True),
        ("mach-lookup", "com.apple.coreservices.launchservicesd", False),
        ("mach-lookup", "com.apple.logd", True),
        ("signal", "others", False),
        ("signal", "self", True),
    ],
)
def test_what_the_profile_allows(operation: str, path: str, is_allowed: bool) -> None:
    assert allows(operation, path) is is_allowed


def test_a_path_is_the_one_that_the_kernel_sees(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    text = macos.profile([str(tmp_path / "link" / "app")])
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


@pytest.mark.usefixtures("has_it")
def test_a_command_is_put_behind_the_profile() -> None:
    assert macos.sandbox(FOLDERS, ends_with(0)) == ["/bin/sh", "-p", macos.profile(FOLDERS)]


@pytest.mark.usefixtures("has_it")
def test_a_profile_that_is_refused_is_no_sandbox() -> None:
    with pytest.raises(OSError, match="unbound variable"):
        macos.sandbox(FOLDERS, ends_with(65, "sandbox-exec:\nunbound variable: x\n"))
    with pytest.raises(OSError, match="ended with 71"):
        macos.sandbox(FOLDERS, ends_with(71))

    def hangs(command: list[str], **keywords: object) -> subprocess.CompletedProcess[str]:
        raise subprocess.TimeoutExpired("sandbox-exec", 10)

    with pytest.raises(OSError, match="timed out"):
        macos.sandbox(FOLDERS, hangs)


def test_a_mac_without_sandbox_exec_starts_workers_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(macos, "SANDBOX_EXEC", "/nowhere/sandbox-exec")
    monkeypatch.setattr(starting, "_given_up", {})
    starting._sandbox.cache_clear()
    assert starting.in_sandbox(["python"]) == (["python"], "absent: this system has no sandbox-exec")
    starting._sandbox.cache_clear()
