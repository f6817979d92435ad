from collections import Counter, defaultdict

corpus = "low low low lower lowest newer newest".split()
splits = {w: list(w) + ["</w>"] for w in corpus}
freq = Counter(corpus)
merges = []
for _ in range(5):
    pairs = defaultdict(int)
    for w, n in freq.items():
        for a, b in zip(splits[w], splits[w][1:]):
            pairs[a, b] += n
    best = max(pairs, key=lambda p: (pairs[p], p))
    merges.append(best)
    for w in splits:
        s, i = splits[w], 0
        while i < len(s) - 1:
            if (s[i], s[i + 1]) == best:
                s[i : i + 2] = ["".join(best)]
            else:
                i += 1
print(merges)
print(splits["lowest"], splits["newer"])
