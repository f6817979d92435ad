"""`torchvision.datasets`: data sets of pictures that are drawn here, in the sizes, types and classes of those whose
names they bear. A picture is drawn when it is first accessed; after some hundreds per class, the same pictures are
reused, shifted.

The pictures are digits, characters, clothes, objects and faces, drawn by a few lines each and never the same:
substitutes for MNIST, KMNIST, Fashion-MNIST, CIFAR-10 and CelebA, none of whose pictures are included. Each follows
from its seed."""

from __future__ import annotations

import functools
import json
import math
import operator
import posixpath
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, SupportsIndex

import numpy as np

from gradviz import RESOURCES, torch
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.state import paused, state
from gradviz.engine.kernel.tensor import Tensor
from gradviz.torch.utils.data.loader import PASSES, Ends
from gradviz.worker.modules.scratch_paths import isdir, listdir, plain_path, walk
from gradviz.worker.modules.vision.picture import Image, fromarray, open_image, picture, shared_picture
from gradviz.worker.objects.numpy_boundary import to_numpy, to_snippet
from gradviz.worker.objects.numpy_types import SafeArray

Points = tuple[tuple[float, float], ...]


def _arc(x: float, y: float, rx: float, ry: float, begin: float, end: float) -> Points:
    """Return part of an ellipse, in degrees, clockwise from the right."""
    angles = [math.radians(begin + (end - begin) * step / 8) for step in range(9)]
    return tuple((x + rx * math.cos(angle), y + ry * math.sin(angle)) for angle in angles)


def _line(parts: list[list[float]]) -> Points:
    """Return the points of a line, of which each part is a point or, with six numbers, an arc."""
    return tuple(point for part in parts for point in (_arc(*part) if len(part) == 6 else [(part[0], part[1])]))


# Of each label, the lines of its picture in a square from 0 to 1, y downwards: strokes of digits and signs, outlines of
# clothes and things. Read now, because a worker reads no file later.
_OUTLINES: dict[str, list[tuple[Points, ...]]] = {
    kind: [tuple(map(_line, figure)) for figure in figures]
    for kind, figures in json.loads((RESOURCES / "outlines.json").read_text(encoding="utf-8")).items()
}


def _turned(points: Points, source: Any, size: int) -> Any:
    """Return the points in pixels, shifted, rotated and stretched as by hand."""
    turn, lean = source.uniform(-0.18, 0.18), source.uniform(-0.15, 0.15)
    wide, high = (float(each) for each in source.uniform(0.78, 0.98, 2))
    stretched: Array = np.array([[wide, lean], [0.0, high]])
    turned: Array = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    moved: Array = np.array(points) - 0.5
    matrix = stretched @ turned
    return (moved @ matrix.T + 0.5 + source.uniform(-0.05, 0.05, 2)) * size


@functools.cache
def _grid(height: int, width: int) -> Array:
    """Return the place of each pixel, across and down."""
    ys, xs = np.mgrid[0:height, 0:width]
    return np.stack((xs, ys), -1).astype(float) + 0.5


def _stroked(strokes: tuple[Points, ...], source: Any, size: int) -> Any:
    """Draw grey strokes: the distance of each pixel from the nearest part of a line."""
    state = source.get_state()
    grid, nearest = _grid(size, size), np.full((size, size), 1e9)
    for stroke in strokes:
        source.set_state(state)  # all strokes of a picture move together
        points = _turned(stroke, source, size)
        begin, along = points[:-1], np.diff(points, axis=0)
        share = ((grid[:, :, None] - begin) * along).sum(-1) / np.maximum((along**2).sum(-1), 1e-9)
        foot = begin + np.clip(share, 0, 1)[..., None] * along
        nearest = np.minimum(nearest, np.sqrt(((grid[:, :, None] - foot) ** 2).sum(-1)).min(-1))
    width = source.uniform(1.0, 1.7) * size / 28
    return np.clip(255 * (width + 0.6 - nearest), 0, 255)


def _filled(outlines: tuple[Points, ...], source: Any, size: int) -> Array:
    """Return which pixels lie inside one of the outlines."""
    state = source.get_state()
    grid, inside = _grid(size, size), np.zeros((size, size), bool)
    x, y = grid[..., 0, None], grid[..., 1, None]
    for outline in outlines:
        source.set_state(state)
        points = _turned(outline, source, size)
        after = np.roll(points, -1, axis=0)
        crosses = (points[:, 1] > y) != (after[:, 1] > y)
        rise = np.where(after[:, 1] == points[:, 1], 1e-9, after[:, 1] - points[:, 1])
        inside |= (crosses & (x < (after[:, 0] - points[:, 0]) * (y - points[:, 1]) / rise + points[:, 0])).sum(
            -1
        ) % 2 == 1
    return inside


def _oval(x: float, y: float, wide: float, high: float, at: tuple[float, float, float]) -> Any:
    """Return which pixels lie in an ellipse of a face; `at` is its centre and its rotation."""
    xs, ys = np.moveaxis(_FACE_GRID - at[:2], -1, 0)
    turn = at[2]
    across, down = xs * math.cos(turn) + ys * math.sin(turn), ys * math.cos(turn) - xs * math.sin(turn)
    return ((across - x) / wide) ** 2 + ((down - y) / high) ** 2 < 1


FACE = (218, 178)  # height and width
_FACE_GRID = ((_grid(*FACE) - 0.5) / FACE[1]).astype(np.float32)


def _face(source: Any) -> object:
    """Draw a face with one of many skins, hairs and styles, slightly rotated."""
    skin = np.array((1.0, 0.78, 0.64)) * source.uniform(110, 245) * source.uniform(0.92, 1.0, 3)
    hair, back, eye = source.uniform(15, 190) * np.array((1.0, 0.75, 0.5)), source.uniform(20, 240, 3), (40, 30, 25)
    at = 0.5 + source.uniform(-0.03, 0.03), 0.64 + source.uniform(-0.03, 0.03), float(source.uniform(-0.12, 0.12))
    wide, high, apart = source.uniform(0.23, 0.28), source.uniform(0.32, 0.37), source.uniform(0.1, 0.12)
    smile, length = source.uniform(0.01, 0.05), source.uniform(0.3, 0.62)
    made = np.empty((*FACE, 3), np.float32)
    made[:] = back
    shapes = [
        (0.0, length - high - 0.06, wide + 0.07, length, hair), (0.0, 0.42, 0.12, 0.2, skin * 0.85),
        (0.0, 0.78, 0.48, 0.3, source.uniform(20, 230, 3)), (0.0, 0.0, wide, high, skin),
        (0.0, 0.02 - high, wide * 0.92, 0.09, hair), (0.0, 0.07, 0.03, 0.045, skin * 0.82),
        (0.0, 0.19, 0.09, 0.02 + smile / 2, (175, 70, 75)), (0.0, 0.19 - smile / 2, 0.085, 0.015, skin),
    ]  # fmt: skip
    for side in (-apart, apart):
        shapes += [(side, -0.06, 0.05, 0.024, (245, 245, 245)), (side, -0.06, 0.02, 0.022, eye)]
        shapes.append((side, -0.13, 0.06, 0.012, hair * 0.7))
    for x, y, w, h, colour in shapes:
        made[_oval(x, y, w, h, at)] = colour
    light = 1 + source.uniform(-0.3, 0.3) * (_FACE_GRID[..., 0] - 0.5)
    return np.clip(made * light[..., None] + source.normal(0, 3, (*FACE, 1)), 0, 255).astype(np.uint8)


COLORS = (  # as matplotlib's tab10
    *((31, 119, 180), (255, 127, 14), (44, 160, 44), (214, 39, 40), (148, 103, 189), (140, 86, 75), (227, 119, 194)),
    *((127, 127, 127), (188, 189, 34), (23, 190, 207)),
)


def drawn(kind: str, label: int, seed: int) -> Any:
    """Draw a picture for a label: 28 × 28 grey, 32 × 32 × 3 of "things" (also colored), 218 × 178 × 3 of "faces"."""
    source = np.random.RandomState(seed)
    if kind == "faces":
        return _face(source)
    if kind in ("things", "colored things"):
        back, front = source.uniform(90, 220, 3), source.uniform(0, 255, 3)
        front += np.sign(front - back) * 40
        if kind == "colored things":
            front = np.array(COLORS[label // 10]) + source.uniform(-15, 15, 3)
        inside = _filled(_OUTLINES["things"][label % 10], source, 32)[..., None]
        return np.clip(np.where(inside, front, back) + source.normal(0, 12, (32, 32, 3)), 0, 255).astype(np.uint8)
    if kind == "clothes":
        inside = _filled(_OUTLINES["clothes"][label], source, 28)
        weave = source.uniform(90, 220) + source.normal(0, 18, (28, 28))
        return np.clip(np.where(inside, weave, 0), 0, 255).astype(np.uint8)
    return _stroked(_OUTLINES[kind][label], source, 28).astype(np.uint8)


# --- The sets ---

POOL = 300  # pictures drawn per class of a set; further ones are these, shifted by a pixel
_MOVES = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1))
_DIGITS = ("0 - zero", "1 - one", "2 - two", "3 - three", "4 - four", "5 - five", "6 - six", "7 - seven", "8 - eight")
_FASHION = "T-shirt/top Trouser Pullover Dress Coat Sandal Shirt Sneaker Bag".split()
_CIFAR = "airplane automobile bird cat deer dog frog horse ship truck".split()
_CIFAR100 = """apple aquarium_fish baby bear beaver bed bee beetle bicycle bottle bowl boy bridge bus butterfly
camel can castle caterpillar cattle chair chimpanzee clock cloud cockroach couch crab crocodile cup dinosaur
dolphin elephant flatfish forest fox girl hamster house kangaroo keyboard lamp lawn_mower leopard lion lizard
lobster man maple_tree motorcycle mountain mouse mushroom oak_tree orange orchid otter palm_tree pear
pickup_truck pine_tree plain plate poppy porcupine possum rabbit raccoon ray road rocket rose sea seal shark
shrew skunk skyscraper snail snake spider squirrel streetcar sunflower sweet_pepper table tank telephone
television tiger tractor train trout tulip turtle wardrobe whale willow_tree wolf woman worm""".split()
SAYS = "{name} is not here: these pictures are drawn by GradViz, as many, as large and in the same classes."
FEW = 128  # pictures in a set when the time of the run is nearly over
NO_FOLDER = (
    "No such file or directory: a snippet sees no folder of pictures but those that are attached; datasets.FakeData, "
    "CIFAR10 and a folder named celeba are drawn"
)
LATE = (
    "Most of the time of this run is over. From here on {name} has {few} pictures, so that the program comes to its "
    "end. Run Again with More Time (--time-limit on the command line) trains longer."
)

Say = Callable[[str], None]


Change = Callable[[Any], object]  # a transform of a picture or of a label
Item = tuple[object, object]  # a picture and its label, after their transforms


class _Drawn(torch.utils.data.Dataset[Item]):
    """Base class of the drawn data sets."""

    # which a snippet can't replace; pictures and targets are what it puts in place of those drawn
    __slots__ = ("_few_now", "_labels", "_passes", "_pictures", "_pool", "_targets")
    _kind = "digits"
    _length = (60_000, 10_000)
    _classes: tuple[str, ...] = (*_DIGITS, "9 - nine")
    _says = SAYS
    _name = ""  # what is drawn, if it differs from the class's
    _few = FEW

    def __init__(
        self,
        root: object = None,
        train: object = True,
        transform: Change | None = None,
        target_transform: Change | None = None,
        download: object = False,
    ) -> None:
        self.root, self.train = root, bool(train)
        self.transform, self.target_transform = transform, target_transform
        _, length, classes = _facts(self)
        self.classes = list(classes)
        count = length[0 if self.train else 1]
        self._labels = np.random.RandomState(11 if self.train else 12).randint(0, len(classes), count)
        self._pool: dict[object, Any] = {}
        self._pictures: Tensor | SafeArray | None = None
        self._targets: Tensor | SafeArray | list[Any] | None = None
        self._passes, self._few_now = 0, self._few
        _say_of(self, "drawn", _ours(self)._says)

    def __len__(self) -> int:
        return _length(self)

    def __getitem__(self, index: SupportsIndex) -> Item:
        at, most = operator.index(index), _most(self)
        at = at + most if at < 0 else at
        if not 0 <= at < most:
            raise IndexError("index out of range")
        with paused():
            image: object = _shown(self, at) if self._pictures is None else fromarray(self._pictures[at])
            label = int(self._labels[at] if self._targets is None else self._targets[at])
            return _changed(self, image, label)

    @property
    def class_to_idx(self) -> dict[str, int]:
        """The number of each class."""
        return {name: number for number, name in enumerate(self.classes)}

    def __repr__(self) -> str:
        return f"Dataset {type(self).__name__} (drawn by GradViz)\n    Number of datapoints: {len(self)}"


def _changed(data: FakeData | ImageFolder | _Drawn, image: object, label: int) -> Item:
    """Return an item after the set's transforms."""
    image = image if data.transform is None else data.transform(image)
    return image, label if data.target_transform is None else data.target_transform(label)


def _facts(data: object) -> tuple[str, tuple[int, int], tuple[str, ...]]:
    ours = _ours(data)
    return ours._kind, ours._length, ours._classes


def _ours(data: object) -> type[_Drawn]:
    """Return our data set class that it is, or derives from."""
    return next(each for each in type(data).__mro__ if each in CLASSES)


def _shown(data: _Drawn, at: int) -> object:
    """Return a picture: drawn once per place in the pool and label, then shifted."""
    label = int(data._labels[at])
    place, move = at % POOL, at // POOL % len(_MOVES)
    move = 0 if _ours(data) is _Faces else move  # so large that each is kept only once
    key = place * len(_facts(data)[2]) + label, move
    found = data._pool.get(key)
    if found is None:
        found = data._pool[key] = shared_picture(_moved(data, key[0], label, move))
    return found  # it can't be changed


def _moved(data: _Drawn, place: int, label: int, move: int) -> Array:
    """Return NumPy's own array of one picture in the pool, shifted by some pixels."""
    plain = data._pool.get(place)
    if plain is None:
        plain = data._pool[place] = drawn(_facts(data)[0], label, place + (0 if data.train else 1 << 20))
    return np.roll(plain, _MOVES[move], (0, 1)) if move else plain


def _whole(data: CIFAR10 | _Grey, labels: Array) -> Array:
    """Return the picture of each label as NumPy's own array; drawn from a smaller pool, because all are needed."""
    kind, _, classes = _facts(data)
    count, pool = len(classes), 600 // len(classes)
    each = [
        np.stack([drawn(kind, label, n * count + label + (0 if data.train else 1 << 20)) for n in range(pool)])
        for label in range(count)
    ]
    return np.stack(each)[labels, np.arange(len(labels)) % pool]


def _labels(data: CIFAR10 | _Faces | _Grey) -> Array:
    """Return the label of every picture that the set has now."""
    return data._labels[: _length(data)]


def _most(data: _Drawn) -> int:
    """Return how many pictures a set has while there is time."""
    return len(data._labels if data._pictures is None else data._pictures)


def _put_pictures(data: _Drawn, value: Tensor | SafeArray) -> None:
    if not isinstance(value, torch.Tensor | SafeArray):
        raise TypeError(f"the data of a drawn set are a tensor or an array, not {type(value).__name__}")
    data._pictures = value


def _put_targets(data: _Drawn, value: Tensor | SafeArray | list[Any]) -> None:
    if not isinstance(value, torch.Tensor | SafeArray | list):
        raise TypeError(f"the targets of a drawn set are a tensor, an array or a list, not {type(value).__name__}")
    data._targets = value


class _Grey(_Drawn):
    """A set as MNIST stores it: tensors."""

    def _get_pictures(self) -> object:
        with paused():
            return torch.from_numpy(_whole(self, _labels(self))) if self._pictures is None else self._pictures

    def _get_targets(self) -> object:
        with paused():
            return torch.from_numpy(_labels(self).astype(np.int64)) if self._targets is None else self._targets

    data = property(_get_pictures, _put_pictures, doc="Every picture.")
    targets = property(_get_targets, _put_targets, doc="Every label.")
    train_data = test_data = property(_get_pictures, doc="Every picture.")
    train_labels = test_labels = property(_get_targets, doc="Every label.")


class MNIST(_Grey):
    """Drawn digits."""


class KMNIST(_Grey):
    """Drawn characters."""

    _kind = "signs"
    _classes = ("o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo")


class FashionMNIST(_Grey):
    """Drawn clothes."""

    _kind = "clothes"
    _classes = (*_FASHION, "Ankle boot")


class CIFAR10(_Drawn):
    """Drawn objects."""

    _kind = "things"
    _length = (50_000, 10_000)
    _classes = tuple(_CIFAR)

    def _get_pictures(self) -> object:
        return to_snippet(_whole(self, _labels(self))) if self._pictures is None else self._pictures

    def _get_targets(self) -> object:
        return [int(label) for label in _labels(self)] if self._targets is None else self._targets

    data = property(_get_pictures, _put_pictures, doc="Every picture, in one array.")
    targets = property(_get_targets, _put_targets, doc="Every label.")


class CIFAR100(CIFAR10):
    """Drawn objects, each in one of ten colors."""

    _kind = "colored things"
    _classes = tuple(_CIFAR100)
    _says = SAYS[:-1] + ", of which each is one of CIFAR10's ten objects in one of ten colors."


class FakeData(torch.utils.data.Dataset[Item]):
    """Random pictures."""

    def __init__(
        self, size: SupportsIndex = 1000, image_size: Sequence[int] = (3, 224, 224), num_classes: SupportsIndex = 10,
        transform: Change | None = None, target_transform: Change | None = None, random_offset: SupportsIndex = 0,
    ) -> None:  # fmt: skip
        self.size, self.image_size, self.num_classes = size, tuple(image_size), num_classes
        self.transform, self.target_transform, self.random_offset = transform, target_transform, random_offset

    def __len__(self) -> int:
        return operator.index(self.size)

    def __getitem__(self, index: SupportsIndex) -> Item:
        at = operator.index(index)
        if at >= len(self):
            raise IndexError(f"{type(self).__name__} index out of range")
        with paused():
            before = torch.get_rng_state()
            torch.manual_seed(at + operator.index(self.random_offset))
            numbers = torch.randn(*self.image_size)
            label = int(torch.randint(0, operator.index(self.num_classes), size=(1,)).item())
            torch.set_rng_state(before)
            image: Image = picture((to_numpy(numbers).transpose(1, 2, 0) * 255).astype(np.int64) % 256)
            return _changed(self, image, label)


class _Faces(_Drawn):
    """What a folder of faces is here: drawn ones."""

    _kind = "faces"
    _name = "CelebA"
    _length = (202_599, 0)
    _classes = ("img_align_celeba",)
    _few = 8  # these are large, and so are the models that learn them

    @property
    def targets(self) -> list[int]:
        """Every label."""
        return [int(label) for label in _labels(self)]


class ImageFolder(torch.utils.data.Dataset[Item]):
    """Pictures in folders named after their classes, attached or written by the run; without such a folder, drawn
    faces if the path mentions CelebA."""

    def __new__(
        cls,
        root: object,
        transform: Change | None = None,
        target_transform: Change | None = None,
        *more: object,
        **how: object,
    ) -> Any:
        path = plain_path(root)
        if isdir(path):
            return super().__new__(cls)
        if "celeba" not in path.lower():
            raise FileNotFoundError(2, NO_FOLDER, path)
        return _Faces(root, True, transform, target_transform)

    def __init__(
        self, root: object, transform: Change | None = None, target_transform: Change | None = None,
        loader: Change | None = None, is_valid_file: Callable[[str], object] | None = None, allow_empty: object = False,
    ) -> None:  # fmt: skip
        self.root, self.transform, self.target_transform = plain_path(root), transform, target_transform
        self.loader = loader or default_loader
        self.classes = sorted(name for name in listdir(self.root) if isdir(posixpath.join(self.root, name)))
        if not self.classes:
            raise FileNotFoundError(f"Couldn't find any class folder in {self.root}.")
        self.class_to_idx = {name: number for number, name in enumerate(self.classes)}
        self.samples = []
        for name, number in self.class_to_idx.items():
            held = [
                f"{top}/{each}"
                for top, _, files in sorted(walk(posixpath.join(self.root, name)))
                for each in sorted(files)
            ]
            found = [path for path in held if (is_valid_file or _is_picture)(path)]
            if not found and not allow_empty:
                kinds = f" Supported extensions are: {', '.join(_PICTURES)}" if is_valid_file is None else ""
                raise FileNotFoundError(f"Found no valid file for the classes {name}.{kinds}")
            self.samples += [(path, number) for path in found]
        self.imgs, self.targets = self.samples, [number for _, number in self.samples]

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, index: SupportsIndex) -> Item:
        path, label = self.samples[index]
        with paused():
            image = self.loader(path)
            return _changed(self, image, label)

    def __repr__(self) -> str:
        changes = (("Transform", self.transform), ("Target transform", self.target_transform))
        shown = [f"{name}: " + repr(each).replace("\n", "\n" + " " * (len(name) + 2)) for name, each in changes if each]
        head = f"Dataset {type(self).__name__}\n    Number of datapoints: {len(self)}\n    Root location: {self.root}"
        return "\n".join([head, *(["    StandardTransform", *shown] if shown else [])])


_PICTURES = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


def default_loader(path: object) -> Image:
    """Return the picture of a file, in colour."""
    return open_image(path).convert("RGB")


def _is_picture(path: str) -> bool:
    return path.lower().endswith(_PICTURES)


CLASSES: tuple[type[_Drawn], ...] = (MNIST, KMNIST, FashionMNIST, CIFAR10, CIFAR100, _Faces)
OFFERED: tuple[type, ...] = (*CLASSES[:-1], ImageFolder, FakeData)
_SAID: dict[str, Any] = {"say": None, "said": set(), "late": False, "late_at": math.inf}


def begin(say: Say) -> None:
    """Begin a run: it is told once per data set that it is drawn."""
    _SAID.update(say=say, said=set(), late=False, late_at=math.inf)
    PASSES["open"] = _open_pass


def expect(late_at: float) -> None:
    """Set the processor time at which the run's time will nearly be over."""
    _SAID["late_at"] = late_at


def hurry() -> None:
    """The time of the run is nearly over: drawn data sets come to their end."""
    _SAID["late"] = True


def _length(data: _Drawn) -> int:
    """Return how many pictures a set has now: few when time is nearly over, but all of them during a pass, in which
    programs count their progress. Those that were chosen before still exist."""
    most = _most(data)
    if data._passes or not _SAID["late"] or most <= data._few_now:
        return most
    _say_late(data)
    return int(data._few_now)


@contextmanager
def _open_pass(dataset: object, batch: int) -> Iterator[Ends | None]:
    """Begin a pass over one of these sets, or a part of one: it ends when time is nearly over and enough was taken; a
    pass without gradients, which measures something, only if the set was short before it began. A set that gives only
    whole batches still does when it is short: programs rely on it."""
    data = dataset
    while type(data) is torch.utils.data.Subset:
        data = data.dataset
    if not isinstance(data, _Drawn):
        yield None
        return
    found: _Drawn = data
    if _most(found) % batch == 0:
        found._few_now = -(-_ours(found)._few // batch) * batch
    few = found._few_now
    is_short = data is dataset and _length(found) <= few
    before = time.process_time()

    def ends(taken: int) -> bool:
        nonlocal before
        now = time.process_time()
        if 2 * now - before > _SAID["late_at"] and taken:  # another batch would take too long
            hurry()
        before = now
        over = bool(_SAID["late"]) and (state.grad or is_short) and taken >= few
        if over:
            _say_late(found)
        return over

    found._passes += 1
    try:
        yield ends
    finally:
        found._passes -= 1


def _say_late(data: _Drawn) -> None:
    _say_of(data, "late", LATE)


def _say_of(data: _Drawn, what: str, sentence: str) -> None:
    """Say it once per run."""
    ours = _ours(data)
    if (what, ours._kind) not in _SAID["said"] and _SAID["say"] is not None:
        _SAID["said"].add((what, ours._kind))
        _SAID["say"](sentence.format(name=ours._name or ours.__name__, few=data._few_now) + "\n")


for _class in (_Drawn, _Grey, _Faces, *OFFERED):
    _class.__module__ = "torchvision.datasets"
