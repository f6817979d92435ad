import functools
import time
import torch


def timer(func):
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        start = time.time()
        result = func(*args, **kwargs)
        wrapper.elapsed = time.time() - start
        return result

    return wrapper


class CountCalls:
    def __init__(self, func):
        self.func = func
        self.calls = 0

    def __call__(self, *args, **kwargs):
        self.calls += 1
        return self.func(*args, **kwargs)


REGISTRY = {}


def register(name=None):
    def decorate(cls):
        REGISTRY[name or cls.__name__] = cls
        return cls

    return decorate


@register("mlp")
class MLP(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(1, 1)

    @torch.no_grad()
    def predict(self, x):
        return self.fc(x)

    @torch.inference_mode()
    def infer(self, x):
        return self.fc(x)


@register()
class Other:
    pass


@timer
def work(n):
    return sum(range(n))


@CountCalls
def square(x):
    return x * x


@torch.no_grad()
def evaluate(model, x):
    """evaluate"""
    return model.fc(x)


@timer
@CountCalls
def both():
    return 1


def debug(prefix="", *, enabled=True):
    def decorator(fn):
        def inner(*a, **k):
            if enabled:
                print(prefix, fn.__name__, a, k)
            return fn(*a, **k)

        return inner

    return decorator


@debug(">>", enabled=True)
def add(a, b=1):
    return a + b


print(work(100), work.elapsed >= 0, square(3), square(4), square.calls, sorted(REGISTRY), add(1, b=2))
net = REGISTRY["mlp"]()
x = torch.ones(1, 1)
print(net.predict(x).requires_grad, net.infer(x).is_inference(), evaluate(net, x).requires_grad, evaluate.__name__)
