"""`torch.optim`: optimizers and learning rate schedulers."""

from gradviz.torch.optim import lr_scheduler, swa_utils
from gradviz.torch.optim.adaptive import Adadelta, Adagrad, Adam, Adamax, AdamW, NAdam, RAdam, RMSprop
from gradviz.torch.optim.factored import Adafactor, Muon, SparseAdam
from gradviz.torch.optim.lbfgs import LBFGS
from gradviz.torch.optim.optimizer import Optimizer
from gradviz.torch.optim.sgd import ASGD, SGD, Rprop
from gradviz.torch.pytorch_names import rehome

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SparseAdam",
    "lr_scheduler",
    "swa_utils",
]

rehome(
    __name__,
    {
        "_adafactor": [Adafactor],
        "_muon": [Muon],
        "sparse_adam": [SparseAdam],
        "adam": [Adam],
        "adamw": [AdamW],
        "adamax": [Adamax],
        "adagrad": [Adagrad],
        "adadelta": [Adadelta],
        "asgd": [ASGD],
        "lbfgs": [LBFGS],
        "nadam": [NAdam],
        "radam": [RAdam],
        "rmsprop": [RMSprop],
        "rprop": [Rprop],
        "sgd": [SGD],
        "swa_utils": [swa_utils.AveragedModel, swa_utils.SWALR],
    },
)
for _found in vars(lr_scheduler).values():  # shown when a snippet prints a type
    if isinstance(_found, type) and _found.__module__.startswith("gradviz.torch.optim"):
        _found.__module__ = "torch.optim.lr_scheduler"
