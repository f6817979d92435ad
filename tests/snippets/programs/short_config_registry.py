MODELS = {}


def register_model(fn):
    MODELS[fn.__name__] = fn
    return fn


@register_model
def small(width=2):
    import torch

    return torch.nn.Linear(width, 1)


@register_model
def large(width=4, depth=2):
    from torch import nn

    return nn.Sequential(*(nn.Linear(width, width) for _ in range(depth)))


for name, kwargs in [("small", {}), ("large", {"depth": 3})]:
    print(name, MODELS[name](**kwargs))
config = {"model": {"name": "small", "width": 3}, "train": {"lr": 0.1}}
args = dict(config["model"])
print(MODELS[args.pop("name")](**args), config["model"]["name"])
