"""The measured data sets of scikit-learn that tutorials begin with: the flowers of Iris, and the tumours of Wisconsin.

The tumours (Wolberg, Mangasarian, Street and Street, 1993, UCI Machine Learning Repository, CC BY 4.0) lie in
`resources/breast_cancer.bin`: whole numbers, compressed, which become the published ones when each column is divided by
its power of ten. Next: `learning_modules`, which offers these."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from gradviz import RESOURCES
from gradviz.worker.objects.arguments import keep_methods
from gradviz.worker.objects.numpy_boundary import to_snippet

_IRIS = (  # lengths and widths of 150 flowers in millimetres, two digits each, 50 of each species (Fisher, 1936)
    "5135140249301402473213024631150250361402543917044634140350341502442914024931150154371502483416024830140143301101"
    "5840120257441504543913045135140357381703513815035434170251371504463610025133170548341902503016025034160452351502"
    "5234140247321602483116025434150452411501554214024931150250321202553513024936140144301302513415025035130345231303"
    "4432130250351606513819044830140351381602463214025337150250331402703247146432451569314915552340136528461557284513"
    "6333471649243310662946135227391450203510593042156022401061294714562936136731441456304515582741106222451556253911"
    "5932481861284013632549156128471264294313663044146828481467305017602945155726351055243811552437105827391260275116"
    "5430451560344516673147156323441356304113552540135526441261304614582640125023331056274213573042125729421362294313"
    "5125301157284113633360255827511971305921632956186530582276306621492545177329631867255818723661256532512064275319"
    "6830552157255020582851246432532365305518773867227726692360225015693257235628492077286720632749186733572172326018"
    "6228481861304918642856217230581674286119793864206428562263285115612656147730612363345624643155186030481869315421"
    "67315624693151235827511968325923673357256730522363255019653052206234542359305118"
)

_TUMOURS = (RESOURCES / "breast_cancer.bin").read_bytes()  # now, because a worker reads no file later
_DIGITS = "322155764544436676673221556645"  # after the point, in each column
_MEASURED = """radius, texture, perimeter, area, smoothness, compactness, concavity, concave points, symmetry, fractal
dimension""".replace("\n", " ").split(", ")


@keep_methods
class Bunch:
    """A data set."""

    __slots__ = ("DESCR", "data", "feature_names", "frame", "target", "target_names")

    def __init__(self, about: str, data: Any, target: Any, kinds: list[str], features: Any) -> None:
        self.DESCR, self.frame = about, None
        self.data, self.target = to_snippet(data), to_snippet(target)
        self.target_names, self.feature_names = to_snippet(np.array(kinds)), features

    def __getitem__(self, key: Any) -> Any:
        return {name: getattr(self, name) for name in self.__slots__}[key]


def load_iris(*, return_X_y: object = False, as_frame: object = False) -> Any:
    """Load 150 flowers of three species."""
    lengths = np.array([int(_IRIS[at : at + 2]) for at in range(0, len(_IRIS), 2)]).reshape(150, 4) / 10
    features = [f"{part} {of} (cm)" for part in ("sepal", "petal") for of in ("length", "width")]
    kinds = ["setosa", "versicolor", "virginica"]
    return _loaded("Iris plants dataset", lengths, np.repeat(np.arange(3), 50), (kinds, features), return_X_y, as_frame)


def load_breast_cancer(*, return_X_y: object = False, as_frame: object = False) -> Any:
    """Load 30 measures of each of 569 tumours, and whether it is benign."""
    planes = np.frombuffer(zlib.decompress(_TUMOURS), np.uint8).reshape(4, -1)
    rows = np.ascontiguousarray(planes.T).view("<i4").reshape(len(_DIGITS) + 1, -1)
    measures = rows[:-1].T / np.array([10.0 ** int(each) for each in _DIGITS])
    named = [f"mean {each}" for each in _MEASURED] + [f"{each} error" for each in _MEASURED]
    features = to_snippet(np.array(named + [f"worst {each}" for each in _MEASURED]))
    about = "Breast cancer Wisconsin (diagnostic) dataset"
    kinds = ["malignant", "benign"]
    return _loaded(about, measures, rows[-1].astype(np.int64), (kinds, features), return_X_y, as_frame)


def _loaded(about: str, data: Any, target: Any, names: tuple[list[str], Any], as_pair: object, as_frame: object) -> Any:
    if as_frame:
        raise PermissionError("as_frame=True needs pandas, which is not available in GradViz snippets")
    made = Bunch(about, np.ascontiguousarray(data), target, *names)
    return (made.data, made.target) if as_pair else made


RECORDED_SETS = (load_iris, load_breast_cancer)
