"""All that stops a file at once, and the changes that let it run: run for real, until nothing is left."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gradviz.session.obstacles import Obstacles, obstacles
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.events import Done

DDP = """import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP, DataParallel

def setup(rank, world_size):
    dist.init_process_group("gloo", rank=rank, world_size=world_size)

def cleanup():
    dist.destroy_process_group()

def train(rank, world_size):
    setup(rank, world_size)
    model = DDP(torch.nn.Linear(2, 1).to(rank), device_ids=[rank])
    x = torch.ones(3, 2).to(rank)
    model(x).sum().backward()
    if dist.get_rank() == 0:
        print("done", dist.get_world_size())
    cleanup()

if __name__ == "__main__":
    mp.spawn(train,
             args=(1,),
             nprocs=1)
"""
CUDA = """import torch
net = torch.nn.Linear(2, 1)
net.cuda()
x = torch.ones(1, 2).cuda(non_blocking=True)  # the data
y = torch.ones(1, 1, device="cuda:0")
device = "cuda" if torch.cuda.is_available() else "cpu"
if torch.cuda.is_available():
    x = x.cuda()
z = torch.cuda.FloatTensor(1, 1).fill_(2.0)
torch.cuda.synchronize()
print((net(x) * y * z).shape, x.to(device).device)
"""


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    made = WorkerPool(reuse=True)
    made.start("", lambda event: None).wait(60)  # the process and its threads are there before the first test
    yield made
    made.close()


def run(pool: WorkerPool, text: str) -> Done:
    done = pool.start(text, lambda event: None).wait(60)
    assert done is not None
    return done


def met(pool: WorkerPool, text: str) -> Obstacles:
    done = run(pool, text)
    at = done.detail.line if "CUDA" in done.detail.sentence or "accelerator" in done.detail.sentence else -1
    return obstacles(text, done.detail.refusals, done.detail.missing, cuda_line=at)


def changed(pool: WorkerPool, text: str) -> str:
    """The text with all changes made, as often as there are any."""
    for _ in range(5):
        found = met(pool, text).text
        if found is None:
            return text
        text = found
    raise AssertionError("there is always one more")


@pytest.mark.parametrize("text", [DDP, CUDA])
def test_a_file_runs_after_all_changes(pool: WorkerPool, text: str) -> None:
    made = changed(pool, text)
    assert run(pool, made).status == "ok", made


def test_the_changes_of_a_distributed_file_are_the_ones_one_would_make(pool: WorkerPool) -> None:
    made = changed(pool, DDP)
    assert "model = torch.nn.Linear(2, 1)\n" in made and "    train(0, 1)\n" in made
    assert "if 0 == 0:" in made and 'print("done", 1)' in made and "    pass\n" in made
    assert "from torch.nn.parallel import DataParallel\n" in made, "what else a line imports stays"


def test_what_asks_first_for_a_card_stays(pool: WorkerPool) -> None:
    made = changed(pool, CUDA)
    assert 'device = "cuda" if torch.cuda.is_available() else "cpu"\n' in made and "    x = x.cuda()\n" in made
    assert "x = torch.ones(1, 2)  # the data\n" in made and 'device="cpu"' in made and "\nnet.cuda()" not in made
    assert "z = torch.FloatTensor(1, 1).fill_(2.0)" in made and "synchronize" not in made
    found = met(pool, CUDA).every
    assert [(each.title, each.lines, each.is_cuda) for each in found] == [
        ("cuda", (3, 4, 5, 10), True),
        ("torch.cuda.FloatTensor", (9,), False),
    ]


def test_a_package_is_one_thing_wherever_it_is_used(pool: WorkerPool) -> None:
    text = "import pandas as pd, torch\npd.set_option('a', 1)\ndf = pd.read_excel('x')\nprint(torch.ones(1))\n"
    (found,) = met(pool, text).every
    assert (found.title, found.purpose, found.lines) == ("pandas", "tables of data", (2, 3))
    assert found.change == ("- pd.set_option('a', 1)",) and found.button == "Remove the Line" and found.left == (3,)
    assert met(pool, text).left == 1


def test_an_import_goes_with_its_last_use_and_never_what_stands_beside_it(pool: WorkerPool) -> None:
    text = "import mlflow, torch\nfrom mlflow import log as tell, Image\nmlflow.init()\ntell({'a': 1.0})\nprint(1)\n"
    assert changed(pool, text) == "import torch\nfrom mlflow import Image\nprint(1)\n"


@pytest.mark.parametrize(
    "text",
    [
        "import mlflow\nx = mlflow.init()\n",  # its value is used
        "import ray\ndef f(): print(1)\nray.get(f())\n",  # what is computed for it
        "import concurrent.futures as c\ndef f(): print(1)\nc.run(f)\n",  # what it is to call
        "import ray\nray.get(lambda: 1)\n",
        "import torch.multiprocessing as mp\ndef f(*x): pass\na = (1,)\nmp.spawn(f, args=a)\n",  # not known
        "import pandas as pd\nfor x in pd.read_excel(): print(x)\n",
    ],
)
def test_nothing_is_offered_that_would_lose_something(pool: WorkerPool, text: str) -> None:
    found = met(pool, text)
    assert found.every and found.text is None and all(not each.button for each in found.every)


def test_what_the_language_refuses_has_its_change_where_there_is_one(pool: WorkerPool) -> None:
    text = "y = 4\nbreakpoint()\ndef f():\n    breakpoint()\nprint(y, f())\n"
    found = met(pool, text)
    assert [each.button for each in found.every] == ["Change 2 Lines", "Change 2 Lines"]
    assert found.text == "y = 4\ndef f():\n    pass\nprint(y, f())\n"
    assert met(pool, "code = compile('1', '', 'eval')\nasync def f(): pass\n").text is None


def test_a_line_of_a_notebook_is_removed_as_a_line(pool: WorkerPool) -> None:
    (found,) = met(pool, "x = [1,\n!pip install torch\n]\nprint(x)\n").every
    assert (found.button, found.text) == ("Remove the Line", "x = [1,\n]\nprint(x)\n")


def test_lines_of_a_notebook_are_no_hindrance(pool: WorkerPool) -> None:
    text = "%matplotlib inline\nimport mlflow\nmlflow.init()\nprint(1)\n"
    assert changed(pool, text) == "%matplotlib inline\nprint(1)\n"


def test_trained_weights_have_their_change(pool: WorkerPool) -> None:
    text = (
        "import torchvision.models as models, torch\nfrom torchvision.models import resnet18, ResNet18_Weights\n"
        "a = resnet18(weights=ResNet18_Weights.DEFAULT)\nb = models.squeezenet1_1(True, progress=False)\n"
        "c = models.resnet18(pretrained=False)\nd = models.mobilenet_v2(weights='DEFAULT', progress=True).cuda()\n"
    )
    found = met(pool, text)
    assert [(each.title, each.lines) for each in found.every] == [
        ("torchvision.models.resnet18", (3,)),
        ("torchvision.models.squeezenet1_1", (4,)),
        ("torchvision.models.mobilenet_v2", (6,)),
        ("cuda", (6,)),
    ]
    assert found.every[0].change == (
        "- a = resnet18(weights=ResNet18_Weights.DEFAULT)",
        "+ a = resnet18(weights=None)",
    )
    assert found.every[0].advice.startswith("trained weights can't be downloaded")
    made = changed(pool, text)
    assert (
        "squeezenet1_1(False, progress=False)" in made
        and "d = models.mobilenet_v2(weights=None, progress=True)\n" in made
    )
    assert run(pool, made).status == "ok", made


def test_a_module_of_ones_own_is_to_be_attached(pool: WorkerPool) -> None:
    (found,) = met(pool, "from helper import double\nprint(double(2))\n").every
    assert (found.title, found.attach, found.text) == ("helper", "helper.py", None)


def test_a_long_file_is_looked_at_once(pool: WorkerPool) -> None:
    text = "import torch\n" + "".join(f"x{n} = torch.ones(1).cuda().cuda()\n" for n in range(600))
    assert changed(pool, text) == text.replace(".cuda()", "")
