s = "  The quick brown fox, jumps over the lazy dog  "
print(
    s.strip().split(),
    s.strip().split(", "),
    s.title().strip(),
    s.count("o"),
    s.find("fox"),
    s.replace("fox", "cat").strip(),
)
print(
    "a,b,,c".split(","),
    "a b  c".split(" ", 1),
    "line1\nline2\r\nline3".splitlines(),
    "k=v=w".partition("="),
    "k=v=w".rpartition("="),
)
print("-".join(map(str, range(5))), "abc".zfill(6), "abc".ljust(5, ".") + "|", "abc".rjust(5), "abc".center(7, "*"))
print(
    "Hello".swapcase(),
    "hello world".capitalize(),
    "ß".upper(),
    "STRASSE".casefold(),
    "abc".isalpha(),
    "12".isdigit(),
    "a1".isalnum(),
)
print(
    "prefix_name".removeprefix("prefix_"),
    "name.py".removesuffix(".py"),
    "xxaxx".strip("x"),
    "abc".startswith(("a", "b")),
    "abc".endswith("c"),
)
print("abc"[::-1], "abcdef"[1:4], "abc" * 2, "b" in "abc", "abc" < "abd", sorted("hello"), "".join(reversed("abc")))
table = str.maketrans({"a": "1", "b": None})
print(
    "aabbcc".translate(table), "abc".encode("utf-8"), b"\xc3\xa9".decode(), ord("a"), chr(98), "tab\there".expandtabs(8)
)
vocab = {ch: i for i, ch in enumerate(sorted(set("hello world")))}
decode = {i: ch for ch, i in vocab.items()}
print(vocab, "".join(decode[i] for i in [vocab[c] for c in "hello"]))
print(repr("it's"), repr('say "hi"'), "single's", "unicode: \u00e9 \N{GREEK SMALL LETTER ALPHA} \x41", r"raw\n", "ab")
print(
    "%s has %d" % ("x", 3),
    "x".join(["1", "2"]),
    "Mississippi".lower().index("ss"),
    max("hello"),
    "a-b_c".replace("-", "_").split("_"),
)
print(
    "é".encode().hex(),
    bytes.fromhex("c3a9"),
    "abc".isidentifier(),
    "  ".isspace(),
    "Title Case".istitle(),
    "1e3".isnumeric(),
)
