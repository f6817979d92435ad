"""The guards of a worker on Windows and macOS, what it forgets, and its trial of all of them. None of those systems is
needed: the calls go to a fake, the profiles are read."""

from __future__ import annotations

from tests.mutants.rows import W, worker

NO_END_OF_TEXT = W + "test_macos.py::test_a_path_can_t_end_its_string"
TRIAL, PLACES = W + "test_trial.py", W + "test_places.py::test_nothing_in_a_warm_worker_holds_the_name_of_a_folder"
WINDOWS, STARTED, PROFILE = W + "test_windows.py", W + "test_windows_process.py", W + "test_macos.py"
ORDER = f"{STARTED}::test_a_worker_is_in_its_job_and_has_its_tokens_before_its_first_instruction"
INHERITS = f"{STARTED}::test_a_worker_inherits_its_pipe_and_nothing_else"
TOKENS = f"{STARTED}::test_the_process_may_nothing_and_its_first_thread_what_the_user_may"
IN_BOTH = f"{PROFILE}::test_what_both_profiles_allow"

SYSTEMS = (
    worker("locks/places", "files of modules", "thing.pop(key, None)", "pass", PLACES),
    worker("locks/places", "folders of packages", '        names["__path__"] = []', "        pass", PLACES),
    worker("locks/places", "the origin of modules", 'if names.get("__spec__") is not None:', "if False:", PLACES),
    worker("locks/places", "the names of code", 'if not code.co_filename.startswith("<"):', "if False:", PLACES),
    worker(
        "locks/places", "what a module knows of its folder", '            names[key] = ""', "            pass", PLACES
    ),
    worker(
        "locks/places",
        "the path of modules",
        "(sys.path, sys.argv, sys.orig_argv)",
        "(sys.argv, sys.orig_argv)",
        PLACES,
    ),
    worker("locks/places", "the command line", "(sys.path, sys.argv, sys.orig_argv)", "(sys.path,)", PLACES),
    worker("locks/places", "who reads files of modules", "    sys.path_importer_cache.clear()\n", "", PLACES),
    worker("locks/trial", "files", '"open a file": _open, ', "", TRIAL),
    worker("locks/trial", "sockets", '"open a socket": _connect, ', "", TRIAL),
    worker("locks/trial", "processes", ', "start a process": _start', "", TRIAL),
    worker("locks/trial", "which files are there", "if _works(_ask)", "if False", TRIAL),
    worker(
        "locks/layers",
        "a trial that found something open",
        "if known.holds or not layers",
        "if True",
        W + "test_layers.py",
    ),
    worker(
        "locks/layers",
        "a lock that was left out",
        "return {**outside, **inside, **left_out}",
        "return {**inside, **outside}",
        W + "test_layers.py",
    ),
    worker("locks/layers", "the caution", 'return CAUTIONS.get(system, "")', 'return ""', W + "test_layers.py"),
    worker("process/windows_process", "a start that waits", "_FLAGS = _SUSPENDED | ", "_FLAGS = ", INHERITS),
    worker("process/windows_process", "the Job before the first instruction", "job.take(process)", "pass", ORDER),
    worker(
        "process/windows_process", "what is inherited", "                _HANDLE_LIST,", "                0,", INHERITS
    ),
    worker(
        "process/windows_process",
        "the token of the process",
        "if tokens is None:\n            windows.call",
        "if True:\n            windows.call",
        ORDER,
    ),
    worker(
        "process/windows_process",
        "one that was not to run",
        '            windows.ask("TerminateProcess", process, _KILLED)\n',
        "",
        f"{STARTED}::test_without_one_lock_the_worker_starts_in_the_other",
    ),
    worker(
        "process/windows_process", "the SID that must be granted", "[ctypes.addressof(sids.null)]", "sids.all", TOKENS
    ),
    worker(
        "process/windows_process",
        "groups that count for denials",
        "own, sids.all, sids.priv",
        "own, [], sids.priv",
        TOKENS,
    ),
    worker("process/windows_process", "privileges", "sids.all, sids.privileges, [", "sids.all, None, [", TOKENS),
    worker("locks/windows", "a token for the start only", '    windows.call("RevertToSelf")\n', "", WINDOWS),
    worker("locks/windows", "one process in a Job", "        | _ACTIVE_PROCESS\n", "", WINDOWS),
    worker("locks/windows", "memory of a Job", "        | _PROCESS_MEMORY\n        | _JOB_MEMORY\n", "", WINDOWS),
    worker("locks/windows", "a Job that ends with the program", "        | _KILL_ON_JOB_CLOSE\n", "", WINDOWS),
    worker("locks/windows", "low integrity", "0, 0, 0, 0, 0, 16, 4096)", "0, 0, 0, 0, 0, 16, 8192)", WINDOWS),
    worker("locks/windows", "dynamic code", '    "dynamic code": (2, 1),\n', "", WINDOWS),
    worker("locks/macos", "what is not allowed", "(deny default)", "(allow default)", PROFILE),
    worker("locks/macos", "the network", "(deny network*)\n", "", IN_BOTH),
    worker("locks/macos", "services", "(deny mach-lookup)\n", "", IN_BOTH),
    worker("locks/macos", "new processes", "(deny process-fork)\n", "", IN_BOTH),
    worker("locks/macos", "other programs", "(deny process-exec*)\n", "", IN_BOTH),
    worker("locks/macos", "writing", "(deny file-write*)\n", "", IN_BOTH),
    worker("locks/macos", "the folders of users", "(deny file-read* {private})\n", "", IN_BOTH),
    worker("locks/macos", "paths in a profile", ".replace('\"', '\\\\\"')", "", NO_END_OF_TEXT),
)
