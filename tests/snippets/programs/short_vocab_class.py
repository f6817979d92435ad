class Vocab:
    PAD, UNK = "<pad>", "<unk>"

    def __init__(self, tokens=(), min_freq=1, specials=(PAD, UNK)):
        self._itos = list(specials)
        counts = {}
        for t in tokens:
            counts[t] = counts.get(t, 0) + 1
        self._itos += sorted((t for t, c in counts.items() if c >= min_freq), key=lambda t: (-counts[t], t))
        self._stoi = {t: i for i, t in enumerate(self._itos)}

    def __len__(self):
        return len(self._itos)

    def __getitem__(self, tokens):
        if isinstance(tokens, (list, tuple)):
            return [self[t] for t in tokens]
        return self._stoi.get(tokens, self._stoi[self.UNK])

    def __contains__(self, t):
        return t in self._stoi

    def lookup(self, ids):
        return [self._itos[i] for i in ids]

    def __repr__(self):
        return f"<{type(self).__name__} of {len(self)}>"

    @property
    def unk(self):
        return self[self.UNK]


v = Vocab("a b a c a b".split(), min_freq=2)
print(v, len(v), v["a"], v[["a", "zzz", "b"]], "c" in v, v.lookup([2, 3]), v.unk, v._itos)
