def make_counter(start=0):
    count = start

    def increment(by=1):
        nonlocal count
        count += by
        return count

    def reset():
        nonlocal count
        count = start

    increment.reset = reset
    return increment


c = make_counter(5)
print(c(), c(2), c.reset(), c())
adders = [lambda x, n=n: x + n for n in range(3)]
print([f(10) for f in adders])
late = [lambda: i for i in range(3)]
print([f() for f in late])


def compose(*fs):
    def run(x):
        for f in fs:
            x = f(x)
        return x

    return run


print(compose(lambda x: x + 1, lambda x: x * 2, str)(3))
total = 0


def add(n):
    global total
    total += n


for n in range(4):
    add(n)
print(total)


def outer():
    x = "outer"

    def middle():
        def inner():
            nonlocal x
            x = "inner"

        inner()

    middle()
    return x


print(outer())
