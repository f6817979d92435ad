import itertools
from collections import deque


def batches(data, size):
    it = iter(data)
    while chunk := list(itertools.islice(it, size)):
        yield chunk


def moving_average(window):
    values = deque(maxlen=window)
    average = None
    while True:
        x = yield average
        values.append(x)
        average = sum(values) / len(values)


def flatten(tree):
    for node in tree:
        if isinstance(node, (list, tuple)):
            yield from flatten(node)
        else:
            yield node


def managed():
    try:
        yield 1
        yield 2
    finally:
        print("closed")


print(list(batches(range(7), 3)))
avg = moving_average(2)
next(avg)
print(avg.send(1), avg.send(3), avg.send(5))
print(list(flatten([1, [2, (3, [4])], 5])))
g = managed()
print(next(g))
g.close()


def accumulate():
    total = 0
    while True:
        try:
            value = yield total
        except ValueError:
            total = 0
            continue
        if value is None:
            return total
        total += value


a = accumulate()
next(a)
a.send(2)
a.send(3)
print(a.throw(ValueError))
a.send(7)
try:
    a.send(None)
except StopIteration as stop:
    print("value", stop.value)
print(sum(x * x for x in range(5) if x % 2), max((len(w), w) for w in ["a", "bbb", "cc"]))
evens = (x for x in itertools.count() if x % 2 == 0)
print([next(evens) for _ in range(3)], dict(zip("abc", itertools.count(1))))
