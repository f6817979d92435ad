"""Optimizers, schedulers, clipping, data loading, and a whole training run."""

from __future__ import annotations

import warnings
from typing import Any

from tests.nn.modules import error

OPTIMIZERS = [
    "SGD(params, lr=0.1)",
    "SGD(params)",
    "SGD(params, lr=0.1, momentum=0.9)",
    "SGD(params, lr=0.1, momentum=0.9, nesterov=True)",
    "SGD(params, lr=0.05, momentum=0.9, dampening=0.5, weight_decay=0.1)",
    "SGD(params, lr=0.1, maximize=True)",
    "Adam(params)",
    "Adam(params, lr=0.1, betas=(0.8, 0.9), eps=1e-6)",
    "Adam(params, lr=0.1, weight_decay=0.1, amsgrad=True)",
    "AdamW(params)",
    "AdamW(params, lr=0.05, weight_decay=0.3)",
    "Adamax(params)",
    "RMSprop(params)",
    "RMSprop(params, lr=0.05, momentum=0.9, centered=True, weight_decay=0.1)",
    "Adagrad(params)",
    "Adagrad(params, lr=0.1, lr_decay=0.1, initial_accumulator_value=0.5, weight_decay=0.01)",
    "Adadelta(params)",
    "Adadelta(params, rho=0.5, weight_decay=0.1)",
]


def optimizer(torch: Any, made: str, dtype: str) -> Any:
    """Six steps with random gradients: the parameters after each, the state, the text."""
    torch.manual_seed(11)
    kind = getattr(torch, dtype)
    params = [torch.randn(7, dtype=kind, requires_grad=True), torch.randn(3, 20, dtype=kind, requires_grad=True)]
    optim = eval(f"optim.{made}", {"optim": torch.optim, "params": params})
    history = []
    for step in range(6):
        for param in params:
            param.grad = torch.randn(param.shape, dtype=kind) * (step + 1)
        optim.step()
        history.append([param.detach().clone() for param in params])
    saved = optim.state_dict()
    return {
        "history": history,
        "text": repr(optim),
        "versions": [param._version for param in params],
        "state": {str(k): {n: v for n, v in values.items()} for k, values in saved["state"].items()},
        "groups": [list(group) for group in saved["param_groups"]],
    }


def optimizer_rest(torch: Any) -> Any:
    """Groups, clearing, closures, saving, errors."""
    optim = torch.optim
    a, b = torch.ones(2, requires_grad=True), torch.ones(1, requires_grad=True)
    two = optim.SGD([{"params": [a]}, {"params": b, "lr": 1.0}], lr=0.5, momentum=0.9)
    calls: list[float] = []

    def closure() -> Any:
        two.zero_grad()
        loss = (a * a).sum() + b.sum()
        loss.backward()
        calls.append(loss.item())
        return loss

    loss = two.step(closure)
    saved = two.state_dict()
    other = optim.SGD([{"params": [a]}, {"params": b}], lr=3.0, momentum=0.1)
    other.load_state_dict(saved)
    two.zero_grad(set_to_none=False)
    zeroed = a.grad.clone()
    two.zero_grad()
    log: list[str] = []
    two.register_step_pre_hook(lambda o, args, kwargs: log.append("pre"))
    two.register_step_post_hook(lambda o, args, kwargs: log.append("post"))
    two.step()
    return {
        "text": repr(two),
        "loss": loss.detach(),
        "calls": calls,
        "a": a.detach().clone(),
        "zeroed": zeroed,
        "cleared": a.grad is None,
        "restored": repr(other),
        "buffer": other.state[a]["momentum_buffer"],
        "log": log,
        "keys": [saved["param_groups"][1]["params"], sorted(saved)],
        "tensor": error(lambda: optim.SGD(a)),
        "empty": error(lambda: optim.SGD([])),
        "number": error(lambda: optim.SGD([1])),
        "non-leaf": error(lambda: optim.SGD([a * 2])),
        "lr": error(lambda: optim.SGD([a], lr=-1)),
        "momentum": error(lambda: optim.SGD([a], momentum=-1)),
        "nesterov": error(lambda: optim.SGD([a], nesterov=True)),
        "beta": error(lambda: optim.Adam([a], betas=(1.0, 0.9))),
        "eps": error(lambda: optim.Adam([a], eps=-1)),
        "twice": error(lambda: optim.SGD([{"params": a}, {"params": a}])),
        "group": error(lambda: two.add_param_group(3)),
        "load": error(lambda: optim.SGD([a]).load_state_dict(saved)),
        "parameter set": error(lambda: optim.SGD({a, b})),
    }


SCHEDULERS = [
    "StepLR(optim, 3)",
    "StepLR(optim, step_size=2, gamma=0.5)",
    "MultiStepLR(optim, [2, 5], gamma=0.3)",
    "ExponentialLR(optim, 0.9)",
    "LambdaLR(optim, lambda e: 0.95 ** e)",
    "LambdaLR(optim, [lambda e: e, lambda e: 1])",
    "MultiplicativeLR(optim, lambda e: 0.9)",
    "CosineAnnealingLR(optim, 5)",
    "CosineAnnealingLR(optim, T_max=4, eta_min=0.01)",
    "LinearLR(optim)",
    "LinearLR(optim, 0.2, 0.8, 4)",
    "ConstantLR(optim, 0.5, 3)",
]


def scheduler(torch: Any, made: str) -> Any:
    """Twelve epochs of rates."""
    a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    optim = torch.optim.SGD([{"params": a}, {"params": b, "lr": 0.7}], lr=0.1)
    plan = eval(f"s.{made}", {"s": torch.optim.lr_scheduler, "optim": optim})
    rates = [[plan.get_last_lr(), [g["lr"] for g in optim.param_groups]]]
    for _ in range(12):
        optim.step()
        plan.step()
        rates.append([plan.get_last_lr(), [g["lr"] for g in optim.param_groups]])
    state = {key: value for key, value in plan.state_dict().items() if "lambda" not in key}
    return {
        "rates": rates,
        "keys": list(state),
        "last": [state["last_epoch"], state["_step_count"]],
        "text": repr(optim),
    }


def plateau(torch: Any) -> Any:
    """ReduceLROnPlateau in its modes, and what schedulers warn about."""
    found: dict[str, Any] = {}
    metrics = [1.0, 0.9, 0.9, 0.9, 0.91, 0.9, 0.5, 0.6, 0.6, 0.6, 0.6, 0.6]
    for settings in (
        {"patience": 1},
        {"mode": "max", "patience": 2, "factor": 0.5},
        {"patience": 0, "cooldown": 2, "min_lr": 0.01},
    ):
        optim = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        plan = torch.optim.lr_scheduler.ReduceLROnPlateau(optim, **settings)
        rates = []
        for metric in metrics:
            plan.step(torch.tensor(metric))
            rates.append([optim.param_groups[0]["lr"], plan.num_bad_epochs])
        found[str(settings)] = rates
    optim = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        plan = torch.optim.lr_scheduler.StepLR(optim, 1)
        plan.step()
        plan.get_lr()
    found["warned"] = [str(each.message) for each in heard]
    found["wrong"] = error(lambda: torch.optim.lr_scheduler.StepLR(3, 1))
    found["factor"] = error(lambda: torch.optim.lr_scheduler.ReduceLROnPlateau(optim, factor=2))
    return found


def clipping(torch: Any) -> Any:
    """clip_grad_norm_, clip_grad_value_, vectors."""
    utils = torch.nn.utils
    torch.manual_seed(2)
    params = [
        torch.randn(3, requires_grad=True),
        torch.randn(2, 4, requires_grad=True),
        torch.ones(1, requires_grad=True),
    ]
    found: dict[str, Any] = {}
    for name, clip in {
        "two": lambda: utils.clip_grad_norm_(params, 1.0),
        "large": lambda: utils.clip_grad_norm_(params, 100.0),
        "one": lambda: utils.clip_grad_norm_(params, 2.0, norm_type=1),
        "inf": lambda: utils.clip_grad_norm_(params, 0.5, float("inf")),
        "value": lambda: utils.clip_grad_value_(params, 0.5),
        "single": lambda: utils.clip_grad_norm_(params[0], 0.1),
    }.items():
        for param in params[:2]:
            param.grad = torch.randn(param.shape) * 3
        found[name] = [clip(), [param.grad for param in params]]
    vector = utils.parameters_to_vector(params)
    found["vector"] = vector.detach().clone()
    utils.vector_to_parameters(torch.arange(12.0), params)
    found["back"] = [param.detach().clone() for param in params]
    params[0].grad = torch.tensor([float("nan"), 0, 0])
    found["nan"] = error(lambda: utils.clip_grad_norm_(params, 1.0, error_if_nonfinite=True))
    found["pad"] = utils.rnn.pad_sequence([torch.ones(2), torch.ones(3)], batch_first=True)
    return found


def data_loading(torch: Any) -> Any:
    """Order of batches under a seed, collating, splitting, samplers, errors."""
    data = torch.utils.data
    torch.manual_seed(4)
    pairs = data.TensorDataset(torch.arange(10.0).reshape(10, 1), torch.arange(10))
    found: dict[str, Any] = {}
    loader = data.DataLoader(pairs, batch_size=4, shuffle=True)
    found["epochs"] = [[[x.clone(), y.clone()] for x, y in loader] for _ in range(2)]
    found["after"] = torch.rand(1)
    found["plain"] = [y.tolist() for _, y in data.DataLoader(pairs, batch_size=3, drop_last=True)]
    found["lengths"] = [len(loader), len(data.DataLoader(pairs, batch_size=3, drop_last=True)), len(pairs)]
    found["seeded"] = [
        y.tolist() for _, y in data.DataLoader(pairs, 5, shuffle=True, generator=torch.Generator().manual_seed(1))
    ]
    found["split"] = [list(part.indices) for part in data.random_split(pairs, [7, 3])]
    found["fractions"] = [
        list(p.indices)
        for p in data.random_split(range(11), [0.5, 0.3, 0.2], generator=torch.Generator().manual_seed(9))
    ]
    found["items"] = [
        list(data.DataLoader([1.5, 2.5, 3.5], batch_size=2)),
        list(data.DataLoader([(1, "a"), (2, "b")], batch_size=2)),
        list(data.DataLoader([{"x": 1, "y": torch.ones(2)}] * 2, batch_size=2)),
    ]
    found["single"] = [x.tolist() for x, _ in data.DataLoader(pairs, batch_size=None)][:3]
    found["replaced"] = list(data.RandomSampler(range(5), replacement=True, num_samples=40))
    found["weighted"] = list(data.WeightedRandomSampler([0.1, 0.9, 0.4], 8))
    found["subset"] = list(data.SubsetRandomSampler([3, 5, 7]))
    found["concat"] = [(data.ConcatDataset([range(3), range(5)])[i]) for i in (0, 3, 7, -1)]
    found["sizes"] = error(lambda: data.TensorDataset(torch.ones(2), torch.ones(3)))
    found["sum"] = error(lambda: data.random_split(pairs, [3, 3]))
    found["batch"] = error(lambda: data.DataLoader(pairs, batch_size=0))
    found["both"] = error(lambda: data.DataLoader(pairs, shuffle=True, sampler=[1]))
    return found


def training(torch: Any) -> Any:
    """A small classifier, trained: every loss and the last parameters."""
    nn = torch.nn
    torch.manual_seed(21)
    net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3))
    x, y = torch.randn(24, 4), torch.randint(0, 3, (24,))
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=8, shuffle=True)
    criterion = nn.CrossEntropyLoss()
    optim = torch.optim.Adam(net.parameters(), lr=0.05)
    plan = torch.optim.lr_scheduler.StepLR(optim, 2, gamma=0.5)
    losses = []
    for _ in range(4):
        for inputs, targets in loader:
            optim.zero_grad()
            loss = criterion(net(inputs), targets)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optim.step()
            losses.append(loss.item())
        plan.step()
    return {"losses": losses, "parameters": [p.detach() for p in net.parameters()]}


PROGRAMS = (optimizer_rest, plateau, clipping, data_loading, training)
