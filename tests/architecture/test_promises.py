"""`docs/safety.md` promises only what is tested: each of its paragraphs and points has a row here with the tests that
hold it, in the order of the page. Who writes another one names a test, or writes it. The tables of the page are held by
`tests/worker/test_layers.py`."""

from __future__ import annotations

import ast
import re
from functools import cache
from itertools import zip_longest
from pathlib import Path

import pytest

from gradviz.document import snippet
from gradviz.trace.figures import MOST_FIGURES, MOST_LAYERS, MOST_NUMBERS
from gradviz.worker.modules import scratch
from gradviz.worker.modules.vision.datasets import FEW
from gradviz.worker.process.limits import MOST_WRITTEN, WRITTEN_BYTES, Limits

ROOT = Path(__file__).parents[2]
W = "worker/test_"
CONTAINED = "escapes/test_all_layers.py::test_the_worker_as_it_is_shipped_contains_it"
LANGUAGE = "escapes/test_all_layers.py::test_the_language_alone_lets_nothing_past"
KERNEL = "escapes/test_all_layers.py::test_the_kernel_alone_lets_nothing_out"
PLAIN = W + "oslock.py::test_the_kernel_alone_contains_plain_python"
OFFERED = W + "learners.py::test_the_page_lists_what_can_be_imported"
REFUSED = W + "escapes.py::test_a_refusal_names_the_line_and_the_way_round"
SCRATCH = W + "scratch.py::test_"
SMALL = W + "small_modules.py::test_it_answers_as_the_real_one"

# How a paragraph begins, and what holds it.
PROMISES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("A snippet is a program", (W + "limits.py::test_a_limit_ends_the_run", CONTAINED)),
    ("How sure that is", (LANGUAGE, KERNEL, W + "layers.py::test_where_the_locks_were_never_seen_at_work_it_is_said")),
    (
        "* read, write or list files",
        (CONTAINED, LANGUAGE, KERNEL, W + "limits.py::test_nothing_is_left_of_a_scratch_folder"),
    ),
    ("* use the network", (CONTAINED, LANGUAGE, KERNEL, PLAIN)),
    ("* start a program", (CONTAINED, LANGUAGE, KERNEL, PLAIN)),
    (
        "* see the environment",
        (
            W + "starting.py::test_a_worker_has_nothing_of_the_user",
            W + "places.py::test_nothing_in_a_warm_worker_holds_the_name_of_a_folder",
            SCRATCH + "nothing_of_the_computer_is_told",
        ),
    ),
    (
        "* load libraries",
        (W + "audit.py::test_it_is_refused", PLAIN, W + "seccomp.py::test_the_filter_allows_exactly_its_table"),
    ),
    ("* call C functions", (W + "audit.py::test_it_is_refused", LANGUAGE)),
    (
        "* reach the inside of Python or NumPy",
        (
            W + "reach.py::test_nothing_that_can_be_reached_is_an_innard",
            W + "numpy_boundary.py::test_what_has_no_stand_in_does_not_leave",
            W + "guard.py::test_no_function_of_a_snippet_gets_what_is_not_for_it",
            W + "guard.py::test_what_an_offered_class_keeps_is_not_replaced",
        ),
    ),
    (
        "* learn where things lie in memory",
        (W + "identity.py::test_what_is_printed_is_the_same_every_time", LANGUAGE),
    ),
    (
        "* change the program",
        (
            W + "run_isolation.py::test_nothing_is_left_for_the_next_run",
            W + "limits.py::test_each_run_of_a_pool_has_a_worker_of_its_own",
            W + "forkserver.py::test_what_a_snippet_leaves_is_not_in_the_next_worker",
        ),
    ),
    (
        "* give orders to a terminal",
        (W + "terminal.py::test_nothing_of_a_run_is_obeyed", W + "terminal.py::test_no_sentence_is_obeyed"),
    ),
    (
        "* confuse the program",
        (
            W + "protocol.py::test_a_hostile_worker_is_ended_with_a_sentence",
            W + "protocol.py::test_any_bytes_are_a_frame_an_end_or_an_error",
            "fuzz/test_fuzz_targets.py::test_any_messages",
            "trace/test_figures.py::test_a_hostile_one_is_refused",
        ),
    ),
    ("What it may use instead", (REFUSED, PLAIN)),
    (
        "*Run > Run in My PyTorch",
        (
            "ui/test_run_in_pytorch.py",
            W + "pytorch.py::test_a_python_in_a_folder_is_not_started_to_look_at_it",
            "fuzz/test_fuzz_targets.py::test_any_recording",
            "test_classroom.py::test_what_is_switched_off_is_in_no_menu_and_answers_no_key",
        ),
    ),
    (
        "The Python of tutorials",
        (W + "learners.py::test_what_is_pasted_runs", W + "tutorials.py::test_tutorial_runs_as_in_plain_python"),
    ),
    (
        "Classes may derive from `torch.Tensor`",
        (
            W + "torch_function.py::test_no_method_of_a_class_is_called_inside_of_a_function",
            W + "torch_function.py::test_facts_about_a_tensor_are_of_their_own_type",
            W + "torch_function.py::test_what_is_asked_with_is_the_snippets_or_pytorchs",
        ),
    ),
    ("Imports, each a stand-in", (OFFERED, W + "reach.py::test_stand_ins_hold_no_state_of_their_own")),
    ("* PyTorch and arrays", (OFFERED, W + "numpy_boundary.py", LANGUAGE)),
    ("* pictures", (OFFERED, W + "vision.py")),
    ("* numbers and time", (OFFERED,)),
    ("* containers and functions", (OFFERED,)),
    ("* classes and types", (OFFERED,)),
    ("* text", (OFFERED,)),
    ("* files of [the folder of a run]", (OFFERED, W + "scratch.py", W + "archives.py")),
    ("* games", (OFFERED, W + "games.py::test_a_seeded_episode_is_gymnasiums")),
    ("* language", (OFFERED,)),
    ("* data", (OFFERED, W + "small_modules.py::test_sklearn_has_its_numbers")),
    ("* questions and looks", (OFFERED, SMALL)),
    ("* helpers", (OFFERED, SMALL, W + "small_modules.py::test_a_download_gives_what_is_attached_under_its_name")),
    ("* what scripts have around them", (OFFERED, W + "cli.py::test_a_script_is_called_with_what_follows_two_dashes")),
    (
        "Other imports are skipped",
        (
            W + "absent.py::test_it_is_refused_where_it_is_used",
            W + "absent.py::test_an_import_that_nothing_uses_is_skipped_with_a_note",
            W + "absent.py::test_what_stands_for_it_leads_nowhere",
        ),
    ),
    (
        "A text that a snippet runs",
        (W + "guard.py::test_no_text_runs_with_builtins_of_python", W + "escapes.py::test_escape_is_contained"),
    ),
    ("`dataclasses`, `enum` and `abc`", (W + "python_classes.py::test_it_is_that_of_python", LANGUAGE)),
    ("Refused before anything runs", (REFUSED, OFFERED)),
    (
        "`open`, `os`, `pathlib`",
        (
            SCRATCH + "a_file_of_the_computer_is_none",
            SCRATCH + "numpy_opens_nothing",
            SCRATCH + "no_run_finds_what_another_left",
            SCRATCH + "a_full_folder_says_so_and_has_room_again",
        ),
    ),
    (
        "When a run ends, what it wrote there",
        (
            SCRATCH + "what_a_run_wrote_comes_out_at_its_end",
            SCRATCH + "of_too_much_the_names_come_out",
            W + "attached.py::test_a_name_from_a_snippet_leads_nowhere_but_down",
            "ui/test_run_files.py::test_all_are_saved_below_a_folder_and_nothing_is_overwritten",
            "ui/test_run_files.py::test_a_link_does_not_lead_out_of_the_folder",
        ),
    ),
    (
        "Files that somebody attached",
        (
            W + "attached.py::test_a_run_finds_what_is_attached",
            W + "attached.py::test_the_next_run_finds_none_of_it",
            W + "attached.py::test_a_document_has_no_more_than_it_can_be_saved_with",
            W + "attached.py::test_a_folder_is_read_as_far_as_a_snippet_can_use_it",
            W + "attached.py::test_what_a_module_may_not_do_is_said",
            W + "attached.py::test_a_module_of_ones_own_takes_no_place_of_pytorchs",
        ),
    ),
    ("Archives are read", (W + "archives.py::test_no_archive_leads_out_or_fills_the_memory",)),
    (
        "`pickle.load` makes only plain data",
        (
            LANGUAGE,
            SCRATCH + "a_pickle_of_more_than_plain_data_says_what_it_holds",
            SCRATCH + "an_object_goes_with_the_last_file_that_stands_for_it",
            SCRATCH + "numpy_opens_nothing",
        ),
    ),
    ("Several layers lie", (LANGUAGE, KERNEL, W + "layers.py::test_the_table_in_the_docs_is_current")),
    (
        "*Help > About*",
        (
            "ui/test_about.py::test_about_names_the_layers_that_hold_and_those_that_do_not",
            "ui/test_trust.py::test_what_it_may_do_is_told_from_the_bar_and_from_the_help_menu",
            W + "layers.py::test_a_running_worker_says_only_what_the_table_knows",
        ),
    ),
    (
        "**Linux** has the strongest",
        (
            W + "forkserver.py::test_a_worker_holds_its_pipe_and_the_null_device_only",
            W + "seccomp.py::test_the_filter_allows_exactly_its_table",
            W + "seccomp.py::test_no_call_takes_a_path",
            W + "seccomp.py::test_an_argument_that_no_worker_gives_is_refused",
            W + "oslock.py::test_what_holds_where_the_kernel_lacks_a_lock",
            W + "oslock.py::test_root_is_told_that_the_kernel_does_not_count_its_processes",
        ),
    ),
    (
        "**macOS** starts the worker",
        (
            W + "macos.py::test_what_both_profiles_allow",
            W + "macos.py::test_what_only_the_strict_profile_denies",
            W + "macos.py::test_where_nothing_starts_in_the_strict_profile_the_laxer_one_is_taken_and_then_none",
        ),
    ),
    (
        "**Windows** starts the worker",
        (
            W + "windows_process.py::test_a_worker_is_in_its_job_and_has_its_tokens_before_its_first_instruction",
            W + "windows_process.py::test_a_worker_inherits_its_pipe_and_nothing_else",
            W + "windows.py::test_a_warm_worker_drops_the_token_of_its_start",
            W + "windows.py::test_structures_have_the_published_sizes_and_offsets",
            "ui/test_trust.py::test_where_the_locks_were_never_seen_at_work_the_bar_and_the_page_say_so",
        ),
    ),
    (
        "On every system each worker tries",
        (
            W + "trial.py::test_a_running_worker_has_tried_its_locks",
            W + "trial.py::test_a_lock_that_is_missing_is_found_out",
        ),
    ),
    (
        "Recording gets by with less",
        (
            W + "pacing.py::test_a_run_with_too_many_steps_ends_as_pytorch_ends_it",
            W + "pacing.py::test_recording_takes_a_share_of_the_time",
            W + "pacing.py::test_too_many_bytes_end_it_without_an_iteration",
            W + "pacing.py::test_a_pass_over_a_drawn_set_ends_when_time_is_nearly_over",
        ),
    ),
    (
        "Opening a file never runs it",
        (
            "ui/test_trust.py::test_by_whatever_way_it_comes_nothing_runs",
            "ui/test_trust.py::test_where_it_was_downloaded_from_is_said",
            "ui/test_trust.py::test_editing_does_not_trust",
        ),
    ),
    (
        "Your own files are those",
        (
            "document/test_trust.py::test_the_list_is_private_and_holds_neither_content_nor_its_digest",
            "document/test_trust.py::test_who_deletes_the_list_has_no_own_files",
            "ui/test_trust.py::test_what_is_saved_without_a_run_stays_strange",
            "ui/test_trust.py::test_what_another_program_wrote_waits_for_run",
            "ui/test_trust.py::test_one_file_of_ones_own_and_the_examples_run_when_they_are_named",
            "ui/test_trust.py::test_to_name_a_step_is_to_run",
            "ui/test_trust.py::test_a_file_cannot_say_that_it_is_trusted",
        ),
    ),
    (
        "Nothing switches these rules off",
        (
            "architecture/test_no_switch.py::test_the_options_of_the_command_line",
            "architecture/test_no_switch.py::test_the_settings_are_about_looks",
            "architecture/test_no_switch.py::test_a_worker_is_told_nothing_by_the_environment",
        ),
    ),
    (
        "* `import gradviz.torch as torch`",
        ("architecture/test_no_switch.py::test_the_engine_is_there_for_ones_own_python",),
    ),
    ("* with [PyTorch]", ("snippets/test_snippets.py",)),
)


def paragraphs() -> list[str]:
    """The paragraphs and points of the page, each as one line."""
    page = (ROOT / "docs" / "safety.md").read_text(encoding="utf-8")
    parts = [" ".join(part.split()) for part in re.split(r"\n\n|\n(?=\* )", page)]
    return [part for part in parts if not part.startswith(("#", "|"))]


@cache
def functions(place: str) -> set[str]:
    tree = ast.parse((ROOT / "tests" / place).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_paragraph_has_a_row() -> None:
    begins = [begin for begin, _ in PROMISES]
    wrong = [
        (begin, text[:60])
        for begin, text in zip_longest(begins, paragraphs(), fillvalue="")
        if not begin or not text.startswith(begin)
    ]
    assert wrong == []


@pytest.mark.parametrize("test", sorted({test for _, tests in PROMISES for test in tests}))
def test_what_holds_it_is_there(test: str) -> None:
    place, _, name = test.partition("::")
    assert name in functions(place) if name else any(each.startswith("test_") for each in functions(place))


def test_each_promise_is_held_by_something() -> None:
    assert all(tests for _, tests in PROMISES)


_LIMITS = Limits()
NUMBERS = (  # as the page writes them, from where the program has them
    f"| time of the processor | {_LIMITS.cpu_seconds:g} s,",
    f"| time on the clock | {_LIMITS.wall_seconds:g} s, or {_LIMITS.idle_seconds:g} s in which nothing is computed",
    f"| memory | {_LIMITS.memory_mb:,} MB |",
    f"| recorded steps | {_LIMITS.steps:,} |",
    f"| recorded numbers | {_LIMITS.recorded_bytes // 1_000_000} MB; of arrays beyond {_LIMITS.values_mb} MB only",
    f"| printed text | {_LIMITS.output_chars:,} characters |",
    f"| plots | {MOST_FIGURES}, each of {MOST_LAYERS:,} parts and {MOST_NUMBERS:,} numbers |",
    f"has room for at most {scratch.MOST_BYTES >> 20} MB under {scratch.MOST_NAMES:,} names",
    f"at most {MOST_WRITTEN} files and {WRITTEN_BYTES // 1_000_000} MB",
    f"at most {snippet.MOST_FILES} files with {snippet.MOST_ATTACHED // 1_000_000} MB together",
    f"have {FEW} pictures",
)


@pytest.mark.parametrize("written", NUMBERS)
def test_the_numbers_of_the_page_are_those_of_the_program(written: str) -> None:
    assert written in " ".join((ROOT / "docs" / "safety.md").read_text(encoding="utf-8").split())
