from types import SimpleNamespace
import argparse
import json
import copy

cfg = SimpleNamespace(lr=0.1, model=SimpleNamespace(hidden=4))
cfg.epochs = 3
cfg.model.hidden *= 2
print(cfg, cfg.model.hidden, vars(cfg.model), cfg == SimpleNamespace(lr=0.1, model=SimpleNamespace(hidden=8), epochs=3))
args = argparse.Namespace(batch=4, name="run")
args.seed = 1
print(args, vars(args), "batch" in args)
for k, v in vars(args).items():
    print(f"{k:>8}: {v}")
print(json.dumps(vars(args), indent=2, sort_keys=True))
print(
    json.dumps({"a": [1, 2.5, None, True], "b": {"c": "é"}}),
    json.loads('{"x": [1, 2, {"y": null}]}'),
    json.dumps("é", ensure_ascii=False),
)
print(SimpleNamespace(**json.loads('{"lr": 0.5, "steps": 2}')), json.dumps([1, 2], separators=(",", ":")))
try:
    json.loads("{bad}")
except json.JSONDecodeError as e:
    print("bad json", e)
try:
    json.dumps({1, 2})
except TypeError as e:
    print(e)
print(json.dumps({"s": {1}}, default=lambda o: sorted(o)))
other = copy.deepcopy(cfg)
other.lr = 9
print(cfg.lr, other.lr)


class AttrDict(dict):
    def get_lr(self):
        return self["lr"]


print(AttrDict(lr=1).get_lr(), AttrDict(a=1) | {"b": 2})
