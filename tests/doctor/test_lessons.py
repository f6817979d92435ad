"""The doctor: every broken snippet triggers exactly its lesson, where the mistake is made; what it offers puts it
right; and it says nothing of code that is right."""

from __future__ import annotations

import ast
import functools
import json
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from gradviz.document.errors import UserError
from gradviz.report import reasons
from gradviz.session.doctor.case import Case, case_of
from gradviz.session.doctor.lessons import LESSONS, Finding, diagnose, finding_json, finding_text, of_error
from gradviz.session.doctor.text import Text
from gradviz.session.inspect.causes import reason_of
from gradviz.trace.table.trace import Trace
from tests.doctor.cases import CASES, CONFUSIONS, HERE, Broken, read
from tests.trace import running

GOLDEN: dict[str, str] = json.loads((HERE / "golden.json").read_text(encoding="utf-8"))
NAMES = [case.name for case in CASES]


@functools.lru_cache(maxsize=16)  # tests of one case are neighbours, and read the same runs
def run(text: str) -> Trace:
    return running.run(text)


@functools.lru_cache(maxsize=16)
def examined(text: str) -> tuple[Finding, ...]:
    """What the doctor finds in a run."""
    return diagnose(run(text))


def printed(trace: Trace) -> str:
    texts = trace.texts
    return "".join(text for stream, text in zip(texts.stream, texts.text, strict=True) if stream == "out")


def places(findings: tuple[Finding, ...]) -> list[tuple[str, int]]:
    return [(finding.id, finding.line) for finding in findings]


def test_every_lesson_has_a_broken_snippet() -> None:
    assert {case.id for case in CASES} == {lesson.id for lesson in LESSONS}


@pytest.mark.parametrize("case", CASES, ids=NAMES, scope="module")
def test_the_broken_snippet_triggers_its_lesson_alone(case: Broken) -> None:
    trace, findings = run(case.text), examined(case.text)
    assert places(findings) == [(case.id, case.line)]
    assert 0 < findings[0].step <= len(trace)
    lines = trace.steps.line.tolist()
    node = int(trace.steps.node[findings[0].step - 1])
    at = (lines[findings[0].step - 1], int(trace.nodes.line[node]) if node >= 0 else -1)
    assert case.line in at or case.line not in lines
    assert all(0 <= mark.node < len(trace.nodes) for mark in findings[0].marks)


CHANGED_ELSEWHERE = """
    backward-twice-1 backward-twice-2 backward-twice-3 backward-twice-4 backward-twice-5 freed-buffer-1
    non-scalar-root-2 non-scalar-root-3 no-grad-fn-5 no-grad-fn-8 no-grad-fn-9 saved-overwritten-4 non-leaf-grad-1
    non-leaf-grad-3 vanishing-2 double-softmax-3 unused-input-2 eval-forgotten-1 eval-forgotten-2 eval-forgotten-3
    eval-forgotten-6 eval-forgotten-7 not-zeroed-4 softmax-before-ce-2 sigmoid-before-bce-2
    unregistered-parameter-3 other-parameters-6 other-parameters-7 dead-relu-5
    grad-none-not-reached-5 grad-none-not-reached-6
""".split()  # rules 2 and 3 of Note [The line of a mistake], or a fix that does not change the wrong line itself
WITHOUT_FIX = ["grad-none-not-reached-2"]  # what the loss should contain is in a dictionary


@pytest.mark.parametrize(
    "case",
    [each for each in CASES if each.name not in WITHOUT_FIX + CHANGED_ELSEWHERE],
    ids=lambda case: case.name,
    scope="module",  # beside the others of its case
)
def test_the_line_of_a_mistake_is_one_that_the_first_fix_changes_or_stands_beside(case: Broken) -> None:
    finding = examined(case.text)[0]
    before, after = case.text.splitlines(), finding.fixes[0].text.splitlines()
    changes = [each for each in SequenceMatcher(None, before, after, False).get_opcodes() if each[0] != "equal"]
    assert any(low < finding.line <= max(high, low + 1) or finding.line == low == high for _, low, high, *_ in changes)


@pytest.mark.parametrize("case", CASES, ids=NAMES, scope="module")
def test_the_fixed_snippet_triggers_none(case: Broken) -> None:
    assert places(examined(case.fixed)) == []
    assert printed(run(case.fixed)) == GOLDEN[case.name]


@pytest.mark.parametrize("case", CASES, ids=NAMES, scope="module")
def test_the_card_of_an_error_tells_its_lesson_which_the_badge_does_not_repeat(case: Broken) -> None:
    trace = run(case.text)
    told, (finding,) = of_error(trace, case.text), examined(case.text)
    assert told == (finding if len(trace.errors) else None)
    assert finding.raised == bool(len(trace.errors))


@pytest.mark.parametrize("case", CASES, ids=NAMES, scope="module")
def test_each_fix_runs_clean_and_the_first_prints_what_pytorch_prints(case: Broken) -> None:
    (finding,) = examined(case.text)
    assert finding.fixes or case.name in WITHOUT_FIX
    traces = [run(fix.text) for fix in finding.fixes]
    told = [(places(examined(fix.text)), run(fix.text).errors.message.tolist()) for fix in finding.fixes]
    assert told == [([], [])] * len(traces)
    assert not traces or printed(traces[0]) == GOLDEN[case.name]


@pytest.mark.parametrize("case", CONFUSIONS, ids=[case.name for case in CONFUSIONS])
def test_a_confusion_is_told_and_each_fix_is_the_one_that_is_written_down(case: Broken) -> None:
    findings = examined(case.text)
    assert places(findings) == ([] if case.id == "none" else [(case.id, case.line)])
    assert [fix.text for finding in findings for fix in finding.fixes] == [*case.fixes]
    assert all(finding.marks for finding in findings) or case.id in WITHOUT_NODE
    right = {f"confusion {case.name}, {place}": text for place, text in enumerate(case.fixes)}
    for name, text in (right or {f"confusion {case.name}": case.text}).items():
        trace = run(text)
        assert name not in GOLDEN or places(diagnose(trace)) == trace.errors.message.tolist() == []
        assert printed(trace) == GOLDEN.get(name, "")


WITHOUT_NODE = ("leaf-in-place", "view-of-leaf-in-place", "inference-tensor")  # no operation has run
ROOT = HERE.parents[1]
TAUGHT = {  # what the examples show on purpose
    "05": "matmul-shapes", "06": "non-leaf-grad", "07": "backward-twice", "09": "backward-twice",
    "10": "backward-twice", "11": "backward-twice", "13": "non-leaf-grad", "14": "non-leaf-grad",
    "15": "saved-overwritten", "20": "nan-where", "21": "saved-overwritten", "22": "no-grad-fn",
}  # fmt: skip
EXAMPLES = sorted((ROOT / "resources/examples").glob("*.py"))
TUTORIALS = sorted((ROOT / "tests/snippets/programs").glob("t[ou]*_*.py"))
OUTSIDE = ("matplotlib", "argparse", "save", "basics_main", "rnn_family")  # what only a worker can run


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_an_example_triggers_what_it_teaches_and_nothing_else(path: Path) -> None:
    trace = run(path.read_text(encoding="utf-8"))
    if "matplotlib" not in "".join(trace.errors.message):
        assert [finding.id for finding in diagnose(trace)] == (
            [TAUGHT[path.name[:2]]] if path.name[:2] in TAUGHT else []
        )


@pytest.mark.slow
@pytest.mark.parametrize("path", TUTORIALS, ids=[path.stem for path in TUTORIALS])
def test_a_tutorial_triggers_nothing(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = path.read_text(encoding="utf-8")
    if not any(word in f"{path.stem} {text}" for word in OUTSIDE):
        monkeypatch.chdir(tmp_path)
        assert places(examined(text)) == []


VARIATIONS = read("variations.txt")


@pytest.mark.parametrize("case", VARIATIONS, ids=[case.name for case in VARIATIONS], scope="module")
def test_other_names_modules_functions_loops_and_classes_change_nothing(case: Broken) -> None:
    assert places(examined(case.text)) == [(case.id, case.line)]


MENDED = [case for case in VARIATIONS if case.fixes]


@pytest.mark.parametrize("case", MENDED, ids=[case.name for case in MENDED], scope="module")
def test_the_fix_of_a_variation_is_the_one_that_is_written_down_and_runs(case: Broken) -> None:
    (finding,) = examined(case.text)
    assert finding.fixes[0].text == case.fixed
    assert (run(case.fixed).errors.message.tolist(), places(examined(case.fixed))) == ([], [])


DECORATED = [case for case in VARIATIONS if case.text.splitlines()[case.line - 1].lstrip().startswith("@")]


@pytest.mark.parametrize("case", DECORATED, ids=[case.name for case in DECORATED], scope="module")
def test_what_a_decorator_does_is_shown_inside_its_function(case: Broken) -> None:
    trace, (finding,) = run(case.text), examined(case.text)
    functions = [node for node in ast.walk(ast.parse(case.text)) if isinstance(node, ast.FunctionDef)]
    (function,) = [each for each in functions if case.line in [one.lineno for one in each.decorator_list]]
    assert function.lineno <= trace.steps.line[finding.step - 1] <= (function.end_lineno or 0)


SOUND = read("sound.txt")


@pytest.mark.parametrize("case", SOUND, ids=[case.id for case in SOUND])
def test_what_looks_suspicious_and_is_right_triggers_nothing(case: Broken) -> None:
    assert run(case.text).errors.message.tolist() == []
    assert places(examined(case.text)) == []


STARRED = """\
import torch
w = torch.tensor(3., requires_grad=True)
b = torch.tensor(1., requires_grad=True)
for i in range(3):
    loss = (w * 2 + b) ** 2
    loss.backward()
    w, *others = w - 0.1 * w.grad, b - 0.1 * b.grad, b
    b = others[0]
    print(w.grad)
"""


def test_a_name_bound_anew_beside_a_starred_one_is_found() -> None:
    assert places(examined(STARRED)) == [("grad-none-rebound", 7)]


SCALED_ONCE = """\
import torch
W = torch.ones(2, 3, requires_grad=True) * 0.5
x = torch.ones(4, 2)
for epoch in range(2):
    loss = (x @ W).tanh().sum()
    loss.backward()
    print(W.grad is None)
"""


def test_a_parameter_that_was_computed_once_is_made_a_leaf_before_its_graph_is_kept() -> None:
    first, second = examined(SCALED_ONCE)
    assert places((first, second)) == [("backward-twice", 6), ("non-leaf-grad", 2)]
    assert first.fixes == second.fixes
    mended = run(first.fixes[0].text)
    assert (places(diagnose(mended)), printed(mended)) == ([], "False\nFalse\n")


READ_EARLY = """\
import torch
w = torch.ones(2, requires_grad=True)
w.sum().backward()
z = w * 2
print(z.grad)
z.sum().backward()
"""


def test_a_gradient_that_is_read_before_its_backward_is_read_after_it() -> None:
    (finding,) = examined(READ_EARLY)
    assert places((finding,)) == [("non-leaf-grad", 5)]
    assert finding.advice == "Call z.retain_grad() when it is made, and read its .grad after the next backward()."


def test_the_fix_of_a_number_for_a_function_of_math_calls_that_of_torch() -> None:
    case = next(case for case in VARIATIONS if "math.sqrt(squared" in case.text)
    (finding,) = examined(case.text)
    trace = run(finding.fixes[0].text)
    assert "(torch.sqrt(squared) - 2.0)" in finding.fixes[0].text
    assert (trace.errors.message.tolist(), places(diagnose(trace))) == ([], [])


PICKED = """\
import torch
place = torch.tensor(2.6, requires_grad=True)
height = torch.tensor([0.0, 0.4, 1.5, 2.0], requires_grad=True)
cell = place.long()
height[cell].backward()
print(place.grad)
"""


def test_whole_numbers_that_pick_elements_are_not_offered_as_floating_point_numbers() -> None:
    (finding,) = examined(PICKED)
    assert (finding.id, finding.line, finding.fixes) == ("grad-none-integer", 4, ())


def test_a_finding_says_it_in_json_and_in_words() -> None:
    case = next(case for case in CASES if case.id == "not-zeroed")
    trace = run(case.text)
    (finding,) = diagnose(trace)
    told = json.loads(json.dumps(finding_json(case.text, trace, finding, "a.py")))
    assert {"id", "line", "step", "nodes", "explanation", "fixes"} <= told.keys()
    assert told["fixes"][0].startswith("--- a/a.py\n+++ b/a.py\n@@")
    assert "+    x.grad = None" in finding_text(case.text, finding, "a.py")


def test_the_step_of_equal_weights_is_that_of_the_layer_which_is_told_of() -> None:
    case = next(case for case in CASES if case.id == "equal-weights")
    trace = run(case.text)
    (finding,) = diagnose(trace)
    (mark,) = finding.marks
    assert finding.explanation.startswith("net[0].weight") and finding.step == mark.step
    assert trace.tensors.shape[trace.inputs.tensor[trace.inputs.node == mark.node][0]] == (4, 2)


def test_the_doctor_and_the_inspector_read_a_run_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[Trace]()
    begin = Case.__init__

    def counted(case: Case, trace: Trace, text: str | None = None) -> None:
        read.append(trace)
        begin(case, trace, text)

    monkeypatch.setattr(Case, "__init__", counted)
    trace = run(
        "import torch\nw = torch.ones(2, requires_grad=True)\nw.requires_grad_(False)\ny = w * 2\nprint(w.grad)\n"
    )
    diagnose(trace, trace.source)
    assert of_error(trace, trace.source) is None
    assert "switched off on line 3" in str(reason_of(trace.frame_at(len(trace)), 0))
    assert len(read) == 1
    assert case_of(trace, "other = 1\n").text == "other = 1\n"


def test_a_parameter_of_a_sequential_is_asked_for_as_it_is_written() -> None:
    text = """
import torch
from torch import nn
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh())
loss = net(torch.ones(1, 2)).detach().sum() + net[0].bias.sum()
loss.backward()
"""
    told = reasons(run(text), "net[0].weight.grad", "a.py")
    assert told.startswith("Why is net[0].weight.grad None?\nNot reached from loss: detached at line 5.")
    with pytest.raises(UserError, match="no tensor that is called"):
        reasons(run(text), "net[3].weight", "a.py")


def test_a_text_is_read_again_where_two_threads_that_parse_disturb_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    parse, calls = ast.parse, []

    def disturbed(text: str) -> ast.Module:
        calls.append(text)
        if len(calls) < 3:
            raise SystemError("AST constructor recursion depth mismatch")
        return parse(text)

    monkeypatch.setattr(ast, "parse", disturbed)
    assert len(Text("a = 1\nb = 2\n").tree.body) == 2 and len(calls) == 3


def test_what_a_lesson_says_is_a_sentence() -> None:
    said = {case.name: examined(case.text)[0] for case in CASES if case.name in WORDS}
    assert {name: (WORDS[name] in f"{found.explanation} {found.advice}") for name, found in said.items()} == {
        name: True for name in WORDS
    }


WORDS = {  # of findings that were put together from parts
    "grad-none-detached-1": "w.grad is None: backward() did not get from loss to w (detached at line 4). detach() on",
    "grad-none-integer-3": "w.grad is None: w is int64, and only floating point and complex tensors can require",
    "grad-none-rebound-2": "to a new tensor, which requires no grad. The leaf",
    "cut-by-item-3": "comes to loss and no further. Line 10 takes plain numbers out of loss",
    "other-parameters-1": "model.weight and model.bias got gradients from backward()",
    "lr-too-small-1": "In 20 iterations the loss stayed at 4: with a learning rate",
    "target-type-4": "Number the classes from 0, and give the prediction one score for each class.",
}


STEPPED_IN_A_LOOP = """\
import torch
from torch import nn
enc, dec = nn.Linear(4, 2), nn.Linear(2, 4)
optims = {"enc": torch.optim.SGD(enc.parameters(), lr=0.05), "dec": torch.optim.SGD(dec.parameters(), lr=0.05)}
data = torch.ones(12, 4)
for epoch in range(4):
    loss = (dec(enc(data)) - data).pow(2).mean()
    loss.backward()
    for o in optims.values():
        o.step()
"""


def test_optimizers_that_step_in_a_loop_are_cleared_in_one() -> None:
    (finding,) = examined(STEPPED_IN_A_LOOP)
    assert (finding.id, finding.line) == ("not-zeroed", 8)
    assert "    for o in optims.values():\n        o.zero_grad()\n    loss.backward()" in finding.fixes[0].text
    trace = run(finding.fixes[0].text)
    assert (trace.errors.message.tolist(), places(diagnose(trace))) == ([], [])


TWO_TRAININGS = """\
import torch
from torch import nn
torch.manual_seed(0)
x, y = torch.randn(16, 3), torch.randn(16, 1)
w = torch.zeros(3, 1, requires_grad=True)
lr = 1.5
for i in range(9):
    by_hand = nn.functional.mse_loss(x @ w, y)
    by_hand.backward()
    with torch.no_grad():
        w -= lr * w.grad
        w.grad = None
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for i in range(6):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


def test_a_loss_that_climbs_is_put_down_to_the_learning_rate_of_its_own_training() -> None:
    (finding,) = examined(TWO_TRAININGS)
    assert (finding.id, finding.line) == ("lr-too-large", 6)
    assert "a learning rate of 1.5 each" in finding.explanation
    assert "lr = 0.1\n" in finding.fixes[0].text
