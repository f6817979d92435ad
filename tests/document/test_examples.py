"""An example's file is its title, its texts and its code."""

from __future__ import annotations

from pathlib import Path

from gradviz.document.files.examples import examples, read


def test_the_parts_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "01_a_name.py"
    path.write_text('"""The title.\n\nWhat it\nshows.\n\nMore.\n\nLook at: the edge.\n"""\n\nimport torch\nx = 1\n')
    found = read(path)
    assert (found.title, found.paragraph, found.look_at) == ("The title", "What it shows. More.", "the edge.")
    assert found.code == "import torch\nx = 1\n"


def test_a_file_without_a_docstring_is_called_as_it_is_named(tmp_path: Path) -> None:
    path = tmp_path / "my_example.py"
    path.write_text("x = 1\n")
    found = read(path)
    assert (found.title, found.paragraph, found.code) == ("my example", "", "x = 1\n")


def test_every_example_that_ships_has_all_parts() -> None:
    for example in examples():
        assert example.title and example.paragraph and example.look_at, example.path
        assert example.code.startswith(("import", "from")), example.path
