"""`gradviz FILE --step N --screenshot OUT.png` without a display, as a user starts it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from PySide6.QtGui import QImage

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "resources" / "examples" / "17_used_twice.py"


def gradviz(*arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_RUNTIME_DIR")
    }
    environment = kept | {"XDG_CONFIG_HOME": str(home), "XDG_DATA_HOME": str(home)}
    command = [sys.executable, "-m", "gradviz", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)


def test_a_picture_of_a_step_and_nothing_on_the_terminal(tmp_path: Path) -> None:
    picture = tmp_path / "out.png"
    done = gradviz(str(EXAMPLE), "--step", "9", "--screenshot", str(picture), "--size", "900x640", home=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    image = QImage(str(picture))
    assert (image.width(), image.height()) == (900, 640)
    colours = {image.pixelColor(x, y).name() for x in range(0, 900, 3) for y in range(0, 640, 3)}
    assert len(colours) > 30, "a window with a graph in it, not an empty one"
    assert not (tmp_path / "GradViz").exists() or not list((tmp_path / "GradViz").glob("*.ini")), "nothing remembered"


def test_a_picture_can_be_dark(tmp_path: Path) -> None:
    light = []
    for theme in ("light", "dark"):
        picture = tmp_path / f"{theme}.png"
        done = gradviz(str(EXAMPLE), "--screenshot", str(picture), "--size", "900x640", "--theme", theme, home=tmp_path)
        assert done.returncode == 0, done.stderr
        light.append(QImage(str(picture)).pixelColor(450, 4).lightness())
    assert light[0] > 200 > 60 > light[1]


def test_the_error_of_the_snippet_is_said_and_the_picture_drawn(tmp_path: Path) -> None:
    snippet, picture = tmp_path / "twice.py", tmp_path / "out.png"
    snippet.write_text(
        "import torch\nx = torch.ones(2, requires_grad=True)\ny = (x * x).sum()\ny.backward()\ny.backward()\n"
    )
    done = gradviz(str(snippet), "--step", "end", "--screenshot", str(picture), home=tmp_path)
    assert done.returncode == 0
    assert done.stderr.startswith("gradviz: RuntimeError: Trying to backward through the graph a second time")
    assert picture.exists()


def test_a_picture_of_a_recording(tmp_path: Path) -> None:
    recording, picture = tmp_path / "out.gvtrace", tmp_path / "out.png"
    assert gradviz("run", str(EXAMPLE), "--record", str(recording), home=tmp_path).returncode == 0
    done = gradviz(str(recording), "--step", "9", "--screenshot", str(picture), home=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    image = QImage(str(picture))
    assert len({image.pixelColor(x, y).name() for x in range(0, 1280, 4) for y in range(0, 800, 4)}) > 30
    missing = gradviz(str(tmp_path / "no.gvtrace"), "--screenshot", str(picture), home=tmp_path)
    assert missing.returncode == 1 and "does not exist" in missing.stderr


def test_what_cannot_be_drawn_is_a_sentence(tmp_path: Path) -> None:
    missing = gradviz(str(tmp_path / "no.py"), "--screenshot", str(tmp_path / "out.png"), home=tmp_path)
    assert missing.returncode == 1
    assert "no.py does not exist" in missing.stderr
    odd = gradviz(str(EXAMPLE), "--screenshot", str(tmp_path / "out.nothing"), home=tmp_path)
    assert odd.returncode == 1
    assert "must end in .png" in odd.stderr


def test_the_window_runs_a_script_with_arguments(tmp_path: Path) -> None:
    snippet, picture = tmp_path / "train.py", tmp_path / "out.png"
    snippet.write_text("import sys\nraise ValueError(sys.argv[1:])\n")
    given = ("--", "--epochs", "2", "a b")
    done = gradviz(str(snippet), "--screenshot", str(picture), *given, home=tmp_path)
    assert done.stderr.strip() == "gradviz: ValueError: ['--epochs', '2', 'a b']"
    assert picture.exists()
    done = gradviz("--screenshot", str(picture), *given, home=tmp_path)
    assert done.returncode == 2 and "what follows -- are the arguments of a FILE" in done.stderr
