import re
import string

text = "Epoch 3: loss=0.125 acc=93.5% (lr=1e-3)"
print(
    re.findall(r"(\w+)=([\d.e-]+)", text),
    re.search(r"Epoch (\d+)", text).group(1),
    re.sub(r"\d+", "#", text),
    re.split(r"[\s:=]+", text),
)
m = re.match(r"(?P<word>\w+) (?P<num>\d+)", text)
print(m.groupdict(), m.span(), m.group("word"), m[2], re.fullmatch(r"\d+", "12") is not None)
pattern = re.compile(r"[aeiou]", re.IGNORECASE)
print(
    pattern.sub("_", "Hello"),
    [x.start() for x in pattern.finditer("Hello")],
    re.sub(r"(\w)(\w)", lambda m: m.group(2) + m.group(1), "abcd"),
    re.escape("a.b"),
)
print(
    string.ascii_lowercase,
    string.digits,
    string.punctuation[:5],
    "".join(c for c in "Hi, you!" if c not in string.punctuation),
)
b = bytes([72, 105])
ba = bytearray(b"abc")
ba[0] = 122
print(
    b,
    b.decode(),
    ba,
    list(b),
    b"\x00\xff".hex(),
    int.from_bytes(b"\x01\x00", "big"),
    (258).to_bytes(2, "big"),
    b"a" in b"abc",
    b"a,b".split(b","),
)
tokens = re.findall(r"\w+|[^\w\s]", "Don't panic, it's fine.".lower())
print(tokens, sorted(set(tokens)))
