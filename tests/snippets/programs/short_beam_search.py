import math
import heapq

table = {"<s>": {"a": 0.6, "b": 0.4}, "a": {"a": 0.1, "b": 0.5, "</s>": 0.4}, "b": {"a": 0.7, "</s>": 0.3}}


def beam_search(width=2, max_len=4):
    beams, finished = [(0.0, ["<s>"])], []
    for _ in range(max_len):
        candidates = [(score + math.log(p), seq + [tok]) for score, seq in beams for tok, p in table[seq[-1]].items()]
        beams = []
        for score, seq in heapq.nlargest(width, candidates):
            (finished if seq[-1] == "</s>" else beams).append((score, seq))
        if not beams:
            break
    return sorted(finished, reverse=True)


for score, seq in beam_search():
    print(f"{score:.3f} {' '.join(seq)}")
