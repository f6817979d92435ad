"""A package beside it: model and training loop in files of their own, dataclass configuration, argparse, logging."""

import argparse, dataclasses, logging, os, sys, tempfile, torch

folder = tempfile.mkdtemp()
sys.path.insert(0, folder)
with open(os.path.join(folder, "mymodel.py"), "w") as f:
    f.write(
        "import torch\nfrom torch import nn\n\nclass Net(nn.Module):\n    def __init__(self, d):\n        super().__init__()\n        self.fc = nn.Linear(d, d)\n        self.scale = nn.Parameter(torch.ones(1))\n\n    def forward(self, x):\n        hidden = torch.tanh(self.fc(x))\n        return hidden * self.scale\n"
    )
with open(os.path.join(folder, "mytrain.py"), "w") as f:
    f.write(
        "def fit(net, opt, batches):\n    for x in batches:\n        loss = net(x).pow(2).mean()\n        opt.zero_grad()\n        loss.backward()\n        opt.step()\n        yield loss.item()\n"
    )
from mymodel import Net
from mytrain import fit


@dataclasses.dataclass
class Config:
    dim: int = 4
    lr: float = 0.1


parser = argparse.ArgumentParser()
parser.add_argument("--dim", type=int, default=4)
args = parser.parse_args()
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
torch.manual_seed(0)
cfg = Config(dim=args.dim)
net = Net(cfg.dim)
opt = torch.optim.SGD(net.parameters(), cfg.lr)
for n, loss in enumerate(fit(net, opt, [torch.randn(3, cfg.dim) for _ in range(3)])):
    logging.info("%d %r", n, loss)
