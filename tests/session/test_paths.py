"""The chain rule made visible: paths with their products and sum, and what a gradient depends on."""

from __future__ import annotations

from gradviz.session.inspect.chain_rule import Paths, call_of, dependencies, paths
from gradviz.trace.table.trace import Trace
from tests.trace.running import run
from tests.trace.test_chains import NET, SCALARS, asked, tensor_called


def found(source: str, name: str) -> Paths:
    answer = paths(asked(source, name))
    assert answer is not None
    return answer


def names(trace: Trace, tensors: list[int]) -> list[str]:
    frame = trace.frame(len(trace))
    return [frame.name(tensor) for tensor in tensors]


def test_a_path_says_its_factors_and_what_they_make() -> None:
    answer = found(SCALARS, "x")
    assert answer.count == 3 and answer.is_whole
    assert [path.product for path in answer.found] == ["2 × 1 × 3", "2 × 1 × (-0.4161)", "6.909"]
    assert [path.value.brief() for path in answer.found] == ["6", "-0.8323", "6.909"]
    assert answer.sum_words() == "6 − 0.8323 + 6.909 = 12.08"


def test_each_step_is_written_with_the_names_of_the_snippet() -> None:
    answer = found(SCALARS, "w")
    frame = answer.trace.frame(len(answer.trace))
    assert [step.words(frame) for step in answer.found[0].steps] == ["∂z/∂y = 2", "∂y/∂(x * w) = 1", "∂(x * w)/∂w = 2"]


def test_arrays_have_no_product_but_a_sum() -> None:
    answer = found(NET, "V")
    assert [path.product for path in answer.found] == [""]
    assert answer.total is not None and answer.total.shape == (3, 1)
    assert all(step.local is None for step in answer.found[0].steps[:2])


def test_nothing_was_asked() -> None:
    assert paths(run(SCALARS)) is None


def test_the_call_is_the_latest_that_sent_something_there() -> None:
    trace = run(SCALARS.replace("z.backward()", "z.backward(retain_graph=True)\nz.backward()"))
    x = tensor_called(trace, "x")
    first, last = trace.call_end(0), len(trace)
    assert (call_of(trace, 0, x), call_of(trace, first, x), call_of(trace, last, x)) == (0, 0, 1)
    assert call_of(run("import torch\nx = torch.ones(2, requires_grad=True)\ny = x * 2\n"), 2, 0) == -1


def test_what_a_gradient_depends_on() -> None:
    trace = run(SCALARS)
    depends = dependencies(trace, 0, tensor_called(trace, "w"))
    assert [str(trace.nodes.op[node]) for node in depends.operations] == ["mul", "add", "mul"]
    assert names(trace, [one.tensor for one in depends.values]) == ["x"]  # the product's other factor; neither w nor y
    assert names(trace, list(depends.bottlenecks)) == ["z", "y", "x * w"]
    assert depends.longest == 3


def test_a_fork_is_no_bottleneck() -> None:
    trace = run(SCALARS)
    depends = dependencies(trace, 0, tensor_called(trace, "x"))
    assert names(trace, list(depends.bottlenecks)) == ["z"]


def test_ten_thousand_operations_in_a_row() -> None:
    source = "import torch\nx = torch.tensor(1., requires_grad=True)\ny = x\nfor _ in range(10_000):\n    y = y * 1.0\n"
    trace = run(source + "y.backward()\n")
    depends = dependencies(trace, 0, tensor_called(trace, "x"))
    assert depends.longest == len(depends.operations) == 10_000 and len(depends.bottlenecks) == 10_000
