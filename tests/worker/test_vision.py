"""Pictures for snippets: drawn sets have the form of those whose names they bear, can be learned and say what they are;
transforms and models compute as torchvision's do."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.limits import Limits
from tests.worker.conftest import PATIENCE, Runner, run_in

_LEARN = """
import torch
from torchvision import datasets, transforms
torch.manual_seed(0)
tensor = transforms.ToTensor()
train, test = (datasets.{name}("data", train=each, download=True, transform=tensor) for each in (True, False))
def batch(data, n):
    pairs = [data[i] for i in range(n)]
    return torch.stack([x for x, _ in pairs]).flatten(1), torch.tensor([y for _, y in pairs])
x, y = batch(train, 400)
net = torch.nn.Sequential(torch.nn.Linear(x.shape[1], 32), torch.nn.ReLU(), torch.nn.Linear(32, len(train.classes)))
optimizer = torch.optim.Adam(net.parameters(), 3e-3)
for _ in range(60):
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(net(x), y).backward()
    optimizer.step()
a, b = batch(test, 200)
print(len(train), len(test), tuple(train[0][0].shape), test.data.shape, len(train.classes), end=" ")
print(float((net(a).argmax(1) == b).float().mean()))
"""


@pytest.mark.parametrize(
    ("name", "shape", "data", "least"),
    [
        ("MNIST", "60000 10000 (1, 28, 28) torch.Size([10000, 28, 28]) 10", "MNIST", 0.8),
        ("FashionMNIST", "60000 10000 (1, 28, 28) torch.Size([10000, 28, 28]) 10", "FashionMNIST", 0.8),
        ("KMNIST", "60000 10000 (1, 28, 28) torch.Size([10000, 28, 28]) 10", "KMNIST", 0.8),
        ("CIFAR10", "50000 10000 (3, 32, 32) (10000, 32, 32, 3) 10", "CIFAR10", 0.2),
        ("CIFAR100", "50000 10000 (3, 32, 32) (10000, 32, 32, 3) 100", "CIFAR100", 0.03),
    ],
)
def test_a_drawn_set_has_its_form_and_can_be_learned(
    make_pool: Callable[[Limits], WorkerPool], name: str, shape: str, data: str, least: float
) -> None:
    outcome = run_in(make_pool(Limits(wall_seconds=PATIENCE)), _LEARN.format(name=name))
    form, _, share = outcome.printed().strip().rpartition(" ")
    assert (form, outcome.status) == (shape, "ok"), outcome.sentence
    assert float(share) >= least
    said = f"{data} is not here: these pictures are drawn by GradViz, as many, as large and in the same classes.\n"
    if name == "CIFAR100":
        said = said.replace(".\n", ", of which each is one of CIFAR10's ten objects in one of ten colors.\n")
    assert outcome.printed("err") == said, "once"


def test_pictures_and_labels_of_a_set_can_be_replaced(run: Runner) -> None:
    source = (
        "import torch\nfrom torchvision.datasets import MNIST, CIFAR10\nd = MNIST('.', download=True)\n"
        "label = int(d.targets[7])\n"
        "chosen = d.targets == label\nd.data, d.targets = d.data[chosen], d.targets[chosen]\n"
        "print(len(d) == int(chosen.sum()), {d[i][1] for i in range(5)} == {label})\n"
        "print(type(d[0][1]), d[0][0].mode, d.data.shape[1:])\n"
        "from torchvision.transforms.functional import pil_to_tensor\n"
        "print(torch.equal(pil_to_tensor(d[5][0])[0], d.data[5]))\n"
        "c = CIFAR10('.', train=False)\nc.data, c.targets = c.data[:4], [3, 1, 2, 0]\n"
        "print(len(c), [label for _, label in c], c[0][0].size, c.data.shape, c.targets)\n"
        "c.data = c.data[:2] * 0\nprint([pil_to_tensor(image).max() for image, _ in c])\n"
        "for wrong in ('data', 'targets'):\n    try: setattr(c, wrong, 'text')\n    except TypeError as e: print(e)\n"
    )
    assert run(source).printed() == (
        "True True\n<class 'int'> L torch.Size([28, 28])\nTrue\n"
        "4 [3, 1, 2, 0] (32, 32) (4, 32, 32, 3) [3, 1, 2, 0]\n"
        "[tensor(0, dtype=torch.uint8), tensor(0, dtype=torch.uint8)]\n"
        "the data of a drawn set are a tensor or an array, not str\n"
        "the targets of a drawn set are a tensor, an array or a list, not str\n"
    )


def test_transforms_compute_what_torchvisions_do(run: Runner) -> None:
    source = (
        "import numpy as np, torch\nfrom torchvision import transforms as t\nfrom torchvision.utils import make_grid\n"
        "from PIL import Image\ni = Image.fromarray(np.arange(12, dtype=np.uint8).reshape(2, 2, 3) * 20)\n"
        "x = t.ToTensor()(i)\n"
        "print(x.shape, x[1].tolist() == [[float(np.float32(20) / 255), float(np.float32(80) / 255)],"
        " [float(np.float32(140) / 255), float(np.float32(200) / 255)]])\n"
        "print(t.Normalize((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))(torch.ones(3, 1, 1)).flatten().tolist())\n"
        "print(t.functional.hflip(x)[0].tolist() == x[0].flip(1).tolist(), "
        "t.CenterCrop(1)(x).shape, t.Pad(1)(x).shape)\n"
        "print(t.ToPILImage()(x).size, i.convert('L').mode, i.resize((5, 3)).size, t.Compose([t.ToTensor()]))\n"
        "torch.manual_seed(0)\nbefore = torch.rand(1).item()\ntorch.manual_seed(0)\nt.RandomHorizontalFlip()(x)\n"
        "after = torch.rand(1).item()\ntorch.manual_seed(0)\nprint(torch.rand(2)[1].item() == after)\n"
        "print(make_grid(torch.ones(3, 1, 2, 2), nrow=2, padding=1).shape)\n"
    )
    assert run(source).printed() == (
        "torch.Size([3, 2, 2]) True\n[1.0, 1.0, 1.0]\nTrue torch.Size([3, 1, 1]) torch.Size([3, 4, 4])\n"
        "(2, 2) L (5, 3) Compose(\n    ToTensor()\n)\nTrue\ntorch.Size([3, 7, 7])\n"
    )


_CHANGES = """
import torch
from torchvision import transforms as t
from torchvision.transforms import functional as f
torch.manual_seed(3)
picture, numbers = torch.randint(0, 256, (3, 17, 20), dtype=torch.uint8), torch.rand(3, 16, 21)
def show(x):
    x = x.double().flatten()
    print(round(x.sum().item(), 3), round((x * torch.arange(x.numel())).sum().item()))
for x in (picture, numbers):
    for change in (t.RandomRotation(40), t.RandomAffine(30, (.2, .1), (.7, 1.3), 15),
                   t.RandomAffine(0, shear=(-5, 9, -3, 20), fill=7), t.GaussianBlur((3, 5)), t.GaussianBlur(5, 1.3),
                   t.ColorJitter(.4, .3, .2, .1), t.ColorJitter(contrast=.5), t.RandomApply([t.RandomVerticalFlip(1.)]),
                   t.RandomErasing(1., value=(1., 2., 3.))):
        show(change(x))
    for made in (f.invert(x), f.adjust_sharpness(x, 1.7), f.autocontrast(x), f.solarize(x, .6),
                 f.rotate(x, 30, center=[3, 4], fill=2), f.affine(x, 20, [3, -2], 1.2, [10, 5]), f.adjust_hue(x, .4)):
        show(made)
show(f.posterize(picture, 3))
try: f.posterize(picture, -(2**63))
except ValueError as error: print(error)
show(f.equalize(picture))
wide = t.TrivialAugmentWide()
torch.manual_seed(0)
show(torch.stack([wide(picture[:, :16]) for _ in range(60)]))
for change in (t.RandomRotation(10), t.RandomAffine(5, (.1, .1), (.8, 1.2), 5), t.GaussianBlur((5, 9), 2.),
               t.RandomErasing(), t.RandomResizedCrop(10), t.ColorJitter(0, .25),
               t.RandomApply([t.CenterCrop(3)], .3), wide):
    print(change)
"""
_CHANGED = """
115278.0 58098937
124814.0 63111070
128749.0 64782667
128822.0 65043008
128926.0 65076562
80631.0 40571852
128295.0 64502555
128749.0 64782667
113458.0 57720782
131351.0 67738283
128449.0 64736230
128750.0 64783395
130076.0 67345328
90552.0 42221215
115357.0 57859014
128642.0 66051853
471.042 234988
386.707 195989
1215.428 609855
512.686 256705
512.845 256924
394.281 197238
513.921 257030
513.508 258762
979.799 559324
494.492 250986
514.699 257244
514.78 257546
267.998 134700
956.164 524273
449.984 223267
513.727 259235
112704.0 56698080
The number if bits should be between 0 and 8. Got -9223372036854775808
161634.0 82400677
5734047.0 168339486650
RandomRotation(degrees=[-10.0, 10.0], interpolation=nearest, expand=False, fill=0)
RandomAffine(degrees=[-5.0, 5.0], translate=(0.1, 0.1), scale=(0.8, 1.2), shear=[-5.0, 5.0])
GaussianBlur(kernel_size=(5, 9), sigma=(2.0, 2.0))
RandomErasing(p=0.5, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=0, inplace=False)
RandomResizedCrop(size=(10, 10), scale=(0.08, 1.0), ratio=(0.75, 1.3333), interpolation=bilinear, antialias=True)
ColorJitter(brightness=None, contrast=(0.75, 1.25), saturation=None, hue=None)
RandomApply(
    p=0.3
    CenterCrop(size=(3, 3))
)
TrivialAugmentWide(num_magnitude_bins=31, interpolation=InterpolationMode.NEAREST, fill=None)
"""  # by torchvision 0.29


def test_random_changes_are_torchvisions(run: Runner) -> None:
    outcome = run(_CHANGES)
    for line, theirs in zip(outcome.printed().splitlines(), _CHANGED.strip().splitlines(), strict=True):
        if theirs[0].isdigit():
            assert [float(x) for x in line.split()] == pytest.approx([float(x) for x in theirs.split()], rel=1e-5)
        else:
            assert line == theirs


def test_what_is_asked_of_a_transform_is_done_or_refused(run: Runner) -> None:
    source = (
        "import numpy as np, torch\nfrom PIL import Image\nfrom torchvision import transforms as t\n"
        "from torchvision.transforms import functional as f\nx = torch.arange(1., 10).reshape(1, 3, 3)\n"
        "print(t.RandomCrop(3, padding=2, padding_mode='reflect')(x).min().item() > 0)\n"
        "wide = t.RandomCrop((3, 5), pad_if_needed=True)(x).shape\n"
        "print(wide, t.RandomCrop(4, pad_if_needed=True, fill=5)(x).sum())\n"
        "print(t.RandomGrayscale(1.)(Image.fromarray(np.eye(3, dtype=np.uint8))).mode)\n"
        "whole = t.ConvertImageDtype(torch.uint8)(torch.tensor([0., .5, 1.]))\nprint(whole)\n"
        "made = f.convert_image_dtype(whole), f.convert_image_dtype(whole, torch.int16)\n"
        "print(*made, f.convert_image_dtype(x) is x)\n"
        "print(f.convert_image_dtype(torch.tensor([32767], dtype=torch.int16), torch.uint8))\n"
        "for act in (lambda: f.convert_image_dtype(x, torch.int32), lambda: f.gaussian_blur(x, 3, 0.),\n"
        "            lambda: f.affine(x, 0, [0, 0], 0., [0, 0])):\n"
        "    try: act()\n"
        "    except (RuntimeError, ValueError) as error: print(error)"
    )
    assert run(source).printed() == (
        "True\ntorch.Size([1, 3, 5]) tensor(80.)\nL\ntensor([  0, 127, 255], dtype=torch.uint8)\n"
        "tensor([0.0000, 0.4980, 1.0000]) tensor([    0, 16256, 32640], dtype=torch.int16) True\n"
        "tensor([255], dtype=torch.uint8)\n"
        "The cast from torch.float32 to torch.int32 cannot be performed safely.\n"
        "sigma should have positive values. Got [0.0]\nArgument scale should be positive\n"
    )


def test_folders_of_pictures_are_a_set_of_their_classes(run: Runner) -> None:
    source = (
        "import os, torch\nfrom torchvision import datasets, transforms as t\n"
        "from torchvision.utils import save_image\n"
        "for kind in ('dog', 'cat'):\n    os.makedirs('pets/' + kind)\n"
        "    for n in range(3): save_image(torch.full((3, 4, 4), n / 4), f'pets/{kind}/{n}.png')\n"
        "open('pets/cat/notes.txt', 'w').write('x')\nd = datasets.ImageFolder('pets', t.ToTensor())\n"
        "print(d)\nprint(len(d), d.classes, d.class_to_idx, d.targets, d.samples[0], d.imgs[-1])\n"
        "x, y = list(torch.utils.data.DataLoader(d, batch_size=3))[1]\nprint(x.shape, y, x[:, 0, 0, 0])\n"
        "class Own(datasets.ImageFolder):\n"
        "    def __getitem__(self, i): return super().__getitem__(i)[0].shape, self.samples[i][0]\n"
        "print(Own('pets/', t.ToTensor())[4], isinstance(d, datasets.ImageFolder))\nos.makedirs('empty/one')\n"
        "for at in ('empty', 'empty/one'):\n"
        "    try: datasets.ImageFolder(at)\n    except FileNotFoundError as e: print(e)"
    )
    assert run(source).printed() == (
        "Dataset ImageFolder\n    Number of datapoints: 6\n    Root location: pets\n    StandardTransform\n"
        "Transform: ToTensor()\n"
        "6 ['cat', 'dog'] {'cat': 0, 'dog': 1} [0, 0, 0, 1, 1, 1] ('pets/cat/0.png', 0) ('pets/dog/2.png', 1)\n"
        "torch.Size([3, 3, 4, 4]) tensor([1, 1, 1]) tensor([0.0000, 0.2510, 0.5020])\n"
        "(torch.Size([3, 4, 4]), 'pets/dog/1.png') True\n"
        "Found no valid file for the classes one. Supported extensions are: "
        ".jpg, .jpeg, .png, .ppm, .bmp, .pgm, .tif, .tiff, .webp\n"
        "Couldn't find any class folder in empty/one.\n"
    )


def test_a_picture_has_as_many_channels_as_it_is_normalized_with(run: Runner) -> None:
    """torchvision writes into a copy, so three means do not make three channels of one."""
    source = (
        "import torch\nfrom torchvision import transforms as t\n"
        "x = torch.ones(1, 2, 2)\nt.Normalize(0.5, 0.5, inplace=True)(x)\nprint(x.flatten().tolist())\n"
        "t.Normalize((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))(x)\n"
    )
    outcome = run(source)
    assert outcome.printed() == "[1.0, 1.0, 1.0, 1.0]\n"
    assert "output with shape [1, 2, 2] doesn't match the broadcast shape [3, 2, 2]" in outcome.sentence


_MODELS = """
import torch
from torchvision import models
for make in (models.squeezenet1_1, models.mobilenet_v2, models.resnet18, models.resnet.resnet50):
    torch.manual_seed(0)
    model = make(num_classes=10).eval()
    out = model(torch.randn(1, 3, 64, 64))[0]
    print(sum(p.numel() for p in model.parameters()), len(model.state_dict()), out[1].item())
models.vgg11_bn
print(model.fc.in_features, models.ResNet18_Weights.DEFAULT, models.ResNet50_Weights.DEFAULT)
print(models.ResNet18_Weights.IMAGENET1K_V1.transforms()(torch.zeros(3, 300, 300)).shape)
"""
_OF_TORCHVISION = (
    *((727626, 52, 0.5432), (2236682, 314, 0.0)),
    *((11181642, 122, 0.2178), (23528522, 320, -17.3467)),
)


def test_transforms_of_the_second_kind_convert_as_torchvisions_do(run: Runner) -> None:
    source = (
        "import numpy as np, torch\nfrom torchvision.transforms import v2\nfrom PIL import Image\n"
        "i = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)\n"
        "look = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True)])\n"
        "a, b = look(i), look(Image.fromarray(i))\nprint(a.dtype, a.equal(b), round(a[2, 1, 1].item() * 255, 3))\n"
        "c = v2.ToImage()(i)\nprint(c.dtype, v2.ToDtype(torch.float64)(c).max().item(), v2.CenterCrop(1)(a).shape)"
    )
    printed = "torch.float32 True 11.0\ntorch.uint8 11.0 torch.Size([3, 1, 1])\n"
    outcome = run(source)
    assert outcome.printed() == printed, outcome.sentence


def test_models_have_torchvisions_parameters_and_no_trained_weights(
    make_pool: Callable[[Limits], WorkerPool],
) -> None:
    pool = make_pool(Limits(wall_seconds=PATIENCE))
    outcome = run_in(pool, _MODELS)
    *models, last, shape = outcome.printed().splitlines()
    assert last == "2048 ResNet18_Weights.IMAGENET1K_V1 ResNet50_Weights.IMAGENET1K_V2", outcome.sentence
    assert shape == "torch.Size([3, 224, 224])"
    for line, (parameters, entries, score) in zip(models, _OF_TORCHVISION, strict=True):
        first, second, third = line.split()
        assert (int(first), int(second)) == (parameters, entries)
        assert float(third) == pytest.approx(score, abs=1e-3)


@pytest.mark.parametrize(
    "asked", ["pretrained=True", "True", "weights=models.ResNet18_Weights.DEFAULT", "weights='DEFAULT'"]
)
def test_trained_weights_are_refused_in_a_sentence(run: Runner, asked: str) -> None:
    outcome = run(f"from torchvision import models\nmodels.resnet18({asked})")
    assert "weights=None makes the same model with random ones" in outcome.sentence


def test_what_torchvision_has_beyond_that_is_refused_where_it_is_used(run: Runner) -> None:
    outcome = run("from torchvision.models import vit_b_16\nimport torchvision\nx = 1\nvit_b_16()")
    assert outcome.done.detail.line == 4 and "torchvision.models.vit_b_16 is not available" in outcome.sentence


def test_a_folder_named_celeba_has_drawn_faces(run: Runner) -> None:
    source = (
        "import torch\nfrom torchvision import datasets, transforms as t\n"
        "look = t.Compose([t.Resize(64), t.CenterCrop(64), t.ToTensor()])\n"
        "d = datasets.ImageFolder(root='data/celeba', transform=look)\n"
        "faces, labels = next(iter(torch.utils.data.DataLoader(d, batch_size=8, shuffle=True)))\n"
        "print(len(d), d.classes, faces.shape, labels.tolist(), d[3][0].equal(d[3][0]), d[3][0].equal(d[4][0]))\n"
        "try: datasets.ImageFolder('data/cats')\nexcept FileNotFoundError as error: print(error)"
    )
    outcome = run(source)
    whole, refused = outcome.printed().splitlines()
    assert whole == f"202599 ['img_align_celeba'] torch.Size([8, 3, 64, 64]) {[0] * 8} True False", outcome.sentence
    assert refused.startswith("[Errno 2] No such file or directory: a snippet sees no folder of pictures")
    assert outcome.printed("err").startswith("CelebA is not here: these pictures are drawn by GradViz")


_FILTERED = (  # 4 x 5 pixels, whose five rows have PNG's five filters
    "89504e470d0a1a0a0000000d4948445200000004000000050802000000edcfda8c0000003b49444154789c63606038a1c1b02a80a1a782218f9193"
    "e1a486e0230862e26460e41464e45462e43466641662489354fa24a9fd49d2f8130bb20c00d92e0cbf1282f8c60000000049454e44ae426082"
)


def test_pictures_are_written_and_read_in_the_folder_of_the_run(run: Runner) -> None:
    source = (
        "import io, numpy as np, torch\nfrom PIL import Image\nfrom torchvision.utils import save_image\n"
        f"i = Image.open(io.BytesIO(bytes.fromhex('{_FILTERED}')))\na = np.array(i)\n"
        "print(i.mode, i.size, int(a.astype(int).sum()), a[4, 3], a[3, 1])\n"
        "i.save('a.png')\nprint((np.array(Image.open('a.png')) == a).all())\nheld = io.BytesIO()\n"
        "i.convert('L').save(held, format='PNG')\nheld.seek(0)\nprint(Image.open(held).mode)\n"
        "save_image(torch.linspace(0, 1, 12).reshape(3, 2, 2), 'grid.png')\n"
        "print(np.array(Image.open('grid.png')).tolist())\n"
        "for data in (b'x', held.getvalue()[:40], b'\\x89PNG\\r\\n\\x1a\\n' + bytes(60)):\n"
        "    try: Image.open(io.BytesIO(data))\n    except ValueError as e: print(e)\n"
    )
    assert run(source).printed() == (
        "RGB (4, 5) 5720 [156 204 114] [ 67  51 173]\nTrue\nL\n"
        "[[[0, 93, 185], [23, 116, 209]], [[46, 139, 232], [70, 162, 255]]]\n"
        "pictures are read from PNG files in GradViz snippets\nthis PNG file is damaged\nthis PNG file is damaged\n"
    )


_RESIZED = """
import numpy as np, torch
from PIL import Image
from torchvision import transforms as t
from torchvision.transforms import functional as f
pixels = ((np.arange(13 * 11 * 3).reshape(13, 11, 3) * 37 + (np.arange(13) ** 2)[:, None, None]) % 256).astype(np.uint8)
picture = Image.fromarray(pixels)
x = torch.linspace(0, 1, 3 * 9 * 8).reshape(3, 9, 8) ** 2
for size in ((5, 4), (20, 17), (5, 26)):
    for mode in (Image.NEAREST, Image.BILINEAR, Image.BICUBIC, Image.LANCZOS):
        made = np.array(picture.resize(size, mode)).astype(int)
        print(made.sum(), made[1, 2].tolist(), end=" ")
print(np.array(picture.resize((4, 4))).astype(int).sum(), np.array(t.Resize(6)(picture)).astype(int).sum())
modes = t.InterpolationMode
for change in (t.Resize(4), t.Resize(4, antialias=False), t.Resize((5, 12)), t.Resize((4, 5), modes.BICUBIC),
               t.Resize((4, 5), interpolation=modes.NEAREST), lambda y: f.resize(y, [3, 4])):
    print(round(change(x).sum().item(), 4), round(change(x)[1, 1, 2].item(), 5), end=" ")
print(t.Resize((4, 5))((x * 255).to(torch.uint8))[1, 1].tolist())
"""
_AS_PILLOW = """\
7838 [79, 116, 153] 7722 [131, 118, 121] 7727 [134, 114, 122] 7722 [137, 108, 121] \
130552 [53, 90, 127] 130704 [80, 117, 133] 130578 [60, 118, 139] 130551 [48, 127, 135] \
49856 [43, 80, 117] 50167 [120, 129, 118] 50112 [119, 140, 119] 50096 [116, 141, 119] 6177 16193
16.0183 0.21464 16.0261 0.21433 60.1108 0.17655 20.0215 0.20852 17.5775 0.17915 12.0 0.25654 [50, 51, 53, 55, 56]
"""


def test_pictures_are_resized_as_by_pillow_and_tensors_as_by_torchvision(run: Runner) -> None:
    assert run(_RESIZED).printed() == _AS_PILLOW


def test_a_picture_of_the_run_is_read_as_a_tensor(run: Runner) -> None:
    source = (
        "import torch\nfrom torchvision import io\nfrom torchvision.utils import save_image\n"
        "save_image(torch.arange(12.0).reshape(3, 2, 2) / 12, 'a.png')\nx = io.read_image('a.png')\n"
        "print(x.dtype, x.tolist(), io.decode_image('a.png', 'L').shape)\nio.read_image('/etc/hosts')"
    )
    outcome = run(source)
    assert outcome.printed() == (
        "torch.uint8 [[[0, 21], [43, 64]], [[85, 106], [128, 149]], [[170, 191], [213, 234]]] torch.Size([1, 2, 2])\n"
    )
    assert outcome.sentence.startswith("FileNotFoundError: [Errno 2] No such file or directory: a snippet sees no")
