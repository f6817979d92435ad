import torch

d = torch.nn.ParameterDict({"b": torch.ones(1), "a": torch.zeros(2)})
print(d, d.get("x"), d.get("a"), d.pop("b"), d.setdefault("c", torch.ones(3)), d.copy(), d.fromkeys(["p", "q"], 1))
print(d.popitem(), d.keys(), list(d.items()), len(d), d | {"z": torch.ones(1)}, list(reversed(d)))
d.clear()
print(d, list(d.parameters()))
for wrong in (lambda: d.pop("x"), lambda: d["x"]):
    try:
        wrong()
    except AttributeError as error:
        print(error)
