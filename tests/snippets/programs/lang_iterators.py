class Countdown:
    def __init__(self, start):
        self.start = start

    def __iter__(self):
        self.n = self.start
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n + 1


class Sentence:
    def __init__(self, text):
        self.words = text.split()

    def __getitem__(self, i):
        return self.words[i]

    def __len__(self):
        return len(self.words)

    def __reversed__(self):
        return iter(self.words[::-1])


print(list(Countdown(3)), [x for x in Countdown(2)], sum(Countdown(4)))
s = Sentence("a b c")
print(list(s), s[0], s[-1], s[1:], "b" in s, len(s), list(reversed(s)), *s, sorted(s, reverse=True))
it = iter([1, 2])
print(next(it), next(it), next(it, "done"))
for i, w in enumerate(s):
    print(i, w, end="; ")
print()
rolls = iter([3, 5, 6, 1])
print(list(iter(lambda: next(rolls), 6)))
print(list(map(str.upper, s)), list(filter(str.isalpha, ["a", "1"])), dict(enumerate(s)), tuple(zip(s, s[1:])))
