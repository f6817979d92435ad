"""The stand-ins of `torchvision` and `PIL` for a run, by module name."""

from __future__ import annotations

from gradviz.engine.kernel.tensor import Tensor
from gradviz.worker.language.stand_in import stand_in
from gradviz.worker.modules.vision import datasets, functional, models, picture, transforms

VERSION = "0.28.0"
_MODES = {"NEAREST": "nearest", "BILINEAR": "bilinear", "BICUBIC": "bicubic", "LANCZOS": "lanczos"}


def _read_image(path: object, mode: object = None, *more: object) -> Tensor:
    """Return a PNG file of the run as a tensor of integers, channels first."""
    found = picture.open_image(path)
    return functional.pil_to_tensor(found if mode in (None, "UNCHANGED") else found.convert(str(mode)))


def vision_modules(say: datasets.Say) -> dict[str, object]:
    """Return all stand-ins; `say` reports each data set that is drawn."""
    datasets.begin(say)
    made: dict[str, object] = {}

    def offer(name: str, names: dict[str, object]) -> object:
        made[name] = stand_in(name, names)
        return made[name]

    modes = stand_in("InterpolationMode", _MODES)
    functions: dict[str, object] = {each.__name__: each for each in functional.FUNCTIONS}
    tools = offer("torchvision.transforms.functional", {**functions, "InterpolationMode": modes})
    classes = {each.__name__: each for each in transforms.CLASSES}
    names = {**classes, "functional": tools, "InterpolationMode": modes}
    inner = offer("torchvision.transforms.transforms", names)
    second = offer("torchvision.transforms.v2", {**names, **{each.__name__: each for each in transforms.SECOND}})
    every = offer("torchvision.transforms", {**names, "transforms": inner, "v2": second})
    mnist = offer("torchvision.datasets.mnist", {each.__name__: each for each in datasets.CLASSES[:3]})
    cifar = offer("torchvision.datasets.cifar", {each.__name__: each for each in datasets.CLASSES[3:5]})
    held = offer(
        "torchvision.datasets", {**{each.__name__: each for each in datasets.OFFERED}, "mnist": mnist, "cifar": cifar}
    )
    utils = offer("torchvision.utils", {"make_grid": functional.make_grid, "save_image": functional.save_image})
    files = offer("torchvision.io", {"read_image": _read_image, "decode_image": _read_image})
    nets = models.FUNCTIONS | models.WEIGHTS | {each.__name__: each for each in models.CLASSES}
    kinds = ("resnet", "vgg", "squeezenet", "mobilenet")
    families = {name: offer(f"torchvision.models.{name}", nets) for name in kinds}
    zoo = offer("torchvision.models", {**nets, **families})
    offer(
        "torchvision",
        {"transforms": every, "datasets": held, "utils": utils, "models": zoo, "io": files} | {"__version__": VERSION},
    )
    shades = {name: getattr(picture, name) for name in ("NEAREST", "BILINEAR", "BICUBIC", "LANCZOS")}
    pictures = {"Image": picture.Image, "open": picture.open_image, "fromarray": picture.fromarray, "new": picture.new}
    image = offer("PIL.Image", {**pictures, **shades, "ANTIALIAS": picture.LANCZOS})
    offer("PIL", {"Image": image})
    return made
