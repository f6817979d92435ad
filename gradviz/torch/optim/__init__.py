"""`torch.optim`: optimizers and learning rate schedulers."""

from gradviz.torch.optim import lr_scheduler
from gradviz.torch.optim.adam import Adam, Adamax, AdamW
from gradviz.torch.optim.optimizer import Optimizer
from gradviz.torch.optim.rms import Adadelta, Adagrad, RMSprop
from gradviz.torch.optim.sgd import SGD

__all__ = ["SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "Optimizer", "RMSprop", "lr_scheduler"]
