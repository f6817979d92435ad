import random

random.seed(42)
print(
    random.random(),
    random.randint(1, 6),
    random.uniform(-1, 1),
    random.gauss(0, 1),
    random.choice("abc"),
    random.randrange(0, 10, 2),
)
items = list(range(6))
random.shuffle(items)
print(
    items,
    random.sample(range(100), 3),
    random.choices("xyz", weights=[1, 2, 3], k=4),
    random.normalvariate(0, 1),
    random.betavariate(1, 2),
)
rng = random.Random(0)
print(rng.random(), rng.randint(0, 9), rng.choice([1, 2, 3]), rng.sample([1, 2, 3, 4], 2))
state = random.getstate()
a = random.random()
random.setstate(state)
print(a == random.random(), random.getrandbits(8) < 256, random.triangular(0, 1, 0.5) <= 1, random.expovariate(1) > 0)
