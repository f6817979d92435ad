"""Rows of a table in groups, and what `info` says of columns."""

import pandas as pd

df = pd.DataFrame(
    {
        "a": [1, 2, 3, 4],
        "b": [1.5, float("nan"), 2.0, 0.25],
        "long name": ["x", "y", "x", "z"],
        "t": [True, False, True, True],
    }
)
df.info()
print(df.groupby("long name").mean(numeric_only=True))
print(df.groupby("long name")["a"].sum())
print(df.groupby("t")[["a", "b"]].max())
print(df.groupby("t").size(), df.groupby("t").count())
for name, part in df.groupby("t"):
    print(name, len(part), part["a"].tolist())
print(len(df.groupby("a")), df.groupby("t").ngroups)
print(df.groupby("long name").agg({"a": "sum", "b": "mean"}))
print(df.groupby("t")["b"].agg("mean"), df.groupby("t")["a"].agg(["min", "max"]))
print(df.groupby("long name", as_index=False)["a"].mean())
print(df.groupby("t").get_group(True))
df[["a", "b"]].set_index("a").info()
pd.DataFrame({"x%d" % i: [1] for i in range(3)}).info()
for wrong in (lambda: df.groupby("nothing"), lambda: df["nothing"], lambda: df.set_index("nothing")):
    try:
        wrong()
    except KeyError as error:
        print(error)
print(df[df.a > 9].a.mean(), df[df.a > 3].a.std(), df.b.count())
print(
    df.rename(columns=str.upper).columns.tolist(),
    df.rename(columns=lambda name: name[:1])["l"].tolist(),
    df.drop([0, 3])["a"].tolist(),
)
for wrong in (
    lambda: df.drop(9),
    lambda: df.drop([1, 7, 8]),
    lambda: df.drop("C", axis=1),
    lambda: df.drop(columns=["a", "Z"]),
    lambda: df.drop(index=[5]),
):
    try:
        print(wrong())
    except KeyError as error:
        print(error)
