import re, unicodedata, heapq, bisect, cmath
import torch


def unicodeToAscii(s):
    return "".join(c for c in unicodedata.normalize("NFD", s) if unicodedata.category(c) != "Mn")


def normalizeString(s):
    s = unicodeToAscii(s.lower().strip())
    s = re.sub(r"([.!?])", r" \1", s)
    s = re.sub(r"[^a-zA-Z!?]+", r" ", s)
    return s.strip()


print(normalizeString("Ślusàrski va? bien."))
print(re.findall(r"\w+", "a bc d"), re.compile("b").search("abc").start(), re.split(r"\s+", "x y"))
h = []
heapq.heappush(h, 3)
heapq.heappush(h, 1)
print(heapq.heappop(h), bisect.bisect([1, 2, 3], 2), cmath.sqrt(-1))
