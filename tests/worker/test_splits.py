"""scikit-learn's folds, against what scikit-learn 1.9.1 prints."""

from __future__ import annotations

import pytest

from tests.worker.conftest import Runner

_FOLDS = """
import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold
X = np.arange(14).reshape(7, 2)
y = np.array(["b", "a", "b", "a", "b", "b", "a"])
shuffled = KFold(n_splits=3, shuffle=True, random_state=4)
for folds in (KFold(3), shuffled, StratifiedKFold(3), StratifiedKFold(2, shuffle=True, random_state=1)):
    print(folds, folds.get_n_splits(X))
    for i, (train, test) in enumerate(folds.split(X, y)):
        print(i, train, test, X[test].sum())
np.random.seed(3)
print([test.tolist() for _, test in KFold(2, shuffle=True).split([1, 2, 3, 4])])
"""
_DIVIDED = """\
KFold(n_splits=3, random_state=None, shuffle=False) 3
0 [3 4 5 6] [0 1 2] 15
1 [0 1 2 5 6] [3 4] 30
2 [0 1 2 3 4] [5 6] 46
KFold(n_splits=3, random_state=4, shuffle=True) 3
0 [0 1 2 5] [3 4 6] 55
1 [2 3 4 5 6] [0 1] 6
2 [0 1 3 4 6] [2 5] 30
StratifiedKFold(n_splits=3, random_state=None, shuffle=False) 3
0 [3 4 5 6] [0 1 2] 15
1 [0 1 2 5 6] [3 4] 30
2 [0 1 2 3 4] [5 6] 46
StratifiedKFold(n_splits=2, random_state=1, shuffle=True) 2
0 [0 2 3] [1 4 5 6] 68
1 [1 4 5 6] [0 2 3] 23
[[1, 3], [0, 2]]
"""


def test_folds_have_sklearns_indices(run: Runner) -> None:
    assert run(_FOLDS).printed() == _DIVIDED


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("KFold(1)", "ValueError k-fold cross-validation requires at least one train/test split by setting n_splits=2 or more, got n_splits=1."),  # noqa: E501
        ("KFold(2, random_state=1)", "ValueError Setting a random_state has no effect since shuffle is False. You should leave random_state to its default (None), or set shuffle=True."),  # noqa: E501
        ("KFold(2, shuffle=1)", "TypeError shuffle must be True or False; got 1"),
        ("KFold(2.5)", "ValueError The number of folds must be of Integral type. 2.5 of type <class 'float'> was passed."),  # noqa: E501
        ("KFold(8).split([0] * 7)", "ValueError Cannot have number of splits n_splits=8 greater than the number of samples: n_samples=7."),  # noqa: E501
        ("StratifiedKFold(3).split([0] * 4, [0, 0, 1, 1])", "ValueError n_splits=3 cannot be greater than the number of members in each class."),  # noqa: E501
        ("StratifiedKFold(2).split([0] * 4, [0.5, 1, 2, 2])", "ValueError Supported target types are: ('binary', 'multiclass'). Got 'continuous' instead."),  # noqa: E501
    ],
)  # fmt: skip
def test_folds_that_cannot_be_say_so(run: Runner, call: str, said: str) -> None:
    source = (
        "from sklearn.model_selection import KFold, StratifiedKFold\n"
        f"try: {call}\nexcept Exception as error: print(type(error).__name__, error)"
    )
    assert run(source).printed() == said + "\n"


def test_a_class_with_few_members_is_warned_of(run: Runner) -> None:
    source = (
        "import warnings\nfrom sklearn.model_selection import StratifiedKFold\n"
        "with warnings.catch_warnings(record=True) as told:\n"
        "    warnings.simplefilter('always')\n"
        "    print([test.tolist() for _, test in StratifiedKFold(2).split([0] * 4, [0, 1, 1, 1])])\n"
        "print(told[0].message)"
    )
    assert run(source).printed() == (
        "[[0, 1], [2, 3]]\nThe least populated class in y has only 1 members, which is less than n_splits=2.\n"
    )
