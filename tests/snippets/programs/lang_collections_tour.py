from collections import Counter, OrderedDict, defaultdict, deque, namedtuple, ChainMap

words = "the cat sat on the mat the end".split()
counts = Counter(words)
print(counts, counts.most_common(2), counts["dog"], sum(counts.values()), sorted(counts.elements())[:3])
counts.update(["cat"])
print(counts - Counter(the=2), counts + Counter(a=1), counts & Counter(the=1, cat=5))
groups = defaultdict(list)
for w in words:
    groups[len(w)].append(w)
print(dict(groups), groups[99], list(groups))
nested = defaultdict(lambda: defaultdict(int))
nested["a"]["b"] += 1
print({k: dict(v) for k, v in nested.items()})
d = deque(range(5), maxlen=3)
d.append(9)
d.appendleft(7)
d.rotate(1)
print(d, d.pop(), d.popleft(), len(d), list(d))
od = OrderedDict([("a", 1), ("b", 2)])
od.move_to_end("a")
print(od, od.popitem(last=False), list(od))
Transition = namedtuple("Transition", ["state", "action", "reward"], defaults=[0.0])
t = Transition(1, 2)
print(t, t.reward, t._replace(reward=5), t[0], *t, Transition._fields, t._asdict(), Transition(*[1, 2, 3]) == (1, 2, 3))
config = ChainMap({"lr": 0.1}, {"lr": 0.01, "epochs": 3})
print(config["lr"], config["epochs"], dict(config))


class Trace(namedtuple("Trace", "name shape")):
    def numel(self):
        n = 1
        for s in self.shape:
            n *= s
        return n


print(Trace("w", (2, 3)).numel(), Trace("b", ()))
