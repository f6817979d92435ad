"""input(): the run waits for the person's answer, the clock stands still meanwhile, and a worker that breaks the rules
of asking is ended."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.events import Asked, Done, Event, Output
from gradviz.worker.process.limits import Limits
from gradviz.worker.process.run import ANSWER_CHARS, PROMPT_CHARS, Run
from tests.worker.conftest import PATIENCE, Outcome
from tests.worker.hostile import worker_that

MakePool = Callable[..., WorkerPool]
pytestmark = pytest.mark.usefixtures("_warm")


def answered(pool: WorkerPool, source: str, answers: list[str | None]) -> tuple[Outcome, list[str]]:
    """Run with these answers, given from another thread than the one that asks; and the prompts."""
    events: list[Event] = []
    prompts: list[str] = []
    there = threading.Condition()

    def on_event(event: Event) -> None:
        with there:
            events.append(event)
            there.notify_all()

    run = pool.start(source, on_event)
    left = list(answers)
    taken = 0
    while True:
        with there:
            while len(events) == taken:
                assert there.wait(PATIENCE), "nothing came"
            event = events[taken]
            taken += 1
        if isinstance(event, Asked):
            prompts.append(event.prompt)
            run.answer(left.pop(0))
        elif isinstance(event, Done):
            assert run.wait(PATIENCE) is event
            return Outcome(event, tuple(events)), prompts


@pytest.mark.parametrize(
    ("source", "answers", "printed"),
    [
        ("n = int(input('n = '))\nprint(n + 1)", ["41"], "n = 41\n42\n"),
        ("print(input() + input('b'))", ["1", "2"], "1\nb2\n12\n"),
        ("print(repr(input(7)))", [""], "7\n''\n"),
        ("print(input('ä\\ud800'))", ["süß 语"], "ä\ud800süß 语\nsüß 语\n"),
        ("try:\n    input('?')\nexcept EOFError as error:\n    print(error)", [None], "?EOF when reading a line\n"),
        ("print([int(x) for x in input().split()])", ["3 4"], "3 4\n[3, 4]\n"),
        ("def f(n): return f(n - 1) if n else input('deep ')\nprint(f(900))", ["x"], "deep x\nx\n"),
    ],
)
def test_an_answer_is_what_input_gives(
    shared_pool: WorkerPool, source: str, answers: list[str | None], printed: str
) -> None:
    outcome, prompts = answered(shared_pool, source, answers)
    assert outcome.status == "ok", outcome.sentence
    text = "".join(each.text for each in outcome.events if isinstance(each, Output))
    assert text == printed
    assert len(prompts) == len(answers)
    typed = [each.text for each in outcome.events if isinstance(each, Output) and each.stream == "in"]
    assert typed == [f"{answer}\n" for answer in answers if answer is not None]


def test_what_was_printed_and_recorded_before_is_there_when_it_asks(shared_pool: WorkerPool) -> None:
    source = "import torch\nx = torch.ones(3)\nprint('first')\ninput('second ')\ny = x * 2"
    outcome, _ = answered(shared_pool, source, [""])
    place = next(at for at, each in enumerate(outcome.events) if isinstance(each, Asked))
    before = Outcome(outcome.done, outcome.events[:place])
    assert before.printed() == "first\nsecond "
    assert before.batches


def test_no_answer_is_an_error_as_pythons(shared_pool: WorkerPool) -> None:
    outcome, _ = answered(shared_pool, "x = 1\nx = input()", [None])
    assert (outcome.status, outcome.sentence) == ("raised", "EOFError: EOF when reading a line")
    assert outcome.done.detail.line == 2


@pytest.mark.parametrize("source", ["input(*'ab')", "input(prompt='x')"])
def test_wrong_arguments_are_an_error(shared_pool: WorkerPool, source: str) -> None:
    outcome, _ = answered(shared_pool, source, [])
    assert outcome.status == "raised"
    assert outcome.sentence.startswith("TypeError: ")


def test_a_prompt_that_raises_is_the_snippets_error(shared_pool: WorkerPool) -> None:
    outcome, _ = answered(shared_pool, "class A:\n    def __str__(self): return 1 / 0\ninput(A())", [])
    assert outcome.sentence.startswith("ZeroDivisionError")


def test_a_long_prompt_and_a_long_answer_are_cut(shared_pool: WorkerPool) -> None:
    outcome, prompts = answered(shared_pool, "print(len(input('x' * 50_000)))", ["\U0001f600" * 100_000])
    assert len(prompts[0]) == PROMPT_CHARS
    assert outcome.printed().endswith(f"{ANSWER_CHARS}\n")
    assert len(outcome.printed()) > 50_000, "the output has the whole prompt"


def test_the_clock_stands_still_while_it_asks(make_pool: MakePool) -> None:
    limits = Limits(wall_seconds=0.4)
    asked = threading.Event()
    events: list[Event] = []

    def on_event(event: Event) -> None:
        events.append(event)
        if isinstance(event, Asked):
            asked.set()

    run = make_pool(limits).start("input()\nprint('on')", on_event)
    assert asked.wait(PATIENCE)
    assert run.wait(1.2) is None, "three times as long as it may run"
    run.answer("")
    done = run.wait(PATIENCE)
    assert done is not None
    assert done.status == "ok"
    assert done.detail.seconds < 0.4


def test_a_loop_of_questions_can_be_stopped(make_pool: MakePool) -> None:
    count = 0
    started = threading.Event()

    def on_event(event: Event) -> None:
        nonlocal count
        assert started.wait(PATIENCE)
        if isinstance(event, Asked):
            count += 1
            if count < 50:
                run.answer("again")
            else:
                run.stop()
                run.answer("late")

    run = make_pool().start("while True:\n    input()", on_event)
    started.set()
    done = run.wait(PATIENCE)
    assert done is not None
    assert (done.status, count) == ("stopped", 50)
    run.answer("later still")
    assert run.result is done


def test_an_answer_that_nobody_asked_for_is_kept_from_the_worker(shared_pool: WorkerPool) -> None:
    run = shared_pool.start("print('on')", lambda event: None)
    run.answer("x")
    done = run.wait(PATIENCE)
    assert done is not None
    assert done.status == "ok"


HOSTILE = {
    "a step while it asks": "send(7, 1, {'prompt': '?'}); send(5, 1, {'rows': {'steps': 1}})",
    "text while it asks": "send(7, 1, {'prompt': '?'}); send(4, 1, {'stream': 'out', 'text': 'x'})",
    "the end while it asks": "send(7, 1, {'prompt': '?'}); send(6, 1, {'status': 'ok'})",
    "two questions at once": "send(7, 1, {'prompt': '?'}); send(7, 1, {'prompt': '?'})",
    "a prompt that is no text": "send(7, 1, {'prompt': ['?']})",
    "a question of another run": "send(7, 3, {'prompt': '?'})",
    "an answer": "send(8, 1, {'text': 'x'})",
    "an end inside a question": "send(7, 1, {'prompt': '?'}); sys.exit()",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_worker_that_asks_wrongly_is_ended_with_a_sentence(name: str) -> None:
    events: list[Event] = []
    worker = worker_that(HOSTILE[name])
    run = Run("x = 1", "snippet.py", Limits(wall_seconds=30), events.append)
    run.attach(worker, 1)
    done = run.wait(PATIENCE)
    worker.join()
    run.join()
    assert done is not None
    assert done.status == "died"
    assert sum(isinstance(each, Asked) for each in events) <= 1
    run.answer("nobody")
    assert not worker.is_alive


def test_a_worker_that_asks_and_works_on_is_held_to_its_processor_time() -> None:
    limits = Limits(wall_seconds=PATIENCE, cpu_seconds=0.3)
    worker = worker_that("send(7, 1, {'prompt': '?'})", limits)
    run = Run("x = 1", "snippet.py", limits, lambda event: None)
    run.attach(worker, 1)
    done = run.wait(PATIENCE)
    worker.join()
    run.join()
    assert done is not None
    assert done.status == "limit"
    assert "0.3 seconds of processor time" in done.detail.sentence
