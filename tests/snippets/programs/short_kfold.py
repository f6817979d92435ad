import random

random.seed(0)
data = list(range(10))
random.shuffle(data)
k = 3
folds = [data[i::k] for i in range(k)]
for i, val in enumerate(folds):
    train = [x for j, f in enumerate(folds) if j != i for x in f]
    print(i, sorted(val), len(train))
assert sorted(sum(folds, [])) == list(range(10))
