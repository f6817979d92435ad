"""What the tools for data print, beside what pandas 3.1.1, NumPy 2.4.6 and scikit-learn 1.9.1 print."""

from __future__ import annotations

import pytest

from tests.worker.conftest import Runner

_PROGRAMS = {
    "tables that are changed in place": (
        """\
import pandas as pd
d = pd.DataFrame({'n': list('abcd'), 's': [2, 1, 2, 1], 't': [1, None, 3, .5]})
print(d.s.value_counts().sort_index(), d.s.value_counts(normalize=True).tolist(), d.n.isin(['a', 'd']).tolist())
print(d.groupby('s').t.mean(), d.t.sort_values(ascending=False).index.tolist(), d.t.describe())
e = d.copy()
print(e.dropna(inplace=True), e.set_index('s', inplace=True), e.sort_index(inplace=True), len(d))
print(e.rename(columns={'t': 'u'}, inplace=True))
print(e)
e.reset_index(inplace=True); e.drop('n', axis=1, inplace=True); e.sort_values('u', ascending=False, inplace=True)
print(e, e.corr().round(3).u.tolist(), e.s.sort_index(ascending=False).tolist())
c = d['t'].copy(); c.fillna(0, inplace=True); print(c.tolist(), d.t.isnull().sum(), d.groupby('s').t.mean().to_dict())
""",
        """\
s
1    2
2    2
Name: count, dtype: int64 [0.5, 0.5] [True, False, False, True]
s
1    0.5
2    2.0
Name: t, dtype: float64 [2, 0, 3, 1] count    3.000000
mean     1.500000
std      1.322876
min      0.500000
25%      0.750000
50%      1.000000
75%      2.000000
max      3.000000
Name: t, dtype: float64
None None None 4
None
   n    u
s        
1  d  0.5
2  a  1.0
2  c  3.0
   s    u
2  2  3.0
1  2  1.0
0  1  0.5 [0.655, 1.0] [2, 2, 1]
[1.0, 0.0, 3.0, 0.5] 1 {1: 0.5, 2: 2.0}
""",
    ),
    "elements by index": (
        """\
import numpy as np
a = np.arange(6.).reshape(2, 3)
it = np.nditer(a, flags=['multi_index'], op_flags=['readwrite'])
while not it.finished:
    ix = it.multi_index
    a[ix] += 10 * ix[0] + it[0]
    it.iternext()
print(a)
for x in np.nditer(a.T): print(x, end=' ')
print()
with np.nditer(a, op_flags=['readwrite']) as it:
    for x in it: x[...] = 2 * x
print(a, [float(v) for v in np.nditer(a.T, order='C')])
it = np.nditer(a.T, flags=['multi_index'])
print([(it.multi_index, float(x)) for x in it][:2])
for wrong in (lambda: np.nditer(a).multi_index, lambda: next(np.nditer(a)).__setitem__(..., 1)):
    try: wrong()
    except ValueError as e: print(e)
""",
        """\
[[ 0.  2.  4.]
 [16. 18. 20.]]
0.0 2.0 4.0 16.0 18.0 20.0 
[[ 0.  4.  8.]
 [32. 36. 40.]] [0.0, 32.0, 4.0, 36.0, 8.0, 40.0]
[((0, 0), 0.0), ((1, 0), 4.0)]
Iterator is not tracking a multi-index
assignment destination is read-only
""",
    ),
    "directions and labels": (
        """\
import numpy as np
from sklearn.decomposition import PCA
from sklearn.preprocessing import OneHotEncoder
rng = np.random.RandomState(0)
X = rng.randn(20, 5) @ rng.randn(5, 5)
p = PCA(n_components=2)
Z = p.fit_transform(X)
print(Z[:3].round(5), p.explained_variance_ratio_.round(5), p.components_.round(5), p.singular_values_.round(5))
print(np.allclose(p.inverse_transform(Z), p.transform(X) @ p.components_ + p.mean_), PCA(2))
print(PCA().fit(X).n_components_, PCA(0.95).fit(X).n_components_)
print(PCA(n_components=2).fit_transform(X.astype(np.float32)).dtype)
print(PCA(3, whiten=True).fit_transform(rng.randn(4, 30)).round(5))
e = OneHotEncoder(sparse_output=False)
print(e.fit_transform([['a', 1], ['b', 2], ['a', 2]]), [list(map(str, each)) for each in e.categories_])
f = OneHotEncoder()
print(f.fit_transform(np.array([[2], [0], [1], [2]])).toarray(), f.transform([[1]]).toarray())
print(f.inverse_transform(np.eye(3)).ravel())
for wrong in (lambda: PCA(9).fit(X), lambda: f.transform([[7]])):
    try: wrong()
    except ValueError as error: print(str(error)[:24])
""",
        """\
[[11.39769 -0.74423]
 [-0.54512  2.23052]
 [ 6.34809  1.53925]] [0.81166 0.12336] [[ 0.69734 -0.12522 -0.31558  0.63095  0.0186 ]
 [-0.01286  0.54182  0.2259   0.21171  0.78129]] [25.34577  9.88095]
True PCA(n_components=2)
5 3
float32
[[ 0.94561  0.14422  1.15544]
 [-1.39702 -0.17789  0.51642]
 [ 0.38738 -1.19704 -0.81672]
 [ 0.06404  1.23071 -0.85513]]
[[1. 0. 1. 0.]
 [0. 1. 0. 1.]
 [1. 0. 0. 1.]] [['a', 'b'], ['1', '2']]
[[0. 0. 1.]
 [1. 0. 0.]
 [0. 1. 0.]
 [0. 0. 1.]] [[0. 1. 0.]]
[0 1 2]
n_components=9 must be b
Found unknown categories
""",
    ),
    "sheets in space": (
        """\
from sklearn.datasets import make_swiss_roll, make_s_curve
import numpy as np
for f in (make_swiss_roll, make_s_curve):
    for kw in ({}, dict(noise=0.5)):
        X, t = f(n_samples=3, random_state=0, **kw)
        print(X.shape, X.round(3).tolist(), t.round(3))
np.random.seed(3)
print(make_swiss_roll(3)[0].round(5), make_swiss_roll(5, hole=True, random_state=1)[0].round(5))
""",
        """\
(3, 3) [[-8.857, 11.443, -4.389], [5.057, 8.897, -10.276], [-5.888, 13.564, -8.565]] [ 9.885 11.453 10.393]
(3, 3) [[-8.382, 11.648, -4.008], [4.981, 8.969, -10.215], [-5.94, 14.291, -8.343]] [ 9.885 11.453 10.393]
(3, 3) [[0.444, 1.09, -0.104], [0.897, 0.847, -1.442], [0.824, 1.292, -0.433]] [0.46  2.028 0.969]
(3, 3) [[0.919, 1.295, 0.277], [0.822, 0.919, -1.381], [0.772, 2.019, -0.212]] [0.46  2.028 0.969]
[[ -8.79006  10.72738  -4.56234]
 [  4.33904  18.75189 -10.52738]
 [  2.90194  18.82215   6.86603]] [[  4.46501   4.68822 -10.48714]
 [ -0.03313   6.54877 -10.99251]
 [ -5.80671  19.92418   6.3378 ]
 [  5.64656   2.19291  -1.90197]
 [ 11.46473  17.67184  -4.21276]]
""",
    ),
}


@pytest.mark.parametrize(("code", "printed"), _PROGRAMS.values(), ids=_PROGRAMS)
def test_tools_for_data_have_their_numbers(code: str, printed: str, run: Runner) -> None:
    assert run(code).printed() == printed
