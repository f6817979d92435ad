from pprint import pprint, pformat
import textwrap
import pprint as pp

pprint({"b": [1, 2, 3], "a": {"x": 1}})
pprint(list(range(40)), width=40, compact=True)
print(pformat({"lr": 0.1, "layers": ["conv" * 5, "linear" * 5, "pool" * 10]}, width=50))
pp.pprint((1, "two", None), indent=2)
pprint({"z": 1, "a": 2}, sort_dicts=False)
print(
    textwrap.dedent("""\
    indented
      more
    end""")
)
print(textwrap.fill("the quick brown fox jumps over the lazy dog", width=20))
print(
    textwrap.indent("a\nb", "> "), textwrap.shorten("hello wonderful world", width=12), textwrap.wrap("aaa bbb ccc", 7)
)
