import warnings

import torch


class Stop(Exception):
    pass


@torch.no_grad()
def steps(count):
    total = 0
    for i in range(count):
        try:
            sent = yield i, torch.is_grad_enabled()
            total += sent or 0
        except Stop:
            yield "thrown", torch.is_grad_enabled()
        finally:
            print("  inside", i, torch.is_grad_enabled())
    return total


walk = steps(3)
print(next(walk), torch.is_grad_enabled())
print(walk.send(10), torch.is_grad_enabled())
print(walk.throw(Stop), torch.is_grad_enabled())
try:
    while True:
        print(walk.send(1), torch.is_grad_enabled())
except StopIteration as end:
    print("returned", end.value, torch.is_grad_enabled())

early = steps(5)
next(early)
early.close()
print("closed", torch.is_grad_enabled())


@torch.enable_grad()
def failing():
    yield torch.is_grad_enabled()
    raise ValueError("from inside")


with torch.no_grad():
    walk = failing()
    print(next(walk), torch.is_grad_enabled())
    try:
        next(walk)
    except ValueError as error:
        print(error, torch.is_grad_enabled())

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")

    @torch.no_grad()
    class Model:
        def __init__(self):
            print("made with", torch.is_grad_enabled())

        def run(self):
            print("runs with", torch.is_grad_enabled())

    Model().run()
print(caught[0].category.__name__, caught[0].message)


@torch.set_grad_enabled(False)
def quiet(x):
    return (x * 2).requires_grad


def loud(x):
    return (x * 2).requires_grad


one = torch.ones(1, requires_grad=True)
print(quiet(one), torch.is_grad_enabled())
mode = torch.set_grad_enabled(False)
print(torch.is_grad_enabled())
wrapped = mode(loud)
print(torch.is_grad_enabled(), wrapped(one), torch.is_grad_enabled())
print(torch.autograd.is_multithreading_enabled())
with torch.autograd.set_multithreading_enabled(False):
    print(torch.autograd.is_multithreading_enabled())
print(torch.autograd.is_multithreading_enabled())
with torch.no_grad():
    print(one.numpy())
