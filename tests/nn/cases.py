"""Small programs over `torch.nn`, `torch.optim` and `torch.utils.data`. Each gets the module `torch`, PyTorch's when
golden data are recorded and ours when they are compared, and returns plain data and tensors."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from tests.nn import extras, layers, modules, optimizers

PROGRAMS: dict[str, Callable[[Any], Any]] = {
    **{
        f"layer {i}: {made}": (lambda t, m=made, g=given: layers.layer(t, m, g))
        for i, (made, given) in enumerate(layers.LAYERS)
    },
    **{
        f"repr: {made}": (lambda t, m=made: repr(eval(m, {"torch": t, "nn": t.nn, "OrderedDict": OrderedDict})))
        for made in layers.REPRS
    },
    **{f"init: {made}": (lambda t, m=made: modules.initialised(t, m)) for made in modules.INITS},
    **{
        f"optim {kind}: {made}": (lambda t, m=made, k=kind: optimizers.optimizer(t, m, k))
        for made in optimizers.OPTIMIZERS
        for kind in ("float32", "float64")
    },
    **{f"scheduler: {made}": (lambda t, m=made: optimizers.scheduler(t, m)) for made in optimizers.SCHEDULERS},
    **{
        f"recurrent: {made}": (lambda t, m=made, g=given: layers.recurrent(t, m, g)) for made, given in layers.RECURRENT
    },
    **{fn.__name__: fn for fn in (*extras.PROGRAMS, *modules.PROGRAMS, *optimizers.PROGRAMS)},
}
