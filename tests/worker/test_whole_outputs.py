"""What programs print that use modules of others which are written here anew: scikit-learn's reports, unit tests,
trees of leaves. Each text is what the original prints."""

from __future__ import annotations

import re

from tests.worker.conftest import Runner

_REPORTED = """
import numpy as np, pandas as pd
from sklearn.metrics import classification_report, confusion_matrix, f1_score, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.utils import resample, shuffle
t, p = [0, 1, 2, 2, 1, 0, 3], [0, 2, 2, 2, 1, 0, 0]
print(classification_report(t, p, zero_division=0))
print(classification_report(t, p, target_names=["a", "bb", "a longer name than most", "d"], digits=4, zero_division=0))
print(classification_report(t, p, labels=[0, 2], zero_division=0))
try: classification_report([0, 1], [1, 1], target_names=["a"])
except ValueError as e: print(e)
df = pd.DataFrame({"a": range(6), "b": [0, 1, 0, 1, 1, 1]}, index=list("uvwxyz"))
for part in train_test_split(df, df["b"], test_size=0.5, random_state=3): print(part)
print(resample(df[df["b"] == 0], replace=True, n_samples=4, random_state=1))
print(resample(np.arange(5), [1, 2, 3, 4, 5], replace=False, n_samples=3, random_state=2))
np.random.seed(4)
print(shuffle(df, n_samples=2), resample([1, 2, 3]))
try: resample([1, 2], replace=False, n_samples=3)
except ValueError as e: print(e)
many = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]])
some = np.array([[1, 0, 0], [0, 1, 1], [1, 0, 0], [0, 0, 1]])
print(classification_report(many, some, zero_division=0), f1_score(many, some, average="macro"))
print(roc_auc_score(many, some * 0.5 + 0.1), roc_auc_score(many, some * 0.5, average="micro"))
for score in (f1_score, confusion_matrix):
    try: score(many, some)
    except ValueError as e: print(str(e)[-60:])
"""
_REPORT = """\
              precision    recall  f1-score   support

           0       0.67      1.00      0.80         2
           1       1.00      0.50      0.67         2
           2       0.67      1.00      0.80         2
           3       0.00      0.00      0.00         1

    accuracy                           0.71         7
   macro avg       0.58      0.62      0.57         7
weighted avg       0.67      0.71      0.65         7

                         precision    recall  f1-score   support

                      a     0.6667    1.0000    0.8000         2
                     bb     1.0000    0.5000    0.6667         2
a longer name than most     0.6667    1.0000    0.8000         2
                      d     0.0000    0.0000    0.0000         1

               accuracy                         0.7143         7
              macro avg     0.5833    0.6250    0.5667         7
           weighted avg     0.6667    0.7143    0.6476         7

              precision    recall  f1-score   support

           0       0.67      1.00      0.80         2
           2       0.67      1.00      0.80         2

   micro avg       0.67      1.00      0.80         4
   macro avg       0.67      1.00      0.80         4
weighted avg       0.67      1.00      0.80         4

Number of classes, 2, does not match size of target_names, 1. Try specifying the labels parameter
   a  b
v  1  1
u  0  0
w  2  0
   a  b
x  3  1
z  5  1
y  4  1
v    1
u    0
w    0
Name: b, dtype: int64
x    1
z    1
y    1
Name: b, dtype: int64
   a  b
w  2  0
w  2  0
u  0  0
u  0  0
[array([2, 4, 1]), [3, 5, 2]]
   a  b
y  4  1
z  5  1 [2, 3, 1]
Cannot sample 3 out of arrays with dim 2 when replace is False
              precision    recall  f1-score   support

           0       1.00      1.00      1.00         2
           1       1.00      0.50      0.67         2
           2       0.50      0.50      0.50         2

   micro avg       0.80      0.67      0.73         6
   macro avg       0.83      0.67      0.72         6
weighted avg       0.83      0.67      0.72         6
 samples avg       0.88      0.75      0.75         6
 0.7222222222222222
0.75 0.75
ing, one of [None, 'micro', 'macro', 'weighted', 'samples'].
multilabel-indicator is not supported
"""


def test_tables_are_split_and_drawn_as_tables_and_rates_are_reported_as_scikit_learn_does(run: Runner) -> None:
    outcome = run(_REPORTED)
    assert outcome.printed() == _REPORT, outcome.sentence


_TESTS = """
import unittest
import torch

class TestB(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.x = torch.ones(2, requires_grad=True)
        print("class")
    def setUp(self):
        self.y = self.x * 2
    def test_sum(self):
        print("sum")
        self.assertEqual(self.y.sum().item(), 4.0)
        self.assertTrue(self.y.requires_grad, "no graph")
        self.assertAlmostEqual(1.0, 1.0 + 1e-9)
        self.assertIn(2, [1, 2])
        with self.assertRaises(RuntimeError) as caught:
            self.y.backward()
        self.assertIn("scalar", str(caught.exception))
        self.assertRaises(ValueError, int, "x")
        with self.assertRaisesRegex(RuntimeError, "grad can be"):
            self.y.backward()
        self.assertIsNone(None); self.assertIsInstance(1, int)
        self.assertLess(1, 2); self.assertCountEqual([1, 2], [2, 1])
    def test_fails(self):
        print("fails")
        self.assertEqual(1, 2, "no")
    @unittest.skip("later")
    def test_later(self):
        print("never")
    def tearDown(self):
        print("down")

class TestA(unittest.TestCase):
    def test_error(self):
        for f, args in (
            (self.assertTrue, (0,)), (self.assertIs, (1, 2)), (self.assertIsNot, (None, None)),
            (self.assertAlmostEqual, (1, 1.5)), (self.assertAlmostEqual, (1, 1.5, None, "m", 0.1)),
            (self.assertGreater, (1, 2)), (self.assertIsNotNone, (None,)), (self.assertNotIn, (1, [1])),
            (self.assertIsInstance, (1, str)), (self.assertRaises, (ValueError, int, "1")), (self.fail, ("x",)),
            (self.assertNotEqual, (1, 1, "same")),
        ):
            try: f(*args)
            except AssertionError as e: print(e)
        raise ValueError("x")

if __name__ == "__main__":
    unittest.main(exit=False)
    print("after")
    unittest.main(verbosity=2)
"""
_TESTED = """\
0 is not true
1 is not 2
unexpectedly identical: None
1 != 1.5 within 7 places (0.5 difference)
1 != 1.5 within 0.1 delta (0.5 difference) : m
1 not greater than 2
unexpectedly None
1 unexpectedly found in [1]
1 is not an instance of <class 'str'>
ValueError not raised by int
x
1 == 1 : same
class
fails
down
sum
down
after
0 is not true
1 is not 2
unexpectedly identical: None
1 != 1.5 within 7 places (0.5 difference)
1 != 1.5 within 0.1 delta (0.5 difference) : m
1 not greater than 2
unexpectedly None
1 unexpectedly found in [1]
1 is not an instance of <class 'str'>
ValueError not raised by int
x
1 == 1 : same
class
fails
down
sum
down
"""
_TOLD = """\
EFs.
======================================================================
ERROR: test_error (__main__.TestA.test_error)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "ut.py", line N, in test_error
    raise ValueError("x")
ValueError: x

======================================================================
FAIL: test_fails (__main__.TestB.test_fails)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "ut.py", line N, in test_fails
    self.assertEqual(1, 2, "no")
AssertionError: 1 != 2 : no

----------------------------------------------------------------------
Ran 4 tests in 0.000s

FAILED (failures=1, errors=1, skipped=1)
"""


def test_unit_tests_run_and_report_as_in_python(run: Runner) -> None:
    outcome = run(_TESTS)
    assert outcome.printed() == _TESTED, outcome.sentence
    told = re.sub(r"line \d+, in", "line N, in", re.sub(r"in [\d.]+s", "in 0.000s", outcome.printed("err")))
    told = re.sub(r"\n +[~^]+(?=\n)", "", told)  # Python 3.13 marks the call in a line, 3.11 and 3.12 do not
    assert told.startswith(_TOLD.replace("ut.py", "snippet.py"))
    assert (outcome.status, "FAILED (failures=1, errors=1, skipped=1)" in told) == ("raised", True)


_TREES = """
import torch
from collections import namedtuple
from torch.utils._pytree import tree_flatten, tree_leaves, tree_map, tree_map_only, tree_structure, tree_unflatten
P = namedtuple("P", "a b")
t = {"w": torch.ones(2), "l": [1, (2, 3), {}], "p": P(4, [5])}
leaves, spec = tree_flatten(t)
print(leaves, spec)
print(tree_unflatten([x * 2 for x in leaves], spec))
print(spec.num_leaves, spec.num_children, spec.is_leaf(), tree_structure(3))
print(spec == tree_flatten(t)[1], spec == tree_structure([1]))
print(tree_leaves([1, [2]]), tree_map(lambda x, y: x + y, [1, (2,)], [3, (4,)]))
print(tree_map_only(int, lambda x: -x, [1, 2.0]))
print(tree_structure([]), tree_structure([1]), tree_structure(((1, 2), 3)), tree_flatten(None))
try: tree_unflatten([1], spec)
except ValueError as e: print(str(e)[:60])
"""
_TREE = """\
[tensor([1., 1.]), 1, 2, 3, 4, 5] TreeSpec(dict, ['w', 'l', 'p'], [*,
  TreeSpec(list, None, [*,
    TreeSpec(tuple, None, [*,
      *]),
    TreeSpec(dict, [], [])]),
  TreeSpec(namedtuple, <class '__main__.P'>, [*,
    TreeSpec(list, None, [*])])])
{'w': tensor([2., 2.]), 'l': [2, (4, 6), {}], 'p': P(a=8, b=[10])}
6 3 False *
True False
[1, 2] [4, (6,)]
[-1, 2.0]
TreeSpec(list, None, []) TreeSpec(list, None, [*]) TreeSpec(tuple, None, [TreeSpec(tuple, None, [*,
    *]),
  *]) ([None], *)
treespec.unflatten(leaves): `leaves` has length 1 but the sp
"""


def test_trees_are_taken_apart_and_put_together_as_in_pytorch(run: Runner) -> None:
    outcome = run(_TREES)
    assert outcome.printed() == _TREE, outcome.sentence
