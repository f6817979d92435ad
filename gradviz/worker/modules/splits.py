"""What scikit-learn offers for dividing samples: in two parts, in folds, or drawn with or without replacement.

Its order of random draws is kept, so that a seed gives the same parts. Next: `learning_modules`, which offers these."""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Callable, Iterator, Sized
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.tensor import Tensor
from gradviz.worker.modules.tables import DataFrame, Series
from gradviz.worker.modules.toy_sets import source_of
from gradviz.worker.objects.arguments import keep_methods
from gradviz.worker.objects.numpy_boundary import to_numpy, to_snippet

# --- two parts ---


def train_test_split(
    *arrays: Sized,
    test_size: object = None,
    train_size: object = None,
    random_state: object = None,
    shuffle: object = True,
    stratify: object = None,
) -> list[object]:
    """Split each array in the same two parts."""
    if not arrays:
        raise ValueError("At least one array required as input")
    lengths = [len(each) for each in arrays]
    if len(set(lengths)) > 1:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {lengths}")
    train, test = _sizes(lengths[0], test_size, train_size)
    random = source_of(random_state)
    if stratify is not None:
        chosen = _stratified(random, np.asarray(to_numpy(stratify)), train, test)
    elif shuffle:
        order = random.permutation(lengths[0])
        chosen = order[test : test + train], order[:test]
    else:
        chosen = np.arange(train), np.arange(train, train + test)
    return [_taken(each, part) for each in arrays for part in chosen]


def _sizes(samples: int, test_size: Any, train_size: Any) -> tuple[int, int]:
    """Return the number of samples in each part."""
    test = None if test_size is None else _share(samples, test_size, math.ceil)
    train = None if train_size is None else _share(samples, train_size, math.floor)
    if test is None:
        test = math.ceil(0.25 * samples) if train is None else samples - train
    train = samples - test if train is None else train
    if train + test > samples:
        raise ValueError(
            f"The sum of train_size and test_size = {train + test}, should be smaller than the number of samples "
            f"{samples}. Reduce test_size and/or train_size."
        )
    if train <= 0:
        raise ValueError(
            f"With n_samples={samples}, test_size={test_size} and train_size={train_size}, the resulting train set "
            "will be empty. Adjust any of the aforementioned parameters."
        )
    return train, test


def _share(samples: int, size: int, rounded: Callable[[float], int]) -> int:
    return rounded(float(size) * samples) if isinstance(size, float) else operator.index(size)


def _stratified(random: np.random.RandomState, labels: Array, train: int, test: int) -> tuple[Array, Array]:
    """Split so that each part has the same share of each label."""
    _, kinds, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if counts.min() < 2:
        raise ValueError(
            "The least populated classes in y have only 1 member, which is too few. The minimum number of groups for "
            "any class cannot be less than 2."
        )
    places = np.split(np.argsort(kinds, kind="mergesort"), np.cumsum(counts)[:-1])
    in_train = _drawn(random, counts, train)
    in_test = _drawn(random, counts - in_train, test)
    parts: tuple[list[Array], list[Array]] = ([], [])
    for place, first, second in zip(places, in_train, in_test, strict=True):
        order = place[random.permutation(len(place))]
        parts[0].append(order[:first])
        parts[1].append(order[first : first + second])
    return random.permutation(np.concatenate(parts[0])), random.permutation(np.concatenate(parts[1]))


def _drawn(random: np.random.RandomState, counts: Array, draws: int) -> Array:
    """Return the most likely number of each class in so many draws; ties are broken at random."""
    exact = counts / counts.sum() * draws
    found: Array = np.floor(exact)
    missing = int(draws - found.sum())
    rest = exact - found
    for value in np.sort(np.unique(rest))[::-1]:
        if missing <= 0:
            break
        equal = np.flatnonzero(rest == value)
        now = min(len(equal), missing)
        found[random.choice(equal, size=now, replace=False)] += 1
        missing -= now
    return found.astype(int)


def _taken(given: object, places: Array) -> object:
    if isinstance(given, Tensor):
        return given[to_snippet(places)]
    if isinstance(given, DataFrame | Series):
        return given.iloc[to_snippet(places)]
    if isinstance(given, list | tuple):
        return [given[int(each)] for each in places]
    return to_snippet(np.asarray(to_numpy(given))[places])


# --- folds ---


class _Folds:
    """What divides samples in folds; each is the test part once, while the others are the training part."""

    __slots__ = ("_folds", "_is_shuffled", "_random")

    def __init__(self, n_splits: object = 5, *, shuffle: object = False, random_state: object = None) -> None:
        if not isinstance(n_splits, int | np.integer):
            raise ValueError(
                f"The number of folds must be of Integral type. {n_splits} of type {type(n_splits)} was passed."
            )
        if n_splits <= 1:
            raise ValueError(
                "k-fold cross-validation requires at least one train/test split by setting n_splits=2 or more, got "
                f"n_splits={n_splits}."
            )
        if not isinstance(shuffle, bool):
            raise TypeError(f"shuffle must be True or False; got {shuffle}")
        if random_state is not None and not shuffle:
            raise ValueError(
                "Setting a random_state has no effect since shuffle is False. You should leave random_state to its "
                "default (None), or set shuffle=True."
            )
        self._folds, self._is_shuffled, self._random = int(n_splits), shuffle, random_state

    def get_n_splits(self, X: object = None, y: object = None, groups: object = None) -> int:
        """Return the number of folds."""
        return self._folds

    def _pairs(self, samples: int, y: object) -> Iterator[object]:
        """Go through pairs of indices, of the training part and of the test part."""
        if self._folds > samples:
            raise ValueError(
                f"Cannot have number of splits n_splits={self._folds} greater than the number of samples: "
                f"n_samples={samples}."
            )
        fold_of = self._assigned(samples, y)
        parts = [(np.flatnonzero(fold_of != each), np.flatnonzero(fold_of == each)) for each in range(self._folds)]
        return iter([(to_snippet(train), to_snippet(test)) for train, test in parts])

    def _assigned(self, samples: int, y: object) -> Array:
        """Return the number of the fold of each sample."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(n_splits={self._folds}, random_state={self._random}, shuffle={self._is_shuffled})"
        )


@keep_methods
class KFold(_Folds):
    """Divides samples in folds of the same size."""

    __slots__ = ()

    def split(self, X: Sized, y: object = None, groups: object = None) -> Iterator[object]:
        """Go through pairs of indices, of the training part and of the test part."""
        return self._pairs(len(X), y)

    def _assigned(self, samples: int, y: object) -> Array:
        order = np.arange(samples)
        if self._is_shuffled:
            source_of(self._random).shuffle(order)
        found = np.empty(samples, int)
        for each, fold in enumerate(np.array_split(order, self._folds)):
            found[fold] = each
        return found


@keep_methods
class StratifiedKFold(_Folds):
    """Divides samples in folds with the same share of each label."""

    __slots__ = ()

    def split(self, X: Sized, y: object, groups: object = None) -> Iterator[object]:
        """Go through pairs of indices, of the training part and of the test part."""
        return self._pairs(len(X), y)

    def _assigned(self, samples: int, y: object) -> Array:
        labels = np.asarray(to_numpy(y)).reshape(-1)
        if labels.dtype.kind == "f" and (labels != np.floor(labels)).any():
            raise ValueError("Supported target types are: ('binary', 'multiclass'). Got 'continuous' instead.")
        _, firsts, kinds, counts = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
        self._check_counts(counts)
        kinds = np.argsort(np.argsort(firsts))[kinds]  # numbered as they appear
        in_order = np.sort(kinds)
        random, found = source_of(self._random), np.empty(samples, int)
        shares = [np.bincount(in_order[each :: self._folds], minlength=len(counts)) for each in range(self._folds)]
        for kind, share in enumerate(np.transpose(shares)):
            folds = np.repeat(np.arange(self._folds), share)
            if self._is_shuffled:
                random.shuffle(folds)
            found[kinds == kind] = folds
        return found

    def _check_counts(self, counts: Array) -> None:
        if self._folds > counts.max():
            raise ValueError(f"n_splits={self._folds} cannot be greater than the number of members in each class.")
        if self._folds > counts.min():
            warnings.warn(
                f"The least populated class in y has only {counts.min()} members, which is less than "
                f"n_splits={self._folds}.",
                UserWarning,
                stacklevel=3,
            )


# --- draws ---


def resample(*arrays: Sized, replace: object = True, n_samples: Any = None, random_state: object = None) -> object:
    """Return some rows of each array, drawn with or without replacement."""
    samples = len(arrays[0])
    size = samples if n_samples is None else operator.index(n_samples)
    random = source_of(random_state)
    if replace:
        kept = random.randint(0, samples, size=(size,))
    elif size > samples:
        raise ValueError(f"Cannot sample {size} out of arrays with dim {samples} when replace is False")
    else:
        kept = random.permutation(samples)[:size]
    found = [_taken(each, kept) for each in arrays]
    return found[0] if len(found) == 1 else found


def shuffle(*arrays: Sized, random_state: object = None, n_samples: object = None) -> object:
    """Return the rows of each array in a drawn order."""
    return resample(*arrays, replace=False, n_samples=n_samples, random_state=random_state)
