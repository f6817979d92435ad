"""A run that is too long to be recorded whole goes on at full speed, and comes to its end if that depends on us."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gradviz import torch
from gradviz.engine.kernel.state import paused, set_observer, state
from gradviz.session.doctor.lessons import diagnose
from gradviz.session.timeline.iterations import iterations
from gradviz.trace.record.instrument import ITERATE, STACK
from gradviz.trace.record.location import entry
from gradviz.trace.record.recorder import Recorder
from gradviz.trace.table import schema
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.regions import RegionKind
from gradviz.trace.table.trace import Trace
from gradviz.worker.modules.vision import datasets, transforms
from gradviz.worker.objects.numpy_types import SafeArray
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.limits import Limits
from gradviz.worker.running.pacing import FEWEST, LATE, PATIENCE, SHARE, Bounds, Pace
from tests.worker.conftest import Outcome, run_in

TRAINING = """
import torch
torch.manual_seed(0)
net, x, y = torch.nn.Linear(3, 1), torch.randn(8, 3), torch.randn(8, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for i in range(2_000):
    loss = sum(((net(x) - part) ** 2).mean() for part in [y])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(i, round(loss.item(), 4))
"""


def test_a_run_with_too_many_steps_ends_as_pytorch_ends_it(make_pool: Callable[..., WorkerPool]) -> None:
    whole = run_in(make_pool(Limits()), TRAINING)
    outcome = run_in(make_pool(Limits(steps=15_000)), TRAINING)
    assert (outcome.status, outcome.printed()) == ("ok", whole.printed()), outcome.sentence
    said = outcome.printed("err")
    assert said.startswith("Not every iteration is recorded from here on: the recording has ") and said.count("\n") == 1
    assert "th is recorded, and the last 3 are; the others run at full speed" in said
    assert 6_000 < _steps(outcome) < 13_500 < 15_000 < _steps(whole)
    trace = Trace(TRAINING)
    for batch in outcome.batches:
        trace.extend(schema.Batch(batch.header, batch.payload))
    names = iterations(trace, len(trace)).names.tolist()
    assert names[-3:] == ["i = 1997", "i = 1998", "i = 1999"] and names[0] == "i = 0" and len(names) > 250
    assert len(names) + trace.resumptions.count.sum() == 2_000
    assert trace.steps.kind[-1] == Kind.PRINT


@pytest.fixture
def pace() -> Iterator[tuple[Pace, dict[str, Any], list[str]]]:
    """A pace whose clock and names a test sets, and what it says."""
    said: list[str] = []
    recorder = Recorder("", "snippet.py")
    stack: Any = recorder.hooks()[STACK]
    stack += entry(RegionKind.LOOP, "", (1, 1, 0, 1))
    names: dict[str, Any] = {"now": 0.0, ITERATE: recorder.hooks()[ITERATE]}
    set_observer(recorder)
    hurry = lambda: said.append("hurry")  # noqa: E731
    yield Pace(Bounds(40.0), recorder, said.append, hurry, clock=lambda: names["now"]), names, said
    recorder.finish()  # an open gap watches what is written
    set_observer(None)


Paced = tuple[Pace, dict[str, Any], list[str]]


def _record(count: int) -> None:
    x = torch.ones(1)
    for _ in range(count):
        x + 1


def test_recording_takes_a_share_of_the_time(pace: Paced) -> None:
    each, names, said = pace
    for now in (5.0, 9.0, 9.9):
        names["now"] = now
        _record(FEWEST)
        each.tick(0)
    assert state.observer is not None and not said
    names["now"] = SHARE * 40 + 0.1
    _record(1)
    each.tick(0)
    assert state.observer is not None, "until an iteration begins"
    with paused():
        names[ITERATE]("i", 1)
    assert state.observer is not None, "nobody else stops the reports now"
    names[ITERATE]("i", 2)
    assert state.observer is None
    assert said == [said[0]] and "recording has taken 10.1 of the 40 seconds" in said[0]
    names["now"] = 39.0
    each.tick(0)
    assert said[1:] == ["hurry"]


def test_time_in_which_nothing_is_recorded_does_not_count(pace: Paced) -> None:
    each, names, said = pace
    _record(FEWEST)
    each.tick(0)
    names["now"] = LATE * 40 - 1
    each.tick(0)
    names[ITERATE]("i", 1)
    assert state.observer is not None and not said


def test_too_many_bytes_end_it_without_an_iteration(pace: Paced) -> None:
    each, names, said = pace
    each.tick(500_000_000)
    names["now"] = PATIENCE + 0.1
    each.tick(500_000_000)
    assert state.observer is None
    assert "the recording has 500 MB" in said[0] and "More Time" not in said[0]


def _loader(train: bool, part: bool = False) -> tuple[Any, Any]:
    data: Any = datasets.MNIST("data", train=train, transform=transforms.ToTensor())
    shown = torch.utils.data.Subset(data, range(1_000)) if part else data
    return data, torch.utils.data.DataLoader(shown, batch_size=100)


def test_a_pass_over_a_drawn_set_ends_when_time_is_nearly_over() -> None:
    said: list[str] = []
    datasets.begin(said.append)
    train, loader = _loader(True)
    test, measure = _loader(False)
    taken = 0
    for images, _ in loader:
        taken += len(images)
        if taken == 300:
            datasets.hurry()
            assert len(train) == 60_000, "as long as the pass goes on"
            assert len(test) == 128
    assert (taken, len(train), len(loader)) == (300, 200, 2)
    assert [len(images) for images, _ in loader] == [100, 100], "whole batches, as before"
    with torch.no_grad():
        assert sum(len(images) for images, _ in measure) == len(test)
    assert train[50_000][1] in range(10), "what was chosen before is still there"
    assert len(said) == 2 and "From here on MNIST has 128 pictures" in said[1]


def test_a_short_set_has_its_length_during_a_pass() -> None:
    """Programs print their progress every tenth of an epoch, `i % (len(loader) // 10)`."""
    datasets.begin(lambda text: None)
    datasets.hurry()
    train, loader = _loader(True)
    assert [(i, len(loader), len(train)) for i, _ in enumerate(loader)] == [(0, 600, 60_000), (1, 600, 60_000)]
    assert (len(loader), len(train)) == (2, 200)
    _, measure = _loader(False)
    with torch.no_grad():
        assert [(len(images), len(measure)) for images, _ in measure] == [(100, 100), (100, 100)]


def test_a_pass_ends_before_a_batch_that_there_is_no_time_for() -> None:
    datasets.begin(lambda text: None)
    train, loader = _loader(True)
    assert sum(len(images) for images, _ in itertools.islice(loader, 4)) == 400
    datasets.expect(0.0)
    assert (sum(len(images) for images, _ in loader), len(train)) == (200, 200), "enough of them are taken first"


@pytest.mark.parametrize("kind", [datasets.MNIST, datasets.CIFAR10])
def test_a_set_that_became_short_has_as_many_pictures_and_labels_as_it_says(kind: Any) -> None:
    datasets.begin(lambda text: None)
    data = kind("data", train=False)
    assert isinstance(data.data, SafeArray if kind is datasets.CIFAR10 else torch.Tensor)
    assert len(data) == len(data.data) == len(data.targets) == 10_000
    datasets.hurry()
    assert len(data) == len(data.data) == len(data.targets) == 128


def test_what_measures_something_is_not_cut_short() -> None:
    datasets.begin(lambda text: None)
    data, loader = _loader(False)
    _, part = _loader(False, part=True)
    with torch.no_grad():
        taken = 0
        for images, _ in loader:
            taken += len(images)
            datasets.hurry()
        assert taken == 10_000
        assert len(data) == 200, "from the next pass on"
        assert sum(len(images) for images, _ in part) == 1_000
    assert sum(len(images) for images, _ in part) == 200, "but training is"


def test_other_data_has_its_passes_whole() -> None:
    datasets.begin(lambda text: None)
    datasets.hurry()
    data = torch.utils.data.TensorDataset(torch.zeros(500))
    assert sum(len(each) for (each,) in torch.utils.data.DataLoader(data, batch_size=10)) == 500


def _steps(outcome: Outcome) -> int:
    return sum(each.header["rows"].get("steps", 0) for each in outcome.batches)


def test_the_doctor_says_of_such_a_run_nothing_about_what_never_happened(
    make_pool: Callable[..., WorkerPool],
) -> None:
    source = TRAINING.replace("nn.Linear(3, 1)", "nn.ModuleList([torch.nn.Linear(3, 1), torch.nn.Linear(3, 1)])")
    source = source.replace("net(x)", "net[i > 1_750](x)").replace("2_000", "1_752")
    found = []
    for steps in (1_000_000, 5_000):
        outcome, trace = run_in(make_pool(Limits(steps=steps)), source), Trace(source)
        for batch in outcome.batches:
            trace.extend(schema.Batch(batch.header, batch.payload))
        assert outcome.status == "ok", outcome.sentence
        found.append((bool(outcome.printed("err")), [each.id for each in diagnose(trace, source)]))
    assert found == [(False, []), (True, [])]


LONG = """
import torch
from tqdm import tqdm
torch.manual_seed(0)
w, losses = torch.zeros(3, requires_grad=True), []
def train(times):
    for {loop}:
        loss = ((w - 1) ** 2).sum()
        loss.backward()
        with torch.no_grad():
            w.sub_(0.001 * w.grad)
            w.grad = None
        losses.append(loss.item())
    else:
        print("else")
train(5_000_000)
print(1 < len(losses) < 5_000_000, losses[-1] < losses[0])
y = (w * 3).sum()
y.backward()
print(w.grad)
"""


@pytest.mark.parametrize("loop", ["i in range(times)", "i, j in enumerate(range(times))", "i in tqdm(range(times))"])
def test_a_loop_that_trains_too_long_ends_and_what_follows_runs(
    make_pool: Callable[..., WorkerPool], loop: str
) -> None:
    text = LONG.format(loop=loop)
    outcome = run_in(make_pool(Limits(cpu_seconds=4.0)), text)
    assert (outcome.status, outcome.printed()) == ("ok", "else\nTrue True\ntensor([3., 3., 3.])\n"), outcome.sentence
    said = outcome.printed("err").splitlines()[-1]
    assert "ends here, after " in said and "of 5,000,000 iterations" in said and "Run Again with More Time" in said
    trace = Trace(text)
    for batch in outcome.batches:
        trace.extend(schema.Batch(batch.header, batch.payload))
    assert len(trace) < 20_000, "very few of so many iterations are recorded from early on"


UNTIL = """
import torch
w, losses = torch.zeros(3, requires_grad=True), []
{outer}
    while True:
        for part in range(2):
            loss = ((w - 1) ** 2).sum()
            loss.backward()
        with torch.no_grad():
            w.sub_(0.001 * w.grad)
            w.grad = None
        losses.append(loss.item())
        if len(losses) > 5_000_000:
            break
    print(1 < len(losses), losses[-1] < losses[0])
y = (w * 3).sum()
y.backward()
print(w.grad)
"""


def test_training_that_counts_until_a_break_ends_in_time_and_the_count_goes_on(
    make_pool: Callable[..., WorkerPool],
) -> None:
    text = LONG.format(loop="i in steps").replace(
        "w, losses", "import itertools\nsteps = itertools.count(1)\nw, losses"
    )
    outcome = run_in(make_pool(Limits(cpu_seconds=2.0)), text + "print(next(steps) == len(losses) + 1)\n")
    printed = "else\nTrue True\ntensor([3., 3., 3.])\nTrue\n"
    assert (outcome.status, outcome.printed()) == ("ok", printed), outcome.sentence
    assert " iterations: how many would follow is not known" in outcome.printed("err").splitlines()[-1]


@pytest.mark.parametrize(
    "outer", ["if True:", "for epoch in range(1_000_000):", "while 1:\n  if epoch > 3: break\n  epoch = 4"]
)
def test_training_until_a_break_ends_when_time_is_nearly_over(make_pool: Callable[..., WorkerPool], outer: str) -> None:
    outcome = run_in(
        make_pool(Limits(cpu_seconds=4.0)), "epoch = 0\n" + UNTIL.format(outer=outer).replace("\n    ", "\n  ")
    )
    assert (outcome.status, outcome.printed()) == ("ok", "True True\ntensor([3., 3., 3.])\n"), outcome.sentence
    said = outcome.printed("err").splitlines()[-1]
    assert (
        "The loop that trains ends here, after " in said and " iterations: how many would follow is not known" in said
    )


def test_training_until_a_break_inside_of_a_loop_that_goes_on_is_stopped(make_pool: Callable[..., WorkerPool]) -> None:
    text = UNTIL.format(outer="for epoch in iter(range(1_000_000)):")
    outcome = run_in(make_pool(Limits(cpu_seconds=2.0)), text)
    assert outcome.status == "limit" and "ends here, after" not in outcome.printed("err")


SEVERAL = """
import torch
counts = torch.zeros(3)
for k in range(20_000):
    counts[1] += 1
for k in range(5_000):
    counts[2] += 1
def count():
    for k in range(5_000):
        counts[0] += 1
count()
print(counts)
"""


def test_what_ended_does_not_begin_again_after_the_loop(make_pool: Callable[..., WorkerPool]) -> None:
    outcome = run_in(make_pool(Limits(steps=20_000)), SEVERAL)
    assert (outcome.status, outcome.printed()) == ("ok", "tensor([ 5000., 20000.,  5000.])\n"), outcome.sentence
    assert "Recording ends here" in outcome.printed("err")
    assert _steps(outcome) < 20_000


AFTER = (
    LONG.format(loop="i in range(times)")
    + """
count = 0
for j in range(5_000_000):
    for k in range(3):
        count += (w * k).sum().item() > 0
print(0 < count < 15_000_000, count % 2)
"""
)


def test_a_long_loop_after_it_ends_too(make_pool: Callable[..., WorkerPool]) -> None:
    outcome = run_in(make_pool(Limits(cpu_seconds=6.0)), AFTER)
    assert outcome.status == "ok" and outcome.printed().endswith("True 0\n"), outcome.sentence
    said = outcome.printed("err").splitlines()[-1]
    assert "The loop after it, too, ends here, after " in said and " of 5,000,000 iterations: " in said


def test_a_loop_whose_length_is_unknown_goes_on(make_pool: Callable[..., WorkerPool]) -> None:
    text = LONG.format(loop="i in iter(range(5_000_000))")
    outcome = run_in(make_pool(Limits(cpu_seconds=2.0)), text)
    assert outcome.status != "ok" and "ends here" not in outcome.printed("err")


SLOW = """
import time, torch
w = torch.ones(3, requires_grad=True)
for i in range(100):
    (w * 2).sum().backward()
    begun = time.process_time()
    while time.process_time() - begun < 2.3:
        pass
print("after", 1 <= i < 100)
"""


@pytest.mark.parametrize("loop", ["for i in range(100)", "i = -1\nwhile True"])
def test_a_loop_of_long_iterations_ends_before_one_that_would_take_the_rest_of_the_time(
    make_pool: Callable[..., WorkerPool], loop: str
) -> None:
    text = SLOW.replace("for i in range(100)", loop)
    text = text.replace("    (w", "    i += 1\n    if i > 90: break\n    (w") if "while" in loop else text
    outcome = run_in(make_pool(Limits(cpu_seconds=8.0)), text)
    assert (outcome.status, outcome.printed()) == ("ok", "after True\n"), outcome.sentence
    assert "ends here, after " in outcome.printed("err")


OWN_DATA = """
import time, torch
class Own(torch.utils.data.Dataset):
    def __len__(self):
        return 64_000
    def __getitem__(self, i):
        return torch.ones(3)
class Few(Own):
    def __len__(self):
        return 640
loader = torch.utils.data.DataLoader(Own(), batch_size=64)
w = torch.ones(3, requires_grad=True)
for epoch in range(3):
    for i, batch in enumerate(loader):
        (batch @ w).sum().backward()
        begun = time.process_time()
        while time.process_time() - begun < 0.1:
            pass
    print("measured", epoch, 1 < i < 999)
print(len([each for each in torch.utils.data.DataLoader(Few(), batch_size=64)]))
"""


def test_a_pass_over_data_of_the_snippet_ends_when_time_is_nearly_over(make_pool: Callable[..., WorkerPool]) -> None:
    """How many batches there are is not asked, which would run the snippet's code."""
    outcome = run_in(make_pool(Limits(cpu_seconds=9.0)), OWN_DATA)
    assert (outcome.status, outcome.printed()) == ("ok", "measured 0 True\n10\n"), outcome.sentence
    assert "how many would follow is not known" in outcome.printed("err")


EPOCHS = """
import time, torch
from torchvision import datasets, transforms
loader = torch.utils.data.DataLoader(datasets.MNIST("data", transform=transforms.ToTensor()), batch_size=64)
w, begun = torch.zeros(784, requires_grad=True), time.process_time()
for epoch in range(8):
    for i, (picture, _) in enumerate(loader):
        (picture.flatten(1) @ w).sum().backward()
        while epoch == 0 and time.process_time() - begun < 0.05 * (i + 1):
            pass
    begun = time.process_time()
    while time.process_time() - begun < 0.3:
        pass
    print("measured", epoch)
print("after", 1 < epoch < 7)
"""  # each batch of the first epoch takes as long as the others, on whatever machine: it ends where it is expected to


def test_epochs_end_while_there_is_time_for_what_is_done_after_each(make_pool: Callable[..., WorkerPool]) -> None:
    outcome = run_in(make_pool(Limits(cpu_seconds=5.0)), EPOCHS)
    assert outcome.status == "ok", outcome.sentence
    *measured, after = outcome.printed().splitlines()
    assert after == "after True" and measured == [f"measured {n}" for n in range(len(measured))]
    assert "The loop that trains ends here, after " in outcome.printed("err")


@pytest.mark.parametrize("loop", ["for i in range(5_000_000)", "while True"])
def test_a_loop_that_trains_ends_in_time_though_recording_ended_before_it(
    make_pool: Callable[..., WorkerPool], loop: str
) -> None:
    text = f"""
import torch
w, i = torch.zeros(3, requires_grad=True), 0
text = torch.zeros(30_000)
for n in range(30_000):
    text[n] = n
{loop}:
    for part in range(1):
        ((w - 1) ** 2).sum().backward()
    i += 1
    if i > 5_000_000: break
print("after", 1 < i < 5_000_000)
"""
    outcome = run_in(make_pool(Limits(cpu_seconds=5.0, steps=8_000)), text)
    assert (outcome.status, outcome.printed()) == ("ok", "after True\n"), outcome.sentence
    said = outcome.printed("err").splitlines()
    assert said[0].startswith("Recording ends here: ") and said[1].startswith("The loop that trains ends here, after ")
