"""What layers look like in a trace: buffers that only the gradient needs are memory of the node, not results."""

from __future__ import annotations

from gradviz.trace.table.modules import scope_name
from tests.trace.running import run

SOURCE = """\
import torch
import torch.nn.functional as F
x = torch.randn(2, 1, 4, 4, requires_grad=True)
h = F.max_pool2d(F.batch_norm(x, None, None, training=True), 2)
loss = F.cross_entropy(h.flatten(1), torch.tensor([1, 0]))
loss.backward()
"""


def test_an_operation_has_one_result_and_its_buffers_are_its_own_memory() -> None:
    trace = run(SOURCE)
    frame = trace.frame(int(trace.steps.kind.size) // 2)
    names = trace.nodes.name.tolist()
    for name, buffers in {
        "NativeBatchNormBackward0": {"result1", "result2"},
        "MaxPool2DWithIndicesBackward0": {"result1"},
        "NllLossBackward0": {"total_weight"},
    }.items():
        node = names.index(name)
        assert len(trace.outputs_of(node)) == 1, name
        own = {one.name for one in frame.saved(node) if one.tensor < 0}
        assert own == buffers, name


def test_indices_that_the_snippet_names_are_a_tensor_of_the_trace() -> None:
    source = "import torch\nx = torch.randn(1, 1, 4, 4, requires_grad=True)\n"
    source += "y, places = torch.nn.functional.max_pool2d(x, 2, return_indices=True)\nz = places + 1\n"
    trace = run(source)
    last = trace.frame(len(trace))
    assert "places" in [last.name(number) for number in range(len(trace.tensors))]


def test_a_part_of_a_module_is_called_as_the_snippet_gets_at_it() -> None:
    trace = run(
        "import torch\nclass Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.model = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Tanh())\n"
        "    def forward(self, x):\n        return self.model(x)\nnet = Net()\nnet(torch.ones(1, 1))"
    )
    frame, node = trace.frame(len(trace)), trace.nodes.op.tolist().index("addmm")
    assert frame.name(int(trace.outputs_of(node)[0])) == "output of model[0]"
    assert scope_name(trace, node) == "model[0]"


def test_a_view_is_called_what_it_is() -> None:
    trace = run(
        "import torch\ntorch.distributions.Normal(torch.zeros(2), torch.ones(2)).sample()\n"
        "x = torch.zeros(2, 4)\nx[:, 1::2] = torch.ones(2, 2)"
    )
    last = trace.frame(len(trace))
    assert {"torch.zeros(2).expand(2,)", "x[:, 1:4:2]"} <= {last.name(each) for each in range(len(trace.tensors))}


def test_what_a_bag_of_means_keeps_has_no_maxima() -> None:
    trace = run("import torch\nbag = torch.nn.EmbeddingBag(3, 2, mode='mean')\nbag(torch.tensor([[0, 1]]))")
    frame, node = trace.frame(len(trace)), trace.nodes.op.tolist().index("_embedding_bag")
    assert "result3" not in {one.name for one in frame.saved(node)} and len(frame.saved(node)) == 4
