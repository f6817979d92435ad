"""Tables of pandas, as tutorials read and use them."""

import pandas as pd, numpy as np, torch

rows = ["id,Name With Space,a_long_column_name,another_long_column,third_long_column,x,y,label"]
for i in range(70):
    rows.append(f"{i},name{i % 3},{i * 1.5 - 20},{i * 1000.25},{i**3},{-i / 7:.5f},{i % 2},{'yes' if i % 2 else 'no'}")
open("wide.csv", "w").write("\n".join(rows) + "\n")
d = pd.read_csv("wide.csv")
print(d)
print(d.head())
print(d.tail(3))
print(d["x"])
print(d.x.mean(), d["x"].std(), d["x"].max(), d.y.sum())
print(d[d["y"] == 1].head(3))
print(d[(d.y == 1) & (d.x < -5)].shape)
print(d.drop("label", axis=1).shape, d.drop(columns=["x", "y"]).columns)
print(d.columns[2], d.columns.tolist()[:2], len(d.columns), d.columns)
print(d["label"].map({"yes": 1, "no": 0}).values[:5])
print(d["label"].value_counts())
d["z"] = d["x"] * 2 + 1
d["label"] = d["label"].map({"yes": 1, "no": 0})
print(d.iloc[:3, [0, 3, 8]])
print(d.loc[5, "z"], d.loc[2:4, "x"].tolist(), d.loc[d.y == 0, ["x", "y"]].head(2))
X = d[["x", "y", "z"]].values.astype(np.float32)
print(
    X.shape,
    X.dtype,
    torch.tensor(X).shape,
    torch.from_numpy(d["y"].values.copy()).dtype,
    torch.FloatTensor(d["z"].values.copy())[:2],
    torch.tensor(d["x"].to_numpy(dtype=np.float32).copy())[:2],
)
for i, row in d.head(2).iterrows():
    print(i, row["Name With Space"], row["x"], row.id if hasattr(row, "id") else row["id"])
print(d.index, d.shape[0], d.isnull().sum().sum(), d["x"].isnull().any())
print(d.describe())
print(pd.get_dummies(d[["Name With Space", "y"]]).head(2))
print(d.sample(3, random_state=0))
print(d.sort_values("x").head(2).reset_index(drop=True))
print(pd.concat([d.head(2), d.tail(1)], ignore_index=True).shape)
d.to_csv("out.csv", index=False)
print(pd.read_csv("out.csv").shape)
print(pd.read_csv("wide.csv", header=None, skiprows=1, usecols=[0, 5]).head(2))
print(pd.DataFrame({"a": [1, None, 3], "b": ["u", "v", "w"]}))
print(pd.DataFrame({"a": [1, None, 3]}).fillna(0), pd.DataFrame({"a": [1, None, 3]}).dropna())
print(pd.DataFrame([[1, 2], [3, 4]], columns=["p", "q"]), pd.DataFrame([{"a": 1, "b": 2}, {"a": 3, "b": 4}]))
print(pd.Series([1.5, 2, 3]), pd.Series([1, 2], index=["a", "b"], name="n"))
print(d["x"].apply(lambda v: v > 0).sum(), d["x"].astype(int).tolist()[:4])
try:
    bool(d["x"] > 0)
except ValueError as e:
    print(e)
try:
    d["nope"]
except KeyError as e:
    print("KeyError", e)
print(pd.DataFrame(np.random.RandomState(0).randn(5, 3) * 1e8))
print(pd.DataFrame({"a": []}), pd.isnull(None), pd.isna(float("nan")), pd.notnull(1))


open("a.csv", "w").write(
    "SepalLength,SepalWidth,name,n,miss\n5.1,3.5,Iris-setosa,1,\n4.9,3.0,Iris-setosa,2,3.5\n7,3.2,Iris-versicolor,3,1e-7\n"
)
d = pd.read_csv("a.csv")
print(d)
print(d.dtypes)
print(d.head(2))
print(d.iloc[0])
print(d.iloc[0, 1], d.iloc[:, 0:2].values, d.iloc[1:3])
print(d.isnull().sum())
print(d.mean(numeric_only=True))
print(pd.DataFrame(np.arange(6).reshape(3, 2)))
print(pd.DataFrame({"a": range(100), "b": np.linspace(0, 1, 100)}))
n = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [3, 6, 10]})
print((n - n.mean()) / n.std())
print(n * 2, n == 2, (1 - n).values.tolist(), (n + n).shape, n.max().values, n.min()["b"])
print(n["a"] * n["b"] + 1, (n["a"] > 1) & ~(n["b"] > 6), 2 / n["a"], -n["b"])
both = pd.concat([n, n])
print(both.loc[1], both.shape, n.iloc[::-1].reset_index(drop=True)["a"].tolist())
print(pd.DataFrame({"p": n["a"], "q": n["b"] > 4}, columns=["q", "p"]), n[n.b > 4]["a"].values)
named = pd.DataFrame({"a": [1, 2], "b": [3, 4]})
named.columns = ["x", "y"]
print(named)
twice = pd.Series([1, 2, 3], index=["u", "v", "u"])
print(twice.loc[["u"]], twice.loc[["v", "u"]].tolist(), pd.concat([named, named]).loc[[0]])
for act in (lambda: setattr(named, "columns", ["z"]), lambda: pd.DataFrame({"a": [1, 2]}, index=[1, 2, 3])):
    try:
        act()
    except ValueError as error:
        print(error)
words, gaps = pd.Series(["7", "u"]), pd.Series([1.5, float("nan")])
for act in (
    lambda: words.astype(float),
    lambda: words.astype(int),
    lambda: gaps.astype(int),
    lambda: pd.DataFrame({"a": gaps}).astype("int64"),
):
    try:
        print(act())
    except ValueError as error:
        print(error)
print(words[:1].astype(int).tolist(), gaps[:1].astype(int).tolist())

# A cell is a number of NumPy's; PyTorch reads what has a length and items as a list of them.
heights = pd.Series([1.5, 2.0])
print(repr(heights[0]), repr(heights.iloc[1]), repr(pd.DataFrame({"n": [3, 4]}).iloc[0, 0]))
print(torch.tensor(heights), torch.as_tensor(pd.Series([1, 2])), torch.tensor([heights, heights]).dtype)
print(torch.tensor(heights[0]), torch.ones(2).new_tensor(heights))


class Pair:
    def __len__(self):
        return 2

    def __getitem__(self, at):
        return [[0, 0.5], [1, 1.5]][at]


print(torch.tensor(Pair()), torch.tensor(Pair(), dtype=torch.float64))
try:
    torch.stack(Pair())
except TypeError as error:
    print(error)
