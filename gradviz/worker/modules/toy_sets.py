"""The data sets of scikit-learn that tutorials begin with. It draws some, such as `make_moons`: in NumPy with its order
of random draws, so that a seed gives the same numbers. Three are measured: the flowers of Iris (Fisher, 1936), and of
the UCI Machine Learning Repository (CC BY 4.0) the tumours of Wisconsin (Wolberg, Mangasarian, Street and Street, 1993)
and handwritten digits (Alpaydin and Kaynak, 1998). Next: `learning_modules`, which offers these."""

from __future__ import annotations

import operator
import zlib
from collections.abc import Callable, Sequence
from typing import Any, SupportsFloat, SupportsIndex

import numpy as np

from gradviz import RESOURCES
from gradviz.engine.kernel.dtypes import Array
from gradviz.worker.objects.arguments import keep_methods
from gradviz.worker.objects.numpy_boundary import to_numpy, to_snippet

_ITEMS = 10_000_000  # of a generated data set


def numbers_in(given: object) -> Array:
    """Return the numbers of an array or a sequence."""
    found = np.asarray(to_numpy(given))
    return found if found.dtype.kind in "biuf" else found.astype(float)


DRAWS = {"source": np.random.RandomState(0)}  # what the `np.random` of the run draws from


def source_of(random_state: Any) -> np.random.RandomState:
    """Return what a function of this `random_state` draws from: the snippet's own `np.random` without one."""
    return DRAWS["source"] if random_state is None else np.random.RandomState(operator.index(random_state))


def _shuffled(random: np.random.RandomState, count: int) -> Array:
    """Return the numbers below a count in a drawn order."""
    order = np.arange(count)
    random.shuffle(order)
    return order


def _finished(random: np.random.RandomState, x: Array, y: Array, shuffle: object, noise: SupportsFloat | None) -> Any:
    if shuffle:
        order = _shuffled(random, len(x))
        x, y = x[order], y[order]
    if noise is not None:
        x = x + random.normal(scale=float(noise), size=x.shape)
    return to_snippet(x), to_snippet(y)


def make_moons(
    n_samples: object = 100, *, shuffle: object = True, noise: SupportsFloat | None = None, random_state: object = None
) -> object:
    """Draw two half circles that interlock."""
    outer, inner = _two(n_samples)
    far, near = np.linspace(0, np.pi, outer), np.linspace(0, np.pi, inner)
    x = np.append(np.cos(far), 1 - np.cos(near))
    y = np.append(np.sin(far), 1 - np.sin(near) - 0.5)
    return _finished(source_of(random_state), np.stack([x, y], 1), _halves(outer, inner), shuffle, noise)


def make_circles(
    n_samples: object = 100,
    *,
    shuffle: object = True,
    noise: SupportsFloat | None = None,
    random_state: object = None,
    factor: SupportsFloat = 0.8,
) -> object:
    """Draw a circle inside another one."""
    outer, inner = _two(n_samples)
    far, near = (np.linspace(0, 2 * np.pi, count, endpoint=False) for count in (outer, inner))
    x = np.append(np.cos(far), np.cos(near) * float(factor))
    y = np.append(np.sin(far), np.sin(near) * float(factor))
    return _finished(source_of(random_state), np.stack([x, y], 1), _halves(outer, inner), shuffle, noise)


def make_swiss_roll(
    n_samples: object = 100, *, noise: SupportsFloat = 0.0, random_state: object = None, hole: object = False
) -> object:
    """Draw a rolled sheet in space, and how far along it each point lies."""
    random, count = source_of(random_state), _count(n_samples)
    if hole:
        corners = np.array([[np.pi * (1.5 + at // 3), 7.0 * (at % 3)] for at in range(9) if at != 4])
        chosen = random.choice(8, count)
        along, across = corners[chosen].T + random.uniform(size=(2, count)) * [[np.pi], [7]]
    else:
        along = 1.5 * np.pi * (1 + 2 * random.uniform(size=count))
        across = 21 * random.uniform(size=count)
    return _in_space(random, [along * np.cos(along), across, along * np.sin(along)], noise, along)


def make_s_curve(n_samples: object = 100, *, noise: SupportsFloat = 0.0, random_state: object = None) -> object:
    """Draw a sheet in space that is bent like an S, and how far along it each point lies."""
    random, count = source_of(random_state), _count(n_samples)
    along = 3 * np.pi * (random.uniform(size=count) - 0.5)
    across = 2 * random.uniform(size=count)
    return _in_space(random, [np.sin(along), across, np.sign(along) * (np.cos(along) - 1)], noise, along)


def _in_space(random: np.random.RandomState, parts: list[Array], noise: SupportsFloat, along: Array) -> object:
    x = np.vstack(parts)
    x += float(noise) * random.standard_normal(size=x.shape)
    return to_snippet(np.ascontiguousarray(x.T)), to_snippet(along)


def make_blobs(
    n_samples: object = 100,
    n_features: SupportsIndex = 2,
    *,
    centers: object = None,
    cluster_std: object = 1.0,
    center_box: tuple[SupportsFloat, SupportsFloat] = (-10.0, 10.0),
    shuffle: object = True,
    random_state: object = None,
) -> object:
    """Draw round clusters."""
    random, samples = source_of(random_state), _count(n_samples)
    given = 3 if centers is None else to_numpy(centers)
    if np.ndim(given) == 0:
        low, high = center_box
        given = random.uniform(float(low), float(high), size=(_count(given), _count(n_features)))
    middles = np.asarray(given, float)
    sizes = [samples // len(middles) + (each < samples % len(middles)) for each in range(len(middles))]
    widths = np.broadcast_to(numbers_in(cluster_std), len(middles))
    parts = [
        random.normal(loc=middle, scale=width, size=(size, middles.shape[1]))
        for middle, width, size in zip(middles, widths, sizes, strict=True)
    ]
    labels = np.repeat(np.arange(len(middles)), sizes)
    return _finished(random, np.concatenate(parts), labels, shuffle, None)


def make_regression(
    n_samples: int = 100,
    n_features: object = 100,
    *,
    n_informative: object = 10,
    n_targets: object = 1,
    bias: SupportsFloat = 0.0,
    noise: SupportsFloat = 0.0,
    shuffle: object = True,
    coef: object = False,
    random_state: object = None,
) -> object:
    """Draw a linear model with noise."""
    random, features = source_of(random_state), _count(n_features)
    _count(_count(n_samples) * features)
    x = random.standard_normal(size=(_count(n_samples), features))
    informative = min(features, _count(n_informative))
    truth = np.zeros((features, _count(n_targets)))
    truth[:informative] = 100 * random.uniform(size=(informative, _count(n_targets)))
    y = np.dot(x, truth) + float(bias)
    if float(noise) > 0:
        y += random.normal(scale=float(noise), size=y.shape)
    if shuffle:
        order, columns = _shuffled(random, len(x)), _shuffled(random, features)
        x, y, truth = x[order][:, columns], y[order], truth[columns]
    found = (to_snippet(x), to_snippet(np.squeeze(y)))
    return (*found, to_snippet(np.squeeze(truth))) if coef else found


def make_classification(
    n_samples: object = 100,
    n_features: object = 20,
    *,
    n_informative: SupportsIndex = 2,
    n_redundant: SupportsIndex = 2,
    n_repeated: SupportsIndex = 0,
    n_classes: object = 2,
    n_clusters_per_class: object = 2,
    weights: object = None,
    flip_y: SupportsFloat = 0.01,
    class_sep: SupportsFloat = 1.0,
    hypercube: object = True,
    shift: SupportsFloat = 0.0,
    scale: object = 1.0,
    shuffle: object = True,
    random_state: object = None,
) -> object:
    """Draw clusters around the corners of a cube."""
    random, samples, features = source_of(random_state), _count(n_samples), _count(n_features)
    _count(samples * features)
    kinds = [_count(n_informative), *map(operator.index, (n_redundant, n_repeated))]
    classes, clusters = _count(n_classes), _count(n_classes) * _count(n_clusters_per_class)
    _check_classes(features, kinds, classes, clusters)
    shares = _shares(weights, classes)
    sizes = [int(samples * shares[k % classes] / (clusters // classes)) for k in range(clusters)]
    for k in range(samples - sum(sizes)):
        sizes[k % clusters] += 1
    corners = _corners(random, clusters, kinds[0]) * (2 * float(class_sep)) - float(class_sep)
    if not hypercube:
        corners *= random.uniform(size=(clusters, 1))
        corners *= random.uniform(size=(1, kinds[0]))
    x = _around(random, corners, sizes, features, kinds)
    y = np.repeat(np.arange(clusters) % classes, sizes)
    if float(flip_y) >= 0:
        flipped = random.uniform(size=samples) < float(flip_y)
        y[flipped] = random.randint(classes, size=flipped.sum())
    x += (2 * random.uniform(size=features) - 1) * float(class_sep) if shift is None else numbers_in(shift)
    x *= 1 + 100 * random.uniform(size=features) if scale is None else numbers_in(scale)
    if shuffle:
        order, columns = _shuffled(random, samples), _shuffled(random, features)
        x, y = x[order][:, columns], y[order]
    return _finished(random, x, y, shuffle=False, noise=None)


def _check_classes(features: int, kinds: list[int], classes: int, clusters: int) -> None:
    informative = kinds[0]
    if sum(kinds) > features or min(kinds) < 0:
        raise ValueError(
            "Number of informative, redundant and repeated features must sum to less than the number of total features"
        )
    if informative < np.log2(clusters):
        raise ValueError(
            f"n_classes({classes}) * n_clusters_per_class({clusters // classes}) must be smaller or equal "
            f"2**n_informative({informative})={2 ** min(informative, 64)}"
        )


def _shares(weights: object, classes: int) -> list[float]:
    """Return the share of the samples that each class has."""
    if weights is None:
        return [1.0 / classes] * classes
    given = [float(each) for each in to_numpy(weights)]
    if len(given) not in (classes, classes - 1):
        raise ValueError("Weights specified but incompatible with number of classes.")
    return given if len(given) == classes else [*given, 1.0 - sum(given)]


def _corners(random: np.random.RandomState, count: int, dimensions: int) -> Array:
    """Return as many different corners of a cube as there are clusters."""
    if dimensions > 30:
        others = random.randint(2, size=(count, dimensions - 30))
        return np.hstack([others, _corners(random, count, 30)]).astype(float)
    chosen = _different(random, 2**dimensions, count)
    return (chosen[:, None] >> np.arange(dimensions)[::-1] & 1).astype(float)


def _different(random: np.random.RandomState, population: int, count: int) -> Array:
    """Return different numbers below `population`, in the three ways of scikit-learn."""
    share = count / population
    if 0.01 < share < 0.99:
        return random.permutation(population)[:count]
    if share < 0.2:
        chosen: dict[int, None] = {}
        while len(chosen) < count:
            chosen[int(random.randint(population))] = None
        return np.array(list(chosen))
    found = np.arange(count)
    for number in range(count, population):
        place = random.randint(0, number + 1)
        if place < count:
            found[place] = number
    return found


def _around(random: np.random.RandomState, corners: Array, sizes: list[int], features: int, kinds: list[int]) -> Array:
    """Return the features: those around a corner, linear combinations of these, copies, and noise."""
    informative, redundant, repeated = kinds
    x = np.zeros((sum(sizes), features))
    x[:, :informative] = random.standard_normal(size=(len(x), informative))
    stop = 0
    for corner, size in zip(corners, sizes, strict=True):
        start, stop = stop, stop + size
        mixed = 2 * random.uniform(size=(informative, informative)) - 1
        x[start:stop, :informative] = np.dot(x[start:stop, :informative], mixed) + corner
    known = informative + redundant
    if redundant:
        mixed = 2 * random.uniform(size=(informative, redundant)) - 1
        x[:, informative:known] = np.dot(x[:, :informative], mixed)
    if repeated:
        x[:, known : known + repeated] = x[:, ((known - 1) * random.uniform(size=repeated) + 0.5).astype(np.intp)]
    if features > known + repeated:
        x[:, known + repeated :] = random.standard_normal(size=(len(x), features - known - repeated))
    return x


def _count(given: Any) -> int:
    number = operator.index(given)
    if not 0 < number <= _ITEMS:
        raise ValueError(f"a set has 1 to {_ITEMS:,} numbers in GradViz snippets")
    return number


def _two(n_samples: object) -> tuple[int, int]:
    if isinstance(n_samples, tuple):
        outer, inner = n_samples
        return _count(outer), _count(inner)
    return _count(n_samples) // 2, _count(n_samples) - _count(n_samples) // 2


def _halves(first: int, second: int) -> Array:
    return np.append(np.zeros(first, np.intp), np.ones(second, np.intp))


# --- measured ones ---

# Read now, because a worker reads no file later: lengths and widths in centimetres, 50 flowers of each species; and
# whole numbers, compressed, that become the published ones when each column is divided by its power of ten; and the
# 64 pixels of each digit, from 0 to 16, and the digit.
_IRIS = (RESOURCES / "iris.csv").read_text(encoding="ascii")
_TUMOURS = (RESOURCES / "breast_cancer.bin").read_bytes()
_PIXELS = (RESOURCES / "digits.bin").read_bytes()
_DIGITS = "322155764544436676673221556645"  # after the point, in each column
_MEASURED = """radius, texture, perimeter, area, smoothness, compactness, concavity, concave points, symmetry, fractal
dimension""".replace("\n", " ").split(", ")


@keep_methods
class Bunch:
    """A data set."""

    __slots__ = ("DESCR", "data", "feature_names", "frame", "images", "target", "target_names")

    images: object  # of `load_digits`

    def __init__(self, about: str, data: object, target: object, kinds: Sequence[object], features: object) -> None:
        self.DESCR, self.frame = about, None
        self.data, self.target = to_snippet(data), to_snippet(target)
        self.target_names, self.feature_names = to_snippet(np.array(kinds)), features

    def __getitem__(self, key: str) -> object:
        return {name: getattr(self, name, None) for name in self.__slots__}[key]


def load_iris(*, return_X_y: object = False, as_frame: object = False) -> object:
    """Load 150 flowers of three species."""
    lengths = np.array([row.split(",") for row in _IRIS.split()], float)
    features = [f"{part} {of} (cm)" for part in ("sepal", "petal") for of in ("length", "width")]
    kinds = ["setosa", "versicolor", "virginica"]
    return _loaded("Iris plants dataset", lengths, np.repeat(np.arange(3), 50), (kinds, features), return_X_y, as_frame)


def load_breast_cancer(*, return_X_y: object = False, as_frame: object = False) -> object:
    """Load 30 measures of each of 569 tumours, and whether it is benign."""
    planes = np.frombuffer(zlib.decompress(_TUMOURS), np.uint8).reshape(4, -1)
    rows = np.ascontiguousarray(planes.T).view("<i4").reshape(len(_DIGITS) + 1, -1)
    measures = rows[:-1].T / np.array([10.0 ** int(each) for each in _DIGITS])
    named = [f"mean {each}" for each in _MEASURED] + [f"{each} error" for each in _MEASURED]
    features = to_snippet(np.array(named + [f"worst {each}" for each in _MEASURED]))
    about = "Breast cancer Wisconsin (diagnostic) dataset"
    kinds = ["malignant", "benign"]
    return _loaded(about, measures, rows[-1].astype(np.int64), (kinds, features), return_X_y, as_frame)


def load_digits(*, n_class: SupportsIndex = 10, return_X_y: object = False, as_frame: object = False) -> object:
    """Load 1,797 handwritten digits of 8 by 8 pixels, or those below `n_class`."""
    rows = np.frombuffer(zlib.decompress(_PIXELS), np.uint8).reshape(65, -1).T
    rows = rows[rows[:, -1] < operator.index(n_class)]
    pixels, digits = rows[:, :-1].astype(float), rows[:, -1].astype(np.int64)
    features = [f"pixel_{row}_{column}" for row in range(8) for column in range(8)]
    about = "Optical recognition of handwritten digits dataset"
    made = _loaded(about, pixels, digits, (range(10), features), return_X_y, as_frame)
    if isinstance(made, Bunch):
        made.images = to_snippet(pixels.reshape(-1, 8, 8))
    return made


def _loaded(
    about: str, data: object, target: object, names: tuple[Sequence[object], object], as_pair: object, as_frame: object
) -> object:
    if as_frame:
        raise PermissionError(
            "as_frame=True is not available in GradViz snippets; pd.DataFrame(data.data) makes the table"
        )
    made = Bunch(about, np.ascontiguousarray(data), target, *names)
    return (made.data, made.target) if as_pair else made


TOY_SETS: tuple[Callable[..., object], ...] = (
    *(make_moons, make_circles, make_blobs, make_regression, make_classification, load_iris, load_breast_cancer),
    *(load_digits, make_swiss_roll, make_s_curve),
)
