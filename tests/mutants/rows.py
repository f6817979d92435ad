"""What a row of the list of guards is, and short names for the tests in it. The rows are in `rules` and `locks`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Guard:
    """One guard: what it stops, in which file, the text that is replaced by another one, and ids of tests."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


def worker(file: str, name: str, old: str, new: str, *tests: str) -> Guard:
    """A guard in a module of `gradviz/worker`."""
    return Guard(name, f"gradviz/worker/{file}.py", old, new, tests)


def part(file: str, name: str, old: str, new: str, *tests: str) -> Guard:
    """A guard elsewhere in `gradviz`."""
    return Guard(name, f"gradviz/{file}.py", old, new, tests)


def escape(name: str) -> str:
    """A test with a snippet of `tests/worker/escapes.py`."""
    return f"tests/worker/test_escapes.py::test_escape_is_contained[{name}]"


def found(kind: str) -> str:
    """The test with the snippets of a kind in `tests/escapes`: of the language alone, for no layer to hide the loss."""
    return f"tests/escapes/test_all_layers.py::test_the_language_alone_lets_nothing_past[{kind}]"


W = "tests/worker/"
AUDIT = W + "test_audit.py::test_it_is_refused"
KERNEL = W + "test_oslock.py::test_the_kernel_alone_contains_plain_python"
WITHOUT_A_LOCK = W + "test_oslock.py::test_what_holds_where_the_kernel_lacks_a_lock"
BARRED = W + "test_seccomp.py::test_an_argument_that_no_worker_gives_is_refused"
READ, WRITTEN = W + "test_guard.py::test_what_is_not_read", W + "test_guard.py::test_what_is_not_written"
LIMIT = W + "test_limits.py::test_a_limit_ends_the_run"
HOSTILE = W + "test_protocol.py::test_a_hostile_worker_is_ended_with_a_sentence"
NO_FRAME = W + "test_protocol.py::test_what_is_no_frame_is_named"
BOUNDARY = W + "test_numpy_boundary.py::"
LAYERS = W + "test_layers.py::test_every_lock_that_this_kernel_has_holds_in_a_running_worker"
SAVING = "tests/document/test_saving.py::"
ODD_FILES = "tests/document/test_odd_files.py::"
TRUST = "tests/document/test_trust.py::"
TERMINAL = W + "test_terminal.py::"
FIGURES = "tests/trace/test_figures.py::test_a_hostile_one_is_refused"
ENCODING = "tests/trace/test_encoding.py::"
UNPACKED = "tests/trace/test_recording.py::test_a_small_file_unpacks_to_no_more_than_fits_into_memory"
PLOT_LIMITS = "tests/ui/test_plot_limits.py::"
BOUNDS = "tests/memory/test_bounds.py::"
OVERFLOW = "tests/memory/test_overflow.py::"
