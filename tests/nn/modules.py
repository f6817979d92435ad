"""What a Module does beside computing: names, modes, state, hooks, containers, errors, initial values."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable
from typing import Any


def _net(torch: Any) -> Any:
    nn = torch.nn

    class Net(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.fc1 = nn.Linear(3, 4)
            self.layers = nn.ModuleList([nn.Linear(4, 4), nn.ReLU()])
            self.scale = nn.Parameter(torch.tensor([2.0]))
            self.register_buffer("seen", torch.zeros(1))
            self.register_buffer("scratch", torch.zeros(1), persistent=False)

        def forward(self, x: Any) -> Any:
            x = torch.relu(self.fc1(x))
            for each in self.layers:
                x = each(x)
            return (x * self.scale).sum()

    torch.manual_seed(3)
    return Net()


def error(fn: Callable[[], Any]) -> str:
    """What a call raises."""
    try:
        fn()
    except Exception as caught:  # noqa: BLE001  whatever it is, is the result
        return f"{type(caught).__name__}: {caught}"
    return "nothing raised"


def module_walks(torch: Any) -> Any:
    """Names, order and duplicates."""
    net = _net(torch)
    net.again = net.fc1
    return {
        "text": repr(net),
        "parameters": [name for name, _ in net.named_parameters()],
        "own": [name for name, _ in net.named_parameters(recurse=False)],
        "prefixed": [name for name, _ in net.named_parameters(prefix="net")],
        "twice": [name for name, _ in net.named_parameters(remove_duplicate=False)],
        "buffers": [name for name, _ in net.named_buffers()],
        "modules": [name for name, _ in net.named_modules()],
        "children": [name for name, _ in net.named_children()],
        "state": list(net.state_dict()),
        "metadata": {key: dict(value) for key, value in net.state_dict()._metadata.items()},
        "kind": type(net.state_dict()).__name__,
        "dir": [name for name in dir(net) if name in ("fc1", "scale", "seen", "forward", "training")],
        "get": [list(net.get_parameter("fc1.weight").shape), repr(net.get_submodule("layers.1"))],
        "count": sum(p.numel() for p in net.parameters()),
    }


def module_modes(torch: Any) -> Any:
    """train, eval, apply, requires_grad_, zero_grad, to, double."""
    net = _net(torch)
    seen: list[str] = []
    net.apply(lambda m: seen.append(type(m).__name__))
    found: dict[str, Any] = {"applied": seen, "eval": [m.training for m in net.eval().modules()]}
    found["train"] = [m.training for m in net.train().modules()]
    net(torch.ones(2, 3)).backward()
    found["grad"] = net.fc1.bias.grad
    net.zero_grad(set_to_none=False)
    found["zeroed"] = net.fc1.bias.grad
    net.zero_grad()
    found["cleared"] = net.fc1.bias.grad is None
    net.double()
    found["double"] = [str(p.dtype) for p in net.parameters()]
    found["same"] = [net.to(torch.float32) is net, str(net.seen.dtype)]
    net.requires_grad_(False)
    found["frozen"] = [p.requires_grad for p in net.parameters()]
    twin = copy.deepcopy(net)
    with torch.no_grad():
        twin.scale.add_(1)
    found["copied"] = [net.scale.item(), twin.scale.item(), type(twin.scale).__name__]
    return found


def module_errors(torch: Any) -> Any:
    """PyTorch's complaints, word for word."""
    nn = torch.nn
    net = _net(torch)

    class Early(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self, value: Any) -> None:
            self.thing = value

    def assign(name: str, value: Any) -> Callable[[], Any]:
        return lambda: setattr(net, name, value)

    return {
        "early module": error(lambda: Early(nn.ReLU())),
        "early parameter": error(lambda: Early(nn.Parameter(torch.ones(1)))),
        "tensor as parameter": error(assign("scale", torch.ones(1))),
        "number as module": error(assign("fc1", 3)),
        "text as buffer": error(assign("seen", "x")),
        "no forward": error(lambda: nn.Module()(1)),
        "no attribute": error(lambda: net.nothing),
        "bad name": error(lambda: net.add_module("a.b", nn.ReLU())),
        "empty name": error(lambda: net.add_module("", nn.ReLU())),
        "taken name": error(lambda: net.add_module("forward", nn.ReLU())),
        "no module": error(lambda: net.add_module("x", 3)),
        "bad buffer": error(lambda: net.register_buffer("x", 3)),
        "bad parameter": error(lambda: net.register_parameter("x", torch.ones(1))),
        "non-leaf": error(lambda: net.register_parameter("x", nn.Parameter(torch.ones(1)) * 1)),
        "unexpected": error(lambda: nn.Module(3)),
        "bad train": error(lambda: net.train(1)),
        "bad submodule": error(lambda: net.get_submodule("fc2")),
        "not a module": error(lambda: net.get_submodule("scale")),
        "bad load": error(lambda: net.load_state_dict(3)),
        "missing": error(lambda: net.load_state_dict({"fc1.weight": torch.ones(4, 3), "what": torch.ones(1)})),
        "shapes": error(lambda: net.load_state_dict({**net.state_dict(), "fc1.bias": torch.ones(3)})),
        "integers": error(lambda: nn.Parameter(torch.tensor([1]))),
        "dropout": error(lambda: nn.Dropout(1.5)),
        "groups": error(lambda: nn.Conv2d(3, 4, 1, groups=2)),
        "to int": error(lambda: net.to(torch.int64)),
        "list index": error(lambda: net.layers[5]),
        "batch norm": error(lambda: nn.BatchNorm2d(2)(torch.ones(2, 2))),
        "linear": error(lambda: nn.Linear(3, 2)(torch.ones(2, 2))),
    }


def state_dicts(torch: Any) -> Any:
    """Saving, loading, matching and the keys that do not."""
    one, two = _net(torch), _net(torch)
    with torch.no_grad():
        one.scale.fill_(5.0)
    loaded = two.load_state_dict(one.state_dict())
    partly = two.load_state_dict({"scale": torch.tensor([9.0]), "extra": torch.ones(1)}, strict=False)
    return {
        "loaded": repr(loaded),
        "partly": [partly.missing_keys, partly.unexpected_keys],
        "scale": two.scale,
        "text": repr(OrderedDict(list(one.state_dict().items())[:1])),
        "shares": one.state_dict()["scale"].fill_(7.0).item() == one.scale.item(),
        "tracked": one.state_dict()["scale"].requires_grad,
        "kept": one.state_dict(keep_vars=True)["scale"].requires_grad,
    }


def forward_hooks(torch: Any) -> Any:
    """Order, replacement and removal."""
    nn = torch.nn
    log: list[Any] = []
    linear = nn.Linear(2, 1, bias=False)
    with torch.no_grad():
        linear.weight.copy_(torch.tensor([[1.0, 2.0]]))
    first = linear.register_forward_pre_hook(lambda m, args: log.append("pre") or (args[0] * 10,))
    linear.register_forward_hook(lambda m, args, out: log.append(["post", args[0].tolist(), out.tolist()]))
    linear.register_forward_hook(lambda m, args, out: out + 1)
    linear.register_forward_hook(lambda m, args, kwargs, out: log.append(sorted(kwargs)), with_kwargs=True)
    one = linear(torch.ones(1, 2))
    first.remove()
    two = linear(torch.ones(1, 2))
    return {"log": log, "one": one.detach(), "two": two.detach()}


def backward_hooks(torch: Any) -> Any:
    """Full backward hooks: what they see, in which order, and replacing."""
    nn = torch.nn
    log: list[Any] = []
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    for index, module in enumerate(net):
        module.register_full_backward_hook(
            lambda m, inner, outer, i=index: log.append(
                [i, [g.tolist() for g in inner if g is not None], outer[0].tolist()]
            )
        )
    net[1].register_full_backward_pre_hook(lambda m, outer: (outer[0] * 2,))
    x = torch.ones(1, 2, requires_grad=True)
    out = net(x)
    name = type(out.grad_fn).__name__
    out.sum().backward()
    return {"log": log, "grad": x.grad, "weight": net[0].weight.grad, "name": name}


def containers(torch: Any) -> Any:
    """Indexing and changing containers."""
    nn = torch.nn
    net = nn.Sequential(nn.ReLU(), nn.Tanh())
    net.append(nn.Sigmoid())
    net.insert(1, nn.ELU())
    found: dict[str, Any] = {"appended": repr(net), "last": repr(net[-1]), "length": len(net)}
    del net[0]
    found["deleted"] = repr(net)
    found["joined"] = repr(nn.Sequential(nn.ReLU()) + nn.Sequential(nn.Tanh()))
    modules = nn.ModuleList([nn.ReLU()])
    modules.extend([nn.Tanh(), nn.ELU()])
    modules[0] = nn.Sigmoid()
    found["list"] = [repr(modules), repr(modules[1:]), repr(modules.pop(1)), len(modules)]
    named = nn.ModuleDict()
    named["a"] = nn.ReLU()
    named.update({"b": nn.Tanh()})
    found["dict"] = [list(named), "a" in named, repr(named.pop("a")), list(named.keys())]
    params = nn.ParameterList([torch.ones(1)])
    params.append(nn.Parameter(torch.zeros(2)))
    found["params"] = [[name for name, _ in params.named_parameters()], len(params), type(params[0]).__name__]
    return found


INITS = [
    "init.uniform_(w, -1, 2)",
    "init.normal_(w, 1, 0.5)",
    "init.trunc_normal_(w, std=0.02)",
    "init.constant_(w, 0.3)",
    "init.ones_(w)",
    "init.zeros_(w)",
    "init.eye_(w)",
    "init.xavier_uniform_(w)",
    "init.xavier_uniform_(w, gain=2.0)",
    "init.xavier_normal_(w)",
    "init.kaiming_uniform_(w)",
    "init.kaiming_uniform_(w, mode='fan_out', nonlinearity='relu')",
    "init.kaiming_normal_(w)",
    "init.kaiming_normal_(w, nonlinearity='relu')",
    "init.kaiming_uniform_(c, a=0.1)",
    "init.xavier_normal_(c)",
    "init.dirac_(c)",
    "init.sparse_(w, 0.3)",
    "init.orthogonal_(w)",
    "init.orthogonal_(w.t(), 2.0)",
]


def initialised(torch: Any, made: str) -> Any:
    """One initialiser on a matrix or on the weight of a convolution."""
    torch.manual_seed(5)
    names = {"init": torch.nn.init, "w": torch.empty(5, 7), "c": torch.empty(4, 2, 3, 3)}
    return {"computed" if "orthogonal" in made else "values": eval(made, names), "next": torch.rand(1)}


def gains(torch: Any) -> Any:
    """calculate_gain and the errors."""
    init = torch.nn.init
    found = {
        name: init.calculate_gain(name)
        for name in ("linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu")
    }
    return {
        **found,
        "slope": init.calculate_gain("leaky_relu", 0.2),
        "unknown": error(lambda: init.calculate_gain("what")),
        "vector": error(lambda: init.xavier_uniform_(torch.empty(3))),
        "mode": error(lambda: init.kaiming_uniform_(torch.empty(3, 3), mode="what")),
        "eye": error(lambda: init.eye_(torch.empty(3))),
    }


PROGRAMS = (
    module_walks,
    module_modes,
    module_errors,
    state_dicts,
    forward_hooks,
    backward_hooks,
    containers,
    gains,
)
