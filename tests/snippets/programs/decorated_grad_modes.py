import torch


@torch.no_grad()
def evaluate(w, x):
    """Evaluate without a graph."""
    return (w * x).sum()


@torch.inference_mode()
def infer(w, x):
    return w * x


@torch.enable_grad()
def always(w):
    return w * 2


@torch.set_grad_enabled(False)
def off(w):
    return w * 3


w = torch.ones(3, requires_grad=True)
x = torch.arange(3.0)
print(evaluate(w, x), evaluate.__name__, evaluate.__doc__)
r = infer(w, x)
print(r.is_inference(), r.requires_grad, torch.is_inference_mode_enabled())
with torch.no_grad():
    print(always(w).requires_grad, torch.is_grad_enabled())
print(off(w).requires_grad)
for train in (True, False):
    with torch.set_grad_enabled(train):
        print(train, (w + 1).requires_grad)
torch.set_grad_enabled(False)
print((w + 1).requires_grad)
torch.set_grad_enabled(True)
print((w + 1).requires_grad)
try:
    r2 = r * w
    r2.sum().backward()
except RuntimeError as e:
    print(e)
try:
    r.add_(1)
    print("changed")
except RuntimeError as e:
    print(e)


@torch.no_grad
def bare(w):
    return w + 1


print(bare(w).requires_grad)


@torch.no_grad()
def gen():
    for i in range(2):
        yield torch.is_grad_enabled()


print(list(gen()), torch.is_grad_enabled())


class Clf:
    @torch.no_grad()
    def predict(self, x):
        return (x * w).argmax()

    @staticmethod
    @torch.no_grad()
    def thing():
        return torch.is_grad_enabled()


print(Clf().predict(x), Clf.thing())
with torch.inference_mode(False):
    print(torch.is_inference_mode_enabled())
try:
    with torch.no_grad():
        raise ValueError("inside")
except ValueError as e:
    print(e, torch.is_grad_enabled())
