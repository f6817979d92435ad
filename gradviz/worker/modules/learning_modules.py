"""`import sklearn` for a snippet: toy data sets, splits, scalers and metrics, as PyTorch tutorials use them.

Written in NumPy with scikit-learn's order of random draws, so that a seeded data set or split has the same numbers;
without a seed, they come from the snippet's own `np.random`. Of the models there is only PCA. Arrays go through
`numpy_boundary`. Next: `splits` and `toy_sets`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Self, SupportsIndex

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.worker.language.stand_in import stand_in
from gradviz.worker.modules.splits import KFold, StratifiedKFold, resample, shuffle, train_test_split
from gradviz.worker.modules.toy_sets import DRAWS, TOY_SETS, numbers_in
from gradviz.worker.objects.arguments import keep_methods
from gradviz.worker.objects.numpy_boundary import to_numpy, to_snippet

VERSION = "1.9.1"


def learning_modules(source: np.random.RandomState) -> dict[str, object]:
    """Return the stand-ins by module name; `source` is what `np.random` draws from."""
    DRAWS["source"] = source
    parts: dict[str, dict[str, object]] = {
        "datasets": {make.__name__: make for make in TOY_SETS},
        "model_selection": {each.__name__: each for each in (train_test_split, KFold, StratifiedKFold)},
        "preprocessing": {each.__name__: each for each in _PREPARING},
        "decomposition": {"PCA": PCA},
        "metrics": {each.__name__: each for each in _SCORES},
        "utils": {"resample": resample, "shuffle": shuffle},
    }
    modules = {f"sklearn.{name}": stand_in(f"sklearn.{name}", names) for name, names in parts.items()}
    names = {name: modules[f"sklearn.{name}"] for name in parts} | {"__version__": VERSION}
    return {"sklearn": stand_in("sklearn", names), **modules}


# --- scalers ---


class _Fitted:
    """What is measured once and then applied."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: Any = None

    def _fitted(self) -> Any:
        if self._found is None:
            raise ValueError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before "
                "using this estimator."
            )
        return self._found

    fit: Callable[..., Any]

    def fit_transform(self, X: object, y: object = None) -> object:
        """Fit and transform."""
        return self.fit(X).transform(X)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class StandardScaler(_Fitted):
    """Scales columns to mean 0 and standard deviation 1."""

    __slots__ = ()

    def __init__(self, *, copy: object = True, with_mean: object = True, with_std: object = True) -> None:
        if not (with_mean and with_std):
            raise ValueError("a StandardScaler shifts and scales in GradViz snippets; leave the argument out")
        super().__init__()

    mean_ = property(lambda self: to_snippet(self._fitted()[0].copy()), doc="What is subtracted.")
    scale_ = property(lambda self: to_snippet(self._fitted()[1].copy()), doc="What is divided by.")
    var_ = property(lambda self: to_snippet(self._fitted()[1] ** 2), doc="Its square.")

    def _measure(self, x: Array) -> tuple[Array, Array]:
        return x.mean(0), x.std(0)

    def fit(self, X: object, y: object = None) -> StandardScaler:
        """Measure the columns."""
        shift, unit = self._measure(_columns(X))
        self._found = shift, np.where(unit == 0, 1.0, unit)
        return self

    def transform(self, X: object) -> Any:
        """Shift and scale the columns."""
        shift, unit = self._fitted()
        return to_snippet((_columns(X) - shift) / unit)

    def inverse_transform(self, X: object) -> object:
        """Undo `transform`."""
        shift, unit = self._fitted()
        return to_snippet(_columns(X) * unit + shift)


class MinMaxScaler(StandardScaler):
    """Scales columns to a range."""

    __slots__ = ("_range",)

    def __init__(self, feature_range: Any = (0, 1), *, copy: object = True, clip: object = False) -> None:
        super().__init__()
        low, high = feature_range
        self._range = (float(low), float(high))

    def _measure(self, x: Array) -> tuple[Array, Array]:
        low, high = self._range
        span = x.max(0) - x.min(0)
        unit = np.where(span == 0, 1.0, span) / (high - low)
        return x.min(0) - low * unit, unit


def _columns(given: object) -> Array:
    x = numbers_in(given)
    if x.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {x.ndim}D array instead. Reshape your data either using array.reshape(-1, 1) if "
            "your data has a single feature or array.reshape(1, -1) if it contains a single sample."
        )
    return x if x.dtype.kind == "f" else x.astype(float)


def normalize(X: Any, norm: object = "l2", *, axis: SupportsIndex = 1, copy: object = True) -> object:
    """Scale rows, or columns, to length 1."""
    x, way = _columns(X), operator.index(axis)
    if way not in (0, 1) or norm not in ("l1", "l2", "max"):
        raise ValueError(f"normalize(norm={norm!r}, axis={axis!r}) is not available in GradViz snippets")
    size = np.abs(x)
    lengths = {"l1": size.sum(way), "max": size.max(way), "l2": np.sqrt((x * x).sum(way))}
    found = np.expand_dims(lengths[str.__str__(norm)], way)
    return to_snippet(x / np.where(found == 0, 1.0, found))


def scale(
    X: Any, *, axis: SupportsIndex = 0, with_mean: object = True, with_std: object = True, copy: object = True
) -> object:
    """Scale columns, or rows, to mean 0 and standard deviation 1."""
    x, way = numbers_in(X).astype(float), operator.index(axis)
    middle = x.mean(way, keepdims=True) if with_mean else 0.0
    width: Any = x.std(way, keepdims=True) if with_std else 1.0
    return to_snippet((x - middle) / np.where(width == 0, 1.0, width))


class LabelEncoder(_Fitted):
    """Encodes labels as numbers, in sorted order."""

    __slots__ = ()

    classes_ = property(lambda self: to_snippet(self._fitted().copy()), doc="The labels.")

    def fit(self, y: object) -> LabelEncoder:
        """Find the labels."""
        self._found = np.unique(np.asarray(to_numpy(y)))
        return self

    def transform(self, y: object) -> Any:
        """Return the labels' numbers."""
        labels, given = self._fitted(), np.asarray(to_numpy(y))
        unknown = np.setdiff1d(given, labels)
        if len(unknown):
            raise ValueError(f"y contains previously unseen labels: {unknown}")
        return to_snippet(np.searchsorted(labels, given))

    def inverse_transform(self, y: object) -> object:
        """Return the labels of numbers."""
        return to_snippet(self._fitted()[np.asarray(to_numpy(y))])


class PCA(_Fitted):
    """Turns columns so that the first ones differ most, by a singular value decomposition."""

    __slots__ = ("_wanted", "_whiten")

    def __init__(
        self, n_components: object = None, *, copy: object = True, whiten: object = False, svd_solver: object = "auto",
        random_state: object = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if not (n_components is None or type(n_components) in (int, float)):
            raise ValueError(f"PCA(n_components={n_components!r}) is not available in GradViz snippets")
        self._wanted, self._whiten = n_components, bool(whiten)

    mean_ = property(lambda self: to_snippet(self._fitted()[0].copy()), doc="The mean of each column.")
    components_ = property(lambda self: to_snippet(self._fitted()[1].copy()), doc="The directions, in rows.")
    singular_values_ = property(lambda self: to_snippet(self._fitted()[2].copy()), doc="How long they are.")
    explained_variance_ = property(lambda self: to_snippet(self._fitted()[3].copy()), doc="The variance along each.")
    explained_variance_ratio_ = property(lambda self: to_snippet(self._fitted()[4].copy()), doc="Its share.")
    n_components_ = property(lambda self: len(self._fitted()[1]), doc="How many directions there are.")

    def fit(self, X: object, y: object = None) -> PCA:
        """Find the directions."""
        x = _columns(X)
        most = min(x.shape)
        mean = x.mean(0)
        _, lengths, rows = np.linalg.svd(x - mean, full_matrices=False)
        largest = np.take_along_axis(rows, np.abs(rows).argmax(1)[:, None], 1)
        rows = rows * np.sign(largest)
        variances = lengths**2 / (len(x) - 1)
        shares = variances / variances.sum()
        count = most if self._wanted is None else self._wanted
        if isinstance(count, float) and 0 < count < 1:
            count = int(np.searchsorted(np.cumsum(shares), count, side="right")) + 1
        if not (isinstance(count, int) and 0 <= count <= most):
            raise ValueError(
                f"n_components={count!r} must be between 0 and min(n_samples, n_features)={most!r} with "
                "svd_solver='full'"
            )
        self._found = mean, rows[:count], lengths[:count], variances[:count], shares[:count]
        return self

    def transform(self, X: object) -> object:
        """Return rows as numbers along the directions."""
        mean, rows, _, variances, _ = self._fitted()
        found = (_columns(X) - mean) @ rows.T
        return to_snippet(found / np.sqrt(variances) if self._whiten else found)

    def inverse_transform(self, X: object) -> object:
        """Undo `transform`, but for what lies along other directions."""
        mean, rows, _, variances, _ = self._fitted()
        x = _columns(X)
        return to_snippet((x * np.sqrt(variances) if self._whiten else x) @ rows + mean)

    def __repr__(self) -> str:
        return "PCA()" if self._wanted is None else f"PCA(n_components={self._wanted})"


@keep_methods
class OneHot:
    """What OneHotEncoder returns: an array that `toarray` hands out."""

    __slots__ = ("_array",)
    _array: Array

    def __new__(cls, *given: object, **named: object) -> Self:
        raise TypeError("it is made by a OneHotEncoder in GradViz snippets")

    shape = property(lambda self: self._array.shape, doc="Its numbers of rows and columns.")

    def toarray(self) -> object:
        """Return the array."""
        return to_snippet(self._array.copy())

    todense = toarray


class OneHotEncoder(_Fitted):
    """Encodes each label of each column as a column of zeros and ones."""

    __slots__ = ("_dense",)

    def __init__(self, *, sparse_output: object = True, handle_unknown: object = "error", dtype: object = None) -> None:
        super().__init__()
        if handle_unknown != "error" or dtype is not None:
            raise ValueError("a OneHotEncoder has only sparse_output in GradViz snippets; leave the others out")
        self._dense = not sparse_output

    categories_ = property(lambda self: [to_snippet(each.copy()) for each in self._fitted()], doc="The labels.")

    def fit(self, X: object, y: object = None) -> OneHotEncoder:
        """Find the labels of each column."""
        self._found = [np.unique(column) for column in _label_columns(X)]
        return self

    def transform(self, X: object) -> object:
        """Return a column for each label."""
        found, columns = self._fitted(), _label_columns(X)
        for at, (kinds, column) in enumerate(zip(found, columns, strict=True)):
            if len(unknown := np.setdiff1d(column, kinds)):
                raise ValueError(f"Found unknown categories {unknown.tolist()} in column {at} during transform")
        parts = [column[:, None] == kinds for kinds, column in zip(found, columns, strict=True)]
        array = np.concatenate(parts, axis=1).astype(float)
        if self._dense:
            return to_snippet(array)
        made: OneHot = object.__new__(OneHot)
        made._array = array
        return made

    def inverse_transform(self, X: object) -> object:
        """Return the labels."""
        found, x = self._fitted(), _columns(X.toarray() if isinstance(X, OneHot) else X)
        ends = np.cumsum([len(kinds) for kinds in found])[:-1]
        parts = zip(found, np.split(x, ends, axis=1), strict=True)
        return to_snippet(np.stack([kinds[part.argmax(1)] for kinds, part in parts], axis=1))


def _label_columns(given: object) -> list[Array]:
    if isinstance(given, list | tuple):
        columns: list[object] = [list(column) for column in zip(*given, strict=True)]
    else:
        rows = np.asarray(to_numpy(given))
        columns = list(rows.T) if rows.ndim == 2 else []
    if not columns:
        raise ValueError("Expected 2D array: labels in rows and columns")
    found = [np.asarray(to_numpy(column)) for column in columns]
    if any(each.dtype.kind not in "biufU" or each.ndim != 1 for each in found):
        raise ValueError("labels are numbers or texts in GradViz snippets")
    return found


_PREPARING = (StandardScaler, MinMaxScaler, LabelEncoder, OneHotEncoder, normalize, scale)


# --- scores ---


def _pair(first: object, second: object) -> tuple[Array, Array]:
    a, b = np.asarray(to_numpy(first)), np.asarray(to_numpy(second))
    if len(a) != len(b):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{len(a)}, {len(b)}]")
    return a, b


def _labelled(y_true: object, y_pred: object, several: bool = True) -> tuple[Array, Array, Array]:
    """Labels, predicted labels, and the kinds of labels; with `several`, also rows that say which labels hold."""
    a, b = (each.reshape(-1) if each.ndim == 2 and each.shape[1] == 1 else each for each in _pair(y_true, y_pred))
    if a.ndim == b.ndim == 1:
        return a, b, np.unique(np.concatenate([a, b]))
    is_indicator = a.shape == b.shape and a.ndim == 2 and np.isin((a, b), (0, 1)).all()
    if not (several and is_indicator):
        raise ValueError(f"{'multilabel-indicator' if is_indicator else 'multiclass-multioutput'} is not supported")
    return a, b, np.arange(len(a.T))


def accuracy_score(y_true: object, y_pred: object, *, normalize: object = True) -> float | int:
    """Return the share of equal labels."""
    a, b = _pair(y_true, y_pred)
    same = a == b if a.ndim == 1 else (a == b).all(axis=-1)
    return float(same.mean()) if normalize else int(same.sum())


def confusion_matrix(y_true: object, y_pred: object) -> object:
    """Count how often each label was predicted as which."""
    a, b, labels = _labelled(y_true, y_pred, several=False)
    places = np.searchsorted(labels, np.concatenate([a, b]))
    found = np.zeros((len(labels), len(labels)), np.int64)
    np.add.at(found, (places[: len(a)], places[len(a) :]), 1)
    return to_snippet(found)


def mean_squared_error(y_true: object, y_pred: object) -> float:
    """Return the mean squared difference."""
    a, b = _pair(y_true, y_pred)
    return float(((a - b) ** 2).mean())


def mean_absolute_error(y_true: object, y_pred: object) -> float:
    """Return the mean absolute difference."""
    a, b = _pair(y_true, y_pred)
    return float(np.abs(a - b).mean())


def _counts(a: Array, b: Array, labels: Array) -> Array:
    """How often each label was predicted rightly, predicted, and meant, in rows."""
    if a.ndim == 2:
        counted: Array = np.stack([(a * b).sum(0), b.sum(0), a.sum(0)])[:, labels].astype(float)
        return counted
    rows = [[((a == each) & (b == each)).sum(), (b == each).sum(), (a == each).sum()] for each in labels]
    return np.array(rows, float).reshape(-1, 3).T


def _rates(counts: Array) -> Array:
    """Precision, recall and F1 of each column of counts, in rows; 0 where nothing was predicted or meant."""
    hits, taken, meant = counts
    below = np.stack([taken, meant, (taken + meant) / 2])
    found: Array = np.divide(hits, below, out=np.zeros_like(below), where=below != 0)
    return found


def _shares(name: str) -> Callable[..., float]:
    """Return the function for precision, recall or F1."""
    at = ("precision_score", "recall_score", "f1_score").index(name)

    def score(
        y_true: object, y_pred: object, *, pos_label: object = 1, average: object = "binary", zero_division: object = 0
    ) -> float:
        a, b, labels = _labelled(y_true, y_pred)
        if average == "binary":
            if a.ndim == 2 or len(labels) > 2:
                kind, more = ("multilabel-indicator", ", 'samples'") if a.ndim == 2 else ("multiclass", "")
                raise ValueError(
                    f"Target is {kind} but average='binary'. Please choose another average setting, one of [None, "
                    f"'micro', 'macro', 'weighted'{more}]."
                )
            labels = np.asarray([to_numpy(pos_label)])
        elif average not in ("micro", "macro", "weighted"):
            raise ValueError(f"{name}(average={average!r}) is not available in GradViz snippets")
        counts = _counts(a, b, labels)
        if average == "micro":
            counts = counts.sum(axis=1, keepdims=True)
        return float(np.average(_rates(counts)[at], weights=counts[2] if average == "weighted" else None))

    score.__name__ = score.__qualname__ = name
    return score


def classification_report(
    y_true: object,
    y_pred: object,
    *,
    labels: object = None,
    target_names: Any = None,
    digits: SupportsIndex = 2,
    zero_division: object = 0,
) -> str:
    """Return the rates of each label and their averages as text."""
    a, b, there = _labelled(y_true, y_pred)
    kinds = there if labels is None else np.asarray(to_numpy(labels))
    names = [str.__str__(str(each)) for each in (kinds.tolist() if target_names is None else target_names)]
    if len(names) != len(kinds):
        way = "" if labels is not None else ". Try specifying the labels parameter"
        raise ValueError(f"Number of classes, {len(kinds)}, does not match size of target_names, {len(names)}{way}")
    counts = _counts(a, b, kinds)
    rates, meant = _rates(counts), counts[2]
    rows = {name: [*rate, count] for name, rate, count in zip(names, rates.T.tolist(), meant.tolist(), strict=True)}
    whole = [*_rates(counts.sum(axis=1, keepdims=True))[:, 0].tolist(), meant.sum().item()]
    is_whole = a.ndim == 1 and set(there.tolist()) <= set(kinds.tolist())
    averages = {"accuracy" if is_whole else "micro avg": whole}
    averages["macro avg"] = [*rates.mean(axis=1).tolist(), whole[3]]
    averages["weighted avg"] = [*np.average(rates, axis=1, weights=meant).tolist(), whole[3]]
    if a.ndim == 2:
        averages["samples avg"] = [*_rates(_counts(a.T, b.T, np.arange(len(a)))).mean(axis=1).tolist(), whole[3]]
    heads = ("precision", "recall", "f1-score", "support")
    places = operator.index(digits)
    width = max(*map(len, names), len("weighted avg"), places)

    def line(key: str, row: list[float]) -> str:
        cells = ["" if key == "accuracy" and at < 2 else f"{each:.{places}f}" for at, each in enumerate(row[:3])]
        return f"{key:>{width}s} " + "".join(f" {each:>9}" for each in (*cells, int(row[3]))) + "\n"

    head = f"{'':>{width}s} " + "".join(f" {each:>9}" for each in heads)
    above, below = ("".join(line(*each) for each in part.items()) for part in (rows, averages))
    return f"{head}\n\n{above}\n{below}"


def r2_score(y_true: object, y_pred: object) -> float:
    """Return the share of the variance that is explained."""
    a, b = _pair(y_true, y_pred)
    return float(1 - ((a - b) ** 2).sum() / ((a - a.mean(0)) ** 2).sum())


def _reached(y_true: object, y_score: object) -> tuple[Array, Array, Array]:
    """For each score, from the highest: how many positives and how many negatives reach it, and the score."""
    truth, score = _pair(y_true, y_score)
    labels = np.unique(truth)
    if truth.ndim != 1 or len(labels) > 2:
        raise ValueError("multiclass format is not supported")
    order = np.argsort(-score, kind="stable")
    hits, score = np.cumsum(truth[order] == labels[-1]), score[order]
    last = np.flatnonzero(np.append(score[1:] != score[:-1], True))
    return hits[last].astype(float), (1 + last - hits[last]).astype(float), score[last]


def roc_curve(y_true: object, y_score: object, *, drop_intermediate: object = True) -> object:
    """Return the false and true positive rates by threshold; without points on straight lines."""
    hits, alarms, score = _reached(y_true, y_score)
    kept = np.full(len(hits), True)
    if drop_intermediate and len(hits) > 2:
        kept[1:-1] = (np.diff(alarms, 2) != 0) | (np.diff(hits, 2) != 0)
    found = (alarms[kept] / alarms[-1], hits[kept] / hits[-1], score[kept])
    return tuple(to_snippet(np.append(first, each)) for first, each in zip((0.0, 0.0, np.inf), found, strict=True))


def auc(x: object, y: object) -> float:
    """Return the area under a piecewise linear curve."""
    a, b = _pair(x, y)
    return float(abs(np.trapezoid(b, a)))


def roc_auc_score(y_true: object, y_score: object, *, average: object = "macro") -> float:
    """Return the probability that a positive has a higher score than a negative; of several labels, the mean."""
    truth, score = _pair(y_true, y_score)
    if truth.ndim == score.ndim == 2 and average in ("macro", "micro"):
        several = [(truth.reshape(-1), score.reshape(-1))] if average == "micro" else zip(truth.T, score.T, strict=True)
        return float(np.mean([roc_auc_score(*each) for each in several]))
    hits, alarms, _ = _reached(y_true, y_score)
    return float(np.trapezoid(np.append(0.0, hits / hits[-1]), np.append(0.0, alarms / alarms[-1])))


_SCORES = (
    *(accuracy_score, confusion_matrix, mean_squared_error, mean_absolute_error, r2_score),
    *(classification_report, roc_curve, auc, roc_auc_score),
    *map(_shares, ("precision_score", "recall_score", "f1_score")),
)
