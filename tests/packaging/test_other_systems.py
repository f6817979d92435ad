"""What is packaged on Windows and macOS, as far as it can be looked at elsewhere: the installer's script compiles, the
property lists are read, and the workflow calls what is there."""

from __future__ import annotations

import ast
import plistlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import build_packages
import icons
import pytest

ROOT = Path(__file__).parents[2]
SPEC = ast.parse((ROOT / "packaging/gradviz.spec").read_text("utf-8"))
SCRIPT = (ROOT / "packaging/windows/gradviz.nsi").read_text("utf-8")
WORKFLOW = (ROOT / ".github/workflows/packages.yml").read_text("utf-8")


def bundled(name: str) -> dict[str, object]:
    """A dictionary that the spec makes for macOS."""
    found = [
        node.value for node in ast.walk(SPEC) if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name
    ]
    return dict(ast.literal_eval(found[0]))


def test_the_bundle_owns_its_type_and_only_offers_to_open_python() -> None:
    kind, document, python = bundled("KIND"), bundled("DOCUMENT"), bundled("PYTHON")
    assert document["LSItemContentTypes"] == [kind["UTTypeIdentifier"]]
    assert kind["UTTypeTagSpecification"]["public.filename-extension"] == ["gradviz", "gvtrace", "gvlessons"]
    assert (document["LSHandlerRank"], python["LSHandlerRank"]) == ("Owner", "Alternate")


def test_the_entitlements_are_a_property_list_with_two_rights() -> None:
    found = plistlib.loads((ROOT / "packaging/macos/entitlements.plist").read_bytes())
    assert set(found.values()) == {True}
    assert {name.rpartition(".")[2] for name in found} == {
        "allow-unsigned-executable-memory",
        "disable-library-validation",
    }


def test_what_the_installer_writes_the_uninstaller_removes() -> None:
    install, uninstall = SCRIPT.split('Section "Uninstall"')
    keys = set(re.findall(r'WriteReg\w+ HKCU "\$\{CLASSES\}\\([\w.]+)', install))
    assert keys == {"GradViz.Document", "GradViz.Python", ".gradviz", ".gvlessons", ".gvtrace", ".py"}
    assert all(f"${{CLASSES}}\\{key}" in uninstall for key in keys)
    assert "RequestExecutionLevel user" in SCRIPT
    assert "HKLM" not in SCRIPT
    assert 'RMDir /r "$INSTDIR"' not in SCRIPT  # it may be a folder in which the user has other things


@pytest.mark.skipif(shutil.which("makensis") is None, reason="NSIS is not installed")
def test_the_installer_compiles(tmp_path: Path) -> None:
    (tmp_path / "frozen/_internal").mkdir(parents=True)
    for name in ("gradviz.exe", "gradviz-worker.exe", "_internal/base_library.zip"):
        (tmp_path / "frozen" / name).write_bytes(b"program")
    (tmp_path / "gradviz.ico").write_bytes(icons.ico({16: bytes(100)}))
    out = tmp_path / "gradviz-0.1.0-setup.exe"
    values = {"VERSION": "0.1.0", "FOLDER": tmp_path / "frozen", "ICON": tmp_path / "gradviz.ico", "OUT": out}
    options = [f"-D{name}={value}" for name, value in values.items() if name != "ICON"]
    default = "${NSISDIR}/Contrib/Graphics/Icons/modern-install.ico"
    script = str(ROOT / "packaging/windows/gradviz.nsi")
    subprocess.run(["makensis", "-V1", "-WX", *options, f"-DICON={default}", script], check=True)
    assert out.read_bytes()[:2] == b"MZ"


def test_the_workflow_calls_what_is_there() -> None:
    paths = set(re.findall(r"(?:packaging|tests)[/\\][\w./\\]+\.\w+", WORKFLOW))
    assert len(paths) > 8
    assert not [path for path in paths if not (ROOT / path.replace("\\", "/")).exists()]
    targets = set(re.findall(r"run: make ([\w-]+)", WORKFLOW))
    made = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert targets == {"test", "packages"}
    assert targets <= made
    steps = re.findall(r"build_packages\.py ([a-z ]+)", WORKFLOW)
    assert steps and all(set(each.split()) <= set(build_packages.STEPS) for each in steps)


def test_secrets_are_only_handed_on() -> None:
    """No step prints one, and none is needed for a build."""
    named = set(re.findall(r"secrets\.(\w+)", WORKFLOW))
    assert named == {
        "MACOS_CERTIFICATE", "MACOS_CERTIFICATE_PASSWORD", "MACOS_IDENTITY", "APPLE_ID", "APPLE_TEAM", "APPLE_PASSWORD",
    }  # fmt: skip
    assert not re.search(r"run:.*\$\{\{ *secrets", WORKFLOW)


def test_steps_side_by_side_all_succeed_or_end_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_packages, "SOURCE", tmp_path)
    python = sys.executable
    build_packages.together((python, "-c", "open('a', 'w')"), (python, "-c", "open('b', 'w')"))
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b"}
    with pytest.raises(subprocess.CalledProcessError, match="exit status 3"):
        build_packages.together((python, "-c", "import time; time.sleep(600)"), (python, "-c", "raise SystemExit(3)"))
