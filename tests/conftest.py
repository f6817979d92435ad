"""Every test runs without a display, with its settings in a temporary folder, and under the guard of guard.py: a
warning, a log record of WARNING or worse, a message from Qt, or a leaked thread, timer, process or window fails it.

A test that provokes such a message says so: it takes the fixture `expects` and names the message by a pattern.
"""

from __future__ import annotations

import gc
import importlib.util
import logging
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import guard

_settings = tempfile.TemporaryDirectory(prefix="gradviz-tests-", ignore_cleanup_errors=True)
guard.quiet_environment(_settings.name)

if importlib.util.find_spec("hypothesis") is not None:  # a Python for the engine alone has neither this nor pytest-qt
    from hypothesis import HealthCheck, settings

    # How long a random input takes to be made or tried says nothing of the program, only of what else the machine does.
    # A run of the tests tries the same inputs as the run before; new ones are looked for by `make fuzz`, and by hand.
    settings.register_profile(
        "any machine",
        deadline=None,
        derandomize=os.environ.get("HYPOTHESIS_PROFILE") != "long",
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("any machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where pytest-qt is not installed (a Python for the engine alone), its options in pyproject.toml mean nothing."""
    if importlib.util.find_spec("pytestqt") is None:
        parser.addoption("--no-qt-log", action="store_true")
        parser.addini("qt_api", "ignored without pytest-qt")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Name what fails as it happens: the reports come at the end, minutes later."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if reporter is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_NameFailures(reporter))


def pytest_collection_finish() -> None:
    """Twenty thousand tests are three million objects: looked through once, not in every collection of garbage."""
    gc.collect()
    gc.freeze()


class _NameFailures:
    def __init__(self, reporter: Any) -> None:
        self._reporter = reporter

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self._reporter.verbosity <= 0:
            self._reporter.ensure_newline()
            self._reporter.write_line(f"FAILED {report.nodeid}", red=True)


@pytest.fixture(scope="session")
def _watch() -> tuple[guard.Origins, guard.Records]:
    records = guard.Records()
    logging.getLogger().addHandler(records)
    return guard.Origins(), records


@pytest.fixture(autouse=True)  # qapp has session scope: where a test uses it, it is there before the guard looks
def _guard(_watch: tuple[guard.Origins, guard.Records]) -> Iterator[guard.Guard]:
    origins, records = _watch
    if guard.application() is not None:
        from PySide6.QtCore import qInstallMessageHandler

        qInstallMessageHandler(records.qt_message)
        origins.watch_qt()
        _collect_garbage_in_this_thread()
    one = guard.Guard(origins, records)
    yield one
    verdict = one.verdict()
    if verdict:
        pytest.fail(verdict, pytrace=False)


def _collect_garbage_in_this_thread() -> None:
    """As in the program: another thread that collects objects of Qt may wait for this one, which waits for it."""
    from gradviz.ui.memory_management import GarbageCollector

    app = guard.application()
    if app.findChild(GarbageCollector) is None:
        GarbageCollector(app)


@pytest.fixture(scope="session", autouse=True)
def _resources_stay() -> Iterator[None]:
    """What is shipped is nobody's to write: tests that save work on copies."""
    before = _resources()
    yield
    assert _resources() == before, "a test has written below resources/"


def _resources() -> dict[Path, int]:
    files = (Path(__file__).parents[1] / "resources").rglob("*")
    return {path: path.stat().st_mtime_ns for path in files if path.is_file()}


@pytest.fixture
def expects(_guard: guard.Guard) -> Callable[[str], None]:
    """expects(pattern): a log record or Qt message matching it must come in this test."""
    return _guard.expects
