"""Help > About says what contains snippets on this system, in the words of the worker that runs."""

from __future__ import annotations

from gradviz import __version__
from gradviz.about import UPDATES
from gradviz.ui.dialogs.dialogs import about_html, updates_html
from gradviz.worker.locks.layers import UNKNOWN


def test_about_names_the_layers_that_hold_and_those_that_do_not() -> None:
    html = about_html(
        {"language": "on", "landlock": "absent: the kernel has <no> Landlock", "seccomp": "on (40 calls)"}
    )
    assert "snippets are contained by language rules and seccomp (40 calls)" in html
    assert "Missing here: Landlock (the kernel has &lt;no&gt; Landlock)" in html


def test_about_guesses_nothing_before_a_worker_was_ready() -> None:
    assert UNKNOWN in about_html({})


def test_how_a_newer_version_is_got_is_said_and_not_looked_for() -> None:
    html = updates_html()
    assert __version__ in html and "never looks for updates by itself" in html
    assert "href" not in html
    assert all(command in html for _, command in UPDATES)
