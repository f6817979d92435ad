"""The bridge: events of a former run are not taken for those of the present one, and unreadable data ends a run
politely."""

from __future__ import annotations

import time

from pytestqt.qtbot import QtBot

from gradviz.document.documents import text_of
from gradviz.document.snippet import Snippet
from gradviz.session.state import Phase, Selection
from gradviz.ui.status import summary
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.events import Batch, Detail, Done, Event, Mailbox
from gradviz.worker.process.limits import Limits
from tests.driver import Pilot

FINE = "import torch\nx = torch.tensor(3., requires_grad=True)\n(x * x).backward()\n"


def test_a_second_run_takes_the_place_of_the_first(qtbot: QtBot, pilot: Pilot) -> None:
    runner = pilot.window.shell.runner
    pilot.type_snippet("import torch\nx = torch.tensor(1.)\nwhile True:\n    pass\n")
    runner.run()
    pilot.type_snippet(FINE)
    with qtbot.waitSignal(runner.ended, timeout=60_000) as ended:
        runner.run()
    assert ended.args == ["ok"]
    assert text_of(pilot.state.run.snippet) == FINE
    assert not pilot.state.is_stale


def test_events_of_a_former_run_are_dropped(pilot: Pilot) -> None:
    live = pilot.window.shell.runner.live
    pilot.type_snippet(FINE)
    pilot.run()
    former = live._mailbox
    pilot.run()
    former.put(Done("died", Detail("late")))
    live._take()
    assert pilot.state.run.phase is Phase.OK


def test_what_cannot_be_read_ends_the_run_with_a_sentence(qtbot: QtBot, pilot: Pilot) -> None:
    runner = pilot.window.shell.runner
    pilot.type_snippet("import torch\nx = torch.tensor(1.)\nwhile True:\n    pass\n")
    runner.run()
    with qtbot.waitSignal(runner.ended, timeout=60_000) as ended:
        assert runner.live._intake is not None
        runner.live._intake.put(Batch({"format": 99}, b"nonsense"))
    assert ended.args == ["died"]
    assert "could not be decoded" in pilot.state.run.sentence
    assert pilot.run_again(FINE) is Phase.OK


def test_decoding_gives_the_window_its_turns(pilot: Pilot) -> None:
    """However many events wait, one turn of the event loop takes a bounded slice of them."""
    live = pilot.window.shell.runner.live
    live._mailbox = Mailbox()

    def slow(event: Event) -> None:
        time.sleep(0.002)

    live._handle = slow  # type: ignore[method-assign]
    for _ in range(100):
        live._mailbox.put(Done("ok"))
    live._take()
    assert len(live._mailbox) > 50
    assert live._again.isActive()
    live._mailbox.close()


SLOW = """import torch
x = torch.tensor(1., requires_grad=True)
y = x
while True:
    y = torch.sin(y)
"""


def test_a_long_run_is_shown_while_it_goes_on_and_stays_when_it_is_stopped(qtbot: QtBot, pilot: Pilot) -> None:
    runner, store = pilot.window.shell.runner, pilot.window.store
    pilot.type_snippet(SLOW)
    runner.run()
    qtbot.waitUntil(lambda: pilot.state.trace is not None and pilot.window.canvas.is_settled, timeout=60_000)
    assert pilot.state.run.is_running
    assert pilot.state.cursor == pilot.state.steps > 0
    first = pilot.state.steps
    qtbot.waitUntil(lambda: pilot.state.steps > first, timeout=60_000)
    store.move(3)
    with qtbot.waitSignal(runner.ended, timeout=60_000) as ended:
        runner.stop()
    assert ended.args == ["stopped"]
    assert (pilot.state.cursor, pilot.state.steps > first) == (3, True)


def test_a_run_that_is_stopped_before_its_first_step_leaves_what_was_there(qtbot: QtBot, pilot: Pilot) -> None:
    pilot.type_snippet(FINE)
    pilot.run()
    steps = pilot.state.steps
    pilot.type_snippet("while True:\n    pass\n")
    pilot.window.shell.runner.run()
    with qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=60_000):
        pilot.window.shell.runner.stop()
    assert (pilot.state.run.phase, pilot.state.steps) == (Phase.STOPPED, steps)
    assert pilot.state.is_stale


MUCH = """import torch
x = torch.ones(200, 200, requires_grad=True)
y = x
for i in range(10):
    y = y * 2
y.sum().backward()
"""


def test_values_beyond_the_budget_are_summaries_and_that_is_said(pilot: Pilot) -> None:
    window, runner = pilot.window, pilot.window.shell.runner
    runner.close()
    runner._make_pool = lambda: WorkerPool(Limits(values_mb=1))
    assert pilot.run_again(MUCH) is Phase.OK
    trace = pilot.state.trace
    assert trace is not None and trace.beyond_budget > 0
    assert f"{trace.beyond_budget} more are summarized" in pilot.state.run.sentence
    assert window.status.currentMessage() == pilot.state.run.sentence
    assert f"{trace.beyond_budget} values as summaries" in window.status.label.text()
    store = window.store
    store.select(Selection("tensor", int(trace.outputs_of(len(trace.nodes) - 2)[0])))
    inspection = window.panel_area.panels["inspector"].inspection  # type: ignore[attr-defined]
    rows = [row.text for section in inspection.sections for row in section.rows if row.label == "value"]
    assert rows and rows[0].endswith("only a summary was kept")


def test_an_empty_document_never_reaches_a_worker(pilot: Pilot) -> None:
    pilot.window.store.open(Snippet("  \n"), None)
    assert pilot.run() is Phase.REFUSED
    assert not pilot.window.shell.runner.live.is_running


ENDLESS = "import time, torch\nx = torch.tensor(1.)\nwhile True:\n    time.sleep(0.01)\n"


def test_the_last_seconds_count_down_and_the_run_can_keep_going(qtbot: QtBot, pilot: Pilot) -> None:
    window, runner, status = pilot.window, pilot.window.shell.runner, pilot.window.status
    runner.close()
    runner._make_pool = lambda: WorkerPool(Limits(wall_seconds=3, cpu_seconds=100))
    pilot.type_snippet(ENDLESS)
    runner.run()
    qtbot.waitUntil(lambda: pilot.state.left in (1, 2), timeout=60_000)
    assert status.label.text() == f"Stops in {pilot.state.left} s"
    assert status.keep_going.isVisible()
    pilot.press("Ctrl+F5")
    qtbot.waitUntil(lambda: pilot.state.left is not None and pilot.state.left > 3, timeout=60_000)
    assert pilot.state.run.is_running
    assert window.commands.actions["run.keep_going"].isEnabled()
    with qtbot.waitSignal(runner.ended, timeout=60_000) as ended:
        pass
    assert ended.args == ["limit"]
    assert "longer than 6 seconds" in pilot.state.run.sentence
    assert (pilot.state.left, status.keep_going.isVisible()) == (None, False)
    assert not window.commands.actions["run.keep_going"].isEnabled()


LONG = """import torch
net, x = torch.nn.Linear(3, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for i in range(3_000):
    optimizer.zero_grad()
    net(x).mean().backward()
    optimizer.step()
print("done")
"""


def test_a_recording_that_ended_by_itself_is_told_and_offers_more(qtbot: QtBot, pilot: Pilot) -> None:
    window, runner, status = pilot.window, pilot.window.shell.runner, pilot.window.status
    runner.close()
    runner._make_pool = lambda: WorkerPool(Limits(cpu_seconds=3))
    assert pilot.run_again(LONG) is Phase.OK
    run = pilot.state.run
    assert run.part.startswith("all but ") and run.part.endswith(" iterations"), run.sentence
    assert 0 < int(run.part.split()[2].replace(",", "")) < 2_999
    assert run.sentence.startswith(f"Recorded: {run.part}, because recording has taken ")
    assert run.sentence.endswith("four times the time.") and status.currentMessage() == run.sentence
    qtbot.waitUntil(lambda: window.canvas.is_settled, timeout=60_000)  # a layout tells of itself meanwhile
    assert f"recorded {run.part}: {pilot.state.steps:,} steps" in summary(pilot.state)
    assert status.more.isVisible() and window.commands.actions["run.longer"].isEnabled()
    pilot.type_snippet(FINE)
    assert not status.more.isVisible() and not window.commands.actions["run.longer"].isEnabled()
    pilot.type_snippet(LONG)
    status.more.click()
    assert runner.pool.limits.cpu_seconds == 12 and pilot.state.run.is_running and not status.more.isVisible()
    with qtbot.waitSignal(runner.ended, timeout=60_000):
        runner.stop()


def test_too_many_steps_do_not_ask_for_more_time(pilot: Pilot) -> None:
    runner, status = pilot.window.shell.runner, pilot.window.status
    runner.close()
    runner._make_pool = lambda: WorkerPool(Limits(steps=4_000))
    assert pilot.run_again(LONG.replace("3_000", "900")) is Phase.OK
    assert pilot.state.run.sentence.endswith("Run > Recorded Iterations chooses which ones are recorded.")
    assert pilot.state.run.part and not pilot.state.run.needs_time and not status.more.isVisible()
