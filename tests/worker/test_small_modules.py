"""Modules of which scripts use a few names, and what a snippet learns of names: what it could name itself."""

from __future__ import annotations

import pytest

from gradviz.trace.table import schema
from gradviz.trace.table.trace import Trace
from tests.worker.conftest import Runner


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        ("from torch.utils.data.dataloader import DataLoader\nprint(len(DataLoader([1, 2, 3])))", "3\n"),
        ("import torch\nfrom functorch import vmap\nprint(vmap(torch.sin)(torch.zeros(2)))", "tensor([0., 0.])\n"),
        ("import torch.functional as TF, torch\nprint(TF.einsum('i,i', torch.ones(2), torch.ones(2)).item())", "2.0\n"),
        (
            "from torch.utils._pytree import tree_map\nprint(tree_map(lambda x: x * 2, {'a': [1, (2,)]}))",
            "{'a': [2, (4,)]}\n",
        ),
        (
            "import torch\nfrom collections import OrderedDict\nfrom torch.utils._pytree import tree_map\n"
            "print(tree_map(len, torch.nn.Linear(2, 3).state_dict()) == OrderedDict(weight=3, bias=3))\n"
            "print(tree_map(lambda a, b: (a, b), [1, {'x': 2, 'y': 3}], [[4, 5], {'y': 6, 'x': 7}]))\n"
            "for other in ([1], (1, {}), [1, 2], [1, {'x': 1, 'z': 2}]):\n"
            "    try: tree_map(max, [1, {'x': 2, 'y': 3}], other)\n"
            "    except ValueError as error: print(error)",
            "True\n[(1, [4, 5]), {'x': (2, 7), 'y': (3, 6)}]\nNode arity mismatch; expected 2, but got 1.\n"
            "Node type mismatch; expected <class 'list'>, but got <class 'tuple'>.\n"
            "Node type mismatch; expected <class 'dict'>, but got <class 'int'>.\n"
            "Node keys mismatch; missing key(s): {'y'}; extra key(s): {'z'}.\n",
        ),
        (
            "import pandas as pd\nd = pd.DataFrame({'n': list('abcd'), 's': [2, 1, 2, 1], 't': [1, None, 3, .5]})\n"
            "for by, up in (('s', False), ('t', False), (['s', 't'], [False, True])):\n"
            "    print(*d.sort_values(by, ascending=up).n)\n"
            "print(d['t'].value_counts().tolist(), pd.Series(['x', None, 'x']).value_counts().index.tolist())\n"
            "means = d.groupby('s').mean(numeric_only=True)\nprint(means.reset_index().columns.tolist())\n"
            "print(means['t'].reset_index().columns.tolist(), d['t'].reset_index().columns.tolist())\n"
            "print(means.fillna(0) * 2)\nprint(means['t'][:1] > 0)",
            "a c b d\nc a d b\na c d b\n[1, 1, 1] ['x']\n['s', 't']\n['s', 't'] ['index', 't']\n"
            "     t\ns     \n1  1.0\n2  4.0\ns\n1    True\nName: t, dtype: bool\n",
        ),
        (
            "import torch.distributed as dist\nif dist.is_initialized(): dist.init_process_group()\n"
            "print(dist.is_available(), dist.is_gloo_available(), dist.is_nccl_available())",
            "True True False\n",
        ),
        ("from importlib.metadata import version as v\nimport torch\nprint(v('torch') == torch.__version__)", "True\n"),
        (
            "import importlib.util as u, importlib\nprint(u.find_spec('transformers'), u.find_spec('numpy') is None)\n"
            "print(importlib.import_module('math').pi)",
            "None False\n3.141592653589793\n",
        ),
        (
            "import inspect, torch\nprint('fused' in inspect.signature(torch.optim.AdamW).parameters)\n"
            "print(inspect.signature(lambda a, b=2: a), inspect.isfunction(len), inspect.isclass(int))",
            "True\n(a, b) False True\n",
        ),
        (
            "import torch\nimport torch.utils.benchmark as b\nx = torch.ones(2)\n"
            "t = b.Timer('y = x * z', setup='z = 2', globals=globals(), label='a', num_threads=1)\nm = t.timeit(3)\n"
            "print(len(m.times), m.mean >= 0, 'a\\n' in str(m), '1 thread' in str(t.blocked_autorange()))",
            "3 True True True\n",
        ),
        ("from torch.utils.benchmark import Timer\nprint(len(Timer('torch.ones(2)').timeit(2).times))", "2\n"),
        (
            "from torch.utils.benchmark import Timer\ndef f(): print('f')\n"
            "Timer('f()', setup='from __main__ import f, Timer').timeit(2)",
            "f\nf\n",
        ),
        (
            "from torch.utils.benchmark import Timer\ntry: Timer('auto x = 1;', language='cpp')\n"
            "except PermissionError as e: print(e)",
            "a Timer of C++ is not available in GradViz snippets; time Python, or leave it out\n",
        ),
        (
            "from torch.utils.benchmark import Timer\nt = Timer('''\n  y = x + 1\n  y * 2\n''', setup='  x = 1')\n"
            "print(len(t.timeit(2).times))",
            "2\n",
        ),
        (
            "import timeit\ndef f(n): print('f', n)\n"
            "print(timeit.timeit('f(x)', setup='from __main__ import f\\nx = 5', number=2) > 0)\n"
            "loop = 'for i in range(2):\\n    y.append(g(i))'\n"
            "t = timeit.Timer(loop, 'def g(i): return z + i', globals={'y': [], 'z': 3})\n"
            "print(len(t.repeat(3, 2)), timeit.Timer(lambda: 1).autorange()[0] > 1)\n"
            "took = timeit.timeit('f(3)', globals=globals(), number=1)\n"
            "print(took > 0, len(timeit.repeat('1', repeat=2, number=1)))\n"
            "for bad in (lambda: timeit.timeit(5), lambda: timeit.timeit('f()', 'from __main__ import g')):\n"
            "    try: bad()\n    except Exception as e: print(e)",
            "f 5\nf 5\nTrue\n3 True\nf 3\nTrue 2\nstmt is neither a string nor callable\n"
            "cannot import name 'g' from '__main__'\n",
        ),
        (
            "from collections import defaultdict\nd = defaultdict(list, a=[1])\nd['b'].append(2)\n"
            "d.default_factory = None\ntry: d['c']\nexcept KeyError as e:\n    e.where = 'd'\n    print(e, e.where)\n"
            "print(d)",
            "'c' d\ndefaultdict(None, {'a': [1], 'b': [2]})\n",
        ),
        (
            "from torch.profiler import profile, schedule\ntold = []\ntell = lambda p: told.append(p.step_num)\n"
            "for n in (3, 10):\n"
            "    with profile(schedule=schedule(wait=1, warmup=1, active=2, repeat=2), on_trace_ready=tell) as p:\n"
            "        for _ in range(n): p.step()\n"
            "p = profile(on_trace_ready=tell)\np.start()\np.step()\np.stop()\nprint(told)",
            "[3, 4, 8, 1]\n",
        ),
        (
            "import uuid\na, b = uuid.uuid4(), uuid.uuid4()\n"
            "print(a == b, len(str(a)), len(a.hex), f'{a}'[14], a.hex[12])\n"
            "print(str(a).replace('-', '') == a.hex, repr(a) == f\"UUID('{a}')\", {a: 1}[a])",
            "False 36 32 4 4\nTrue True 1\n",
        ),
        ("import numpy as np\na = np.eye(4)\nprint(np.allclose(np.fft.irfft2(np.fft.rfft2(a)), a))", "True\n"),
        (
            "import hashlib, tracemalloc\nh = hashlib.sha1(b'a')\nh.update(b'b')\n"
            "print(h.hexdigest(), hashlib.md5().hexdigest()[:4])\ntracemalloc.start()",
            "da23614e02469a0d7c7bd1bdab5c9c474b1904dc d41d\n",
        ),
        (
            "import hashlib, statistics\nclass Own:\n    def __init__(self, v): print(type(v).__name__)\n"
            "    def as_integer_ratio(self): return 1, 2\n"
            "class Real(float):\n    def __init__(self, v): print(type(v).__name__)\n"
            "try: statistics.mean([Own(1)])\nexcept TypeError as e: print(e)\n"
            "print(statistics.mean([Real(1), Real(2)]), statistics.stdev([1, 2, 3], xbar=Real(2)))\n"
            "try: print(type(hashlib.md5())('new', b'sha1'))\nexcept KeyError: print('refused')",
            "int\ncan't convert type 'Own' to numerator/denominator\nint\nint\nint\n1.5 1.0\nrefused\n",
        ),
        (
            "import numpy as np, time, torch\n"
            "class A:\n    say, get, same, of = print, getattr, id, np.exp\n"
            "    act, zeros, sleep = torch.relu, torch.zeros, time.sleep\n"
            "a = A()\na.sleep(0)\na.say(a.act(torch.tensor([-1.0, 2.0])), a.zeros(1), a.of(0.0))\n"
            "a.say(a.get(a, 'act') is torch.relu, a.same(a) == id(a))\n"
            "class Named(torch.nn.Parameter): parts, add_to = torch.split, torch.add\n"
            "n = Named(torch.ones(2))\nprint(len(n.parts(1)), Named.add_to is torch.add)\n"
            "print(*(str(each)[:14] for each in (getattr, vars, hash)))",
            "tensor([0., 2.]) tensor([0.]) 1.0\nTrue True\n2 True\n<function geta <function vars <function hash\n",
        ),
        (
            "import enum, torch\nclass M:\n    def __init_subclass__(cls):\n        super().__init_subclass__()\n"
            "        print(cls.__name__)\nclass E(M, enum.Enum): A = 1\nmatch {torch.float32: torch.float64}:\n"
            "    case {torch.float32: torch.dtype() as found}: print(found)",
            "E\ntorch.float64\n",
        ),
        (
            "from abc import ABC, ABCMeta, abstractmethod\nfrom torch import nn\nclass A(nn.Module):\n"
            "    @abstractmethod\n    def f(self): return 1\nprint(A().f())\nclass B(metaclass=ABCMeta): f = A.f\n"
            "class C(B): pass\nclass D(A, ABC): pass\nfor each in (B, C, D):\n    try: print(each())\n"
            "    except TypeError as error: print(str(error)[:38])\nC.f = 1\nclass E(C): f = None\nprint(E().f)",
            "1\nCan't instantiate abstract class B wit\nCan't instantiate abstract class C wit\nD()\nNone\n",
        ),
        (
            "import wandb, tyro\nfrom dataclasses import dataclass\n@dataclass\nclass Args:\n    lr: float = 0.1\n"
            "with wandb.init(project='p', config=tyro.cli(Args)) as r: r.log({'a': 1}); r.name = 'b'\n"
            "wandb.config.update({'n': 2})\nwandb.config.k = 3\nwandb.watch(1)\n"
            "print(r.config.lr, wandb.config, r.name)",
            "0.1 {'lr': 0.1, 'n': 2, 'k': 3} b\n",
        ),
        (
            "from torchtext.datasets import WikiText2\nfrom torchtext.data.utils import get_tokenizer\n"
            "from torchtext.vocab import build_vocab_from_iterator as build\nt = get_tokenizer('basic_english')\n"
            "v = build(map(t, WikiText2(split='train')), specials=['<unk>'])\nv.set_default_index(v['<unk>'])\n"
            "a, b, c = WikiText2()\n"
            "print(t(next(a)), v(['the', '.', 'never', '<unk>']), len(list(b)), v.lookup_token(1))",
            "['=', 'river', '='] [1, 2, 0, 0] 300 the\n",
        ),
        (
            "from sklearn.datasets import make_classification as make\n"
            "many = {'n_features': 40, 'n_informative': 35, 'shift': None, 'scale': None}\n"
            "few = {'weights': [0.9], 'n_repeated': 2, 'hypercube': False}\n"
            "for options in ({}, many, few, {'n_informative': 10, 'n_features': 12, 'shuffle': False}):\n"
            "    x, y = make(50, random_state=1, **options)\n"
            "    print(x.shape, x.sum().round(4), x[3, 0].round(4), y[:9])\n"
            "try: make(n_classes=3, n_informative=2)\nexcept ValueError as e: print(e)",
            "(50, 20) 24.4923 1.3888 [0 1 0 0 1 0 1 0 1]\n(50, 40) -4654.7067 -258.5188 [1 0 0 1 1 0 0 0 0]\n"
            "(50, 20) 22.553 -0.0863 [0 0 1 0 0 0 0 0 0]\n(50, 12) -144.2528 -2.2989 [0 0 0 0 0 0 0 0 0]\n"
            "n_classes(3) * n_clusters_per_class(2) must be smaller or equal 2**n_informative(2)=4\n",
        ),
        ("import matplotlib_inline.backend_inline as b\nprint(b.set_matplotlib_formats('svg'))", "None\n"),
        ("from IPython.display import display, clear_output\nclear_output(wait=True)\ndisplay(3)", "3\n"),
        (
            "from packaging import version\nfrom distutils.version import LooseVersion as V\nimport torch\n"
            "v = version.parse\nprint(v(torch.__version__) >= v('2.0'), V('1.10.1') > V('1.9'), V('2.0') >= '2.0.0')\n"
            "print(v('1.0rc1') < v('1.0') < v('1.0.post1'), v('2.13.0').minor)",
            "True True True\nTrue 13\n",
        ),
        (
            "from ast import literal_eval\nprint(literal_eval(\"{'a': [1, 2.5, (None,)]}\"))\n"
            "try: literal_eval('open(1)')\nexcept ValueError as e: print('no')",
            "{'a': [1, 2.5, (None,)]}\nno\n",
        ),
        (
            "from sklearn import datasets\nb = datasets.load_breast_cancer()\n"
            "print(b.data.shape, b.data.sum(), b.target.sum())\n"
            "print(b.data[568, :4], b.target_names, b.feature_names[29], b['data'].mean(0)[:2])",
            "(569, 30) 1056474.4596356 357\n[  7.76  24.54  47.92 181.  ] ['malignant' 'benign'] worst fractal "
            "dimension [14.12729174 19.28964851]\n",
        ),
        (
            "from sklearn.datasets import load_digits\nd = load_digits()\n"
            "x, y = load_digits(n_class=3, return_X_y=True)\n"
            "print(d.data.shape, d.images.shape, d.data.dtype, d.data.sum(), d.target[-5:], d.target_names[-1])\n"
            "print(d.images[7, 2], d.feature_names[-1], (d.data[7] == d.images[7].ravel()).all(), x.shape, y.sum())",
            "(1797, 64) (1797, 8, 8) float64 561718.0 [9 0 8 9 8] 9\n"
            "[ 0.  0.  0.  0.  8. 13.  1.  0.] pixel_7_7 True (537, 64) 536\n",
        ),
        (
            "import codecs, platform, multiprocessing, sys\nfrom multiprocessing import cpu_count\n"
            "with codecs.open('a.txt', 'w', 'utf-8') as f: f.write('\u00e4')\n"
            "print(codecs.open('a.txt', encoding='utf-8').read(), cpu_count(), multiprocessing.cpu_count())\n"
            "print(platform.python_version() == sys.version.split()[0], [platform.release(), platform.machine()])\n"
            "try: multiprocessing.Process(target=print)\nexcept AttributeError as e: print(str(e)[:59])",
            "\u00e4 1 1\nTrue ['', '']\nmultiprocessing.Process is not available in GradViz snippet\n",
        ),
        (
            "import six, errno\nfrom six.moves import range, urllib\n"
            "print(isinstance('', six.string_types), errno.EEXIST)\n"
            "print(six.PY3, list(range(2)))\no = urllib.request.build_opener()\n"
            "o.addheaders = [('User-agent', 'x')]\nurllib.request.install_opener(o)",
            "True 17\nTrue [0, 1]\n",
        ),
        (
            "from unidecode import unidecode\nprint(unidecode('\u015alus\u00e0rski \u00df \u201cq\u201d'))",
            'Slusarski ss "q"\n',
        ),
        (
            "from graphviz import Digraph\nd = Digraph(format='svg', graph_attr={'rankdir': 'LR'})\n"
            "d.node(name='1', label='{ a | data 2.0 }', shape='record')\nd.edge('1', 'b c')\nprint(d.source)",
            'digraph {\n\tgraph [rankdir=LR]\n\t1 [label="{ a | data 2.0 }" shape=record]\n\t1 -> "b c"\n}\n\n',
        ),
        (
            "from torch.utils.tensorboard.writer import SummaryWriter\nfrom tensorboardX import SummaryWriter\n"
            "import torch.multiprocessing as mp, torch\n"
            "from torch.nn.modules.batchnorm import _BatchNorm\nfrom torch.nn.modules.utils import _pair\n"
            "mp.set_start_method('spawn')\nSummaryWriter().add_scalar('a', 1.0, 2)\n"
            "print(isinstance(torch.nn.BatchNorm2d(3), _BatchNorm), _pair(3), _pair([1, 2]), mp.cpu_count())",
            "True (3, 3) (1, 2) 1\n",
        ),
        (
            "from IPython.display import SVG, Image, display\n"
            "SVG(filename='../img/net.svg')\ndisplay(Image(url='a.png'))",
            "<IPython.core.display.Image object>\n",
        ),
        (
            "import seaborn as sns, pandas as pd\nsns.set_theme(style='darkgrid')\n"
            "a = sns.heatmap([[5, 1, 0], [2, 7, 3]], annot=True, fmt='d', cmap='Blues', xticklabels=list('abc'))\n"
            "b = sns.heatmap(pd.DataFrame({'p': [0.25, 1.0], 'q': [0.5, 1.0]}), annot=True, ax=a, cbar=False)\n"
            "print(*map(float, a.get_xlim() + a.get_ylim()), a is b)",
            "0.0 2.0 2.0 0.0 True\n",
        ),
        (
            "import torch\ndef net(x, is_training): pass\nclass A(torch.nn.Module):\n    def __init__(self):\n"
            "        super().__init__()\n        self.__setattr__('l_0', torch.nn.ReLU())\n"
            "print('is_training' in net.__code__.co_varnames, net.__code__.co_argcount, A().__getattr__('l_0'), A())",
            "True 2 ReLU() A(\n  (l_0): ReLU()\n)\n",
        ),
        ("x = 1\ng = globals()\ng['x'] = 2\nprint(x, sorted(g), dir())", "2 ['x'] ['g', 'x']\n"),
        (
            "for key in ('a', 'b'):\n    globals()[key] = 3\ndef f():\n    globals().update(c=a + b)\n"
            "    del globals()['a']\nf()\nexec('d = c + 1', globals())\n"
            "print(b, c, d, 'a' in globals(), globals().pop('b'), 'b' in globals())",
            "3 6 7 False 3 False\n",
        ),
        (
            "a = 1\nfor do in ('clear', 'popitem'):\n    try: getattr(globals(), do)()\n"
            "    except TypeError as e: print(e)\ng = globals()\ntry: g |= {'a': 2}\nexcept TypeError: print(a)",
            "globals() takes names one by one, or by update(), in GradViz snippets\n" * 2 + "1\n",
        ),
        (
            "def f(x, n=2):\n    y = [x for _ in range(n)]\n    def inner(): return sorted(locals()), x\n"
            "    found = locals()\n    found['x'] = 9\n    return sorted(found), x, inner()\nprint(f(1))\n"
            "class A:\n    z = 3\n    names = sorted(n for n in locals() if n[0] != '_')\n"
            "print(A.names, 'f' in locals(), '{a} {b}'.format(**(lambda a, b: locals())(1, 2)))\n"
            "locals()['late'] = 4\nprint(late)",
            "(['inner', 'n', 'x', 'y'], 1, (['x'], 1))\n['z'] True 1 2\n4\n",
        ),
        (
            "import inspect\ndef f(x):\n    # half\n    return x / 2\n\nclass A:\n    @staticmethod\n    def g():\n"
            "        return f\n    def h(self): pass\nprint(inspect.getsource(f), inspect.getsource(A.g), sep='')\n"
            "print(inspect.getsource(A().h) + inspect.getsource(A))",
            "def f(x):\n    # half\n    return x / 2\n    @staticmethod\n    def g():\n        return f\n\n"
            "    def h(self): pass\nclass A:\n    @staticmethod\n    def g():\n        return f\n"
            "    def h(self): pass\n\n",
        ),
        ("from torch.functional import F, einsum\nimport torch\nprint(F.relu(torch.tensor(-1.0)))", "tensor(0.)\n"),
        ("import math\nclass A:\n    y = 1\nprint(dir(math)[:2], dir(A()))", "['acos', 'acosh'] ['y']\n"),
    ],
)
def test_it_answers_as_the_real_one(run: Runner, source: str, printed: str) -> None:
    outcome = run(source)
    assert (outcome.status, outcome.printed()) == ("ok", printed), outcome.sentence


def test_what_is_not_here_is_not_found(run: Runner) -> None:
    assert "No module named 'subprocess'" in run("import importlib\nimportlib.import_module('subprocess')").sentence
    assert "PackageNotFoundError" in run("from importlib.metadata import version\nversion('pip')").sentence
    assert "only that of your own functions" in run("import inspect, torch\ninspect.getsource(torch.relu)").sentence
    assert "only that of your own functions" in run("import inspect, math\ninspect.getsource(math)").sentence
    assert "could not get source code" in run("import inspect\nexec('def f(): pass')\ninspect.getsource(f)").sentence
    assert "inspect.currentframe is not available" in run("import inspect\ninspect.currentframe()").sentence
    assert "a snippet runs in one process" in run("import torch.distributed as d\nd.init_process_group()").sentence


def test_a_download_gives_what_is_attached_under_its_name(run: Runner) -> None:
    asks = (
        "import requests, urllib.request, os\nu = 'https://example.org/raw/names.txt?raw=1'\n"
        "print(requests.get(u).text, requests.get(u).status_code, urllib.request.urlopen(u).read())\n"
        "urllib.request.urlretrieve(u, 'data/n.txt')\nprint(os.path.exists('data/n.txt'))"
    )
    assert run(asks, files={"names.txt": b"Ada"}).printed() == "Ada 200 b'Ada'\nTrue\n"
    assert (
        "requests.get is not available in GradViz snippets; a snippet has no network, attach the file: 'names.txt'"
        in run(asks).sentence
    )


_TABLE = """
import torch
from torch import nn
from torchsummary import summary
class Pair(nn.Module):
    def forward(self, x):
        return x, x * 2
class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU())
        self.b = nn.Linear(8, 4)
        self.b.weight.requires_grad_(False)
        self.many = nn.ModuleList([nn.Dropout(0.1)])
        self.pair = Pair()
    def forward(self, x):
        return self.pair(self.many[0](self.b(self.a(x).mean((2, 3)))))[0]
summary(Two(), (3, 64, 64), batch_size=7, device="cpu")
"""
_PRINTED = """\
----------------------------------------------------------------
        Layer (type)               Output Shape         Param #
================================================================
            Conv2d-1             [7, 8, 64, 64]             224
              ReLU-2             [7, 8, 64, 64]               0
            Linear-3                     [7, 4]              36
           Dropout-4                     [7, 4]               0
              Pair-5         [[-1, 4], [-1, 4]]               0
================================================================
Total params: 260
Trainable params: 224
Non-trainable params: 36
----------------------------------------------------------------
Input size (MB): 0.33
Forward/backward pass size (MB): 3.50
Params size (MB): 0.00
Estimated Total Size (MB): 3.83
----------------------------------------------------------------
"""


def test_a_model_is_told_as_torchsummary_tells_it(run: Runner) -> None:
    assert run(_TABLE).printed() == _PRINTED
    refused = run("from torchsummary import summary\nsummary(3, (1,))")
    assert "'int' object has no attribute 'apply'" in refused.sentence


def test_what_torchsummary_makes_is_called_after_the_model(run: Runner) -> None:
    layers = "nn.Sequential(nn.Linear(2, 3), nn.ReLU())"
    for given, names in (("net", {"input of net", "constant₁ of net[0]"}), (layers, {"constant₁ of module 0"})):
        source = f"import torchsummary\nfrom torch import nn\nnet = {layers}\ntorchsummary.summary({given}, (2,))"
        trace = Trace(source)
        for batch in run(source).batches:
            trace.extend(schema.Batch(batch.header, batch.payload))
        frame = trace.frame(len(trace))
        assert names <= {frame.name(each) for each in range(len(trace.tensors))}


def test_a_drawing_of_graphviz_is_written_as_text_and_no_program_is_started(run: Runner) -> None:
    outcome = run(
        "import graphviz, os\nd = graphviz.Digraph('net', format='png', node_attr={'shape': 'box'})\n"
        "d.edge('a', 'b c')\nd.attr(rankdir='LR')\nd.body.append('\\tz\\n')\n"
        "print(d.render('out/drawn', view=True), os.listdir('out'))\n"
        "print(open('out/drawn').read())\nprint(d.save(), d.render(format='svg'))\nd.pipe()"
    )
    text = 'digraph net {\n\tnode [shape=box]\n\ta -> "b c"\n\trankdir=LR\n\tz\n}\n'
    assert outcome.printed() == f"out/drawn.png ['drawn']\n{text}\nnet.gv net.gv.svg\n"
    assert outcome.done.detail.sentence.startswith("PermissionError: no program is started for a snippet")
    assert "out/drawn.png is not drawn" in outcome.printed("err") and outcome.printed("err").count("is not drawn") == 2


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        (
            "import torch\nclass Half(torch.optim.lr_scheduler._LRScheduler):\n"
            "    def get_lr(self): return [rate / 2 ** self.last_epoch for rate in self.base_lrs]\n"
            "o = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)\ns = Half(o)\no.step()\ns.step()\n"
            "print(s.get_last_lr(), isinstance(s, torch.optim.lr_scheduler.LRScheduler))",
            "[0.5] True\n",
        ),
        (
            "import torch\nfrom torch import _assert\nfrom torch.cuda.memory import memory_reserved\n"
            "try: _assert(torch.tensor(0), 'never')\nexcept AssertionError as e: print(repr(e))\n"
            "print(memory_reserved(), torch.cuda.memory.memory_allocated(0))",
            "AssertionError('never')\n0 0\n",
        ),
        (
            "from torch.utils.data import Dataset\nclass Of(Dataset):\n"
            "    def __init__(self, base): self._base, self._version = base, 2\n"
            "    def __getitem__(self, at): return self._base[at] * self._version\nprint(Of([3, 4])[1])",
            "8\n",
        ),
        (
            "import torch\nfrom torch.utils.data import Subset\nx = torch.arange(12.).reshape(3, 4)\n"
            "rows = Subset(range(3), [2, 0])\nprint(x[rows, 1], x[0][Subset([3, 1], [1, 0])])\nx[rows] = 0\n"
            "print(x.sum())\ntry: x[{0: 1}]\nexcept IndexError as e: print(str(e)[-10:])",
            "tensor([9., 1.]) tensor([1., 3.])\ntensor(22.)\n(got dict)\n",
        ),
        (
            "from collections import OrderedDict\nfrom pprint import pprint\n"
            "pprint(OrderedDict([('a' * 40, 1), ('b' * 40, 2)]))",
            f"OrderedDict([('{'a' * 40}', 1),\n             ('{'b' * 40}', 2)])\n",
        ),
        (">>> import matplotlib.pyplot as plt\n>>> plt.rc('figure', figsize=(9, 6))\n>>> 1 + 1", "2\n"),
        (
            "import torch\nfrom torch.utils import _pytree as p\nprint(p.tree_structure([torch.ones(2, 2).max(0)]))\n"
            "try: p.TreeSpec(print, None, ())\nexcept TypeError: print('refused')",
            "TreeSpec(list, None, [TreeSpec(max, None, [*,\n    *])])\nrefused\n",
        ),
        (
            "from torch.nn.modules import BatchNorm2d, Linear, Module, conv\nfrom torch import nn\n"
            "print(issubclass(Linear, Module), Module is nn.Module, BatchNorm2d is nn.BatchNorm2d, "
            "conv.Conv2d is nn.Conv2d)",
            "True True True True\n",
        ),
        (
            "import numpy as np\nfrom collections import deque\nfrom statistics import mean\n"
            "print(mean([np.float32(1), np.float32(2)]), mean(np.array([1.0, 2.0, 4.5])), np.mean(deque([1, 2])))",
            "1.5 2.5 1.5\n",
        ),
        (
            "import gzip, html, os\nimport numpy as np\nfrom torchvision.models.squeezenet import squeezenet1_1\n"
            "class N(int):\n    def __sub__(self, *other): print('asked')\n    __lt__ = __bool__ = __sub__\n"
            "np.set_printoptions(3, N(9), None, N(75), N(1), floatmode='fixed', sign='+')\n"
            "class Text(str):\n    def replace(self, *given): print('asked', given)\n"
            "print(np.array([1.0, 2.5]), html.unescape('a &lt; &eacute;'), html.escape(Text('<b>')), "
            "gzip.GzipFile == gzip.open)\n"
            "open('x', 'w').write('a')\nprint(os.path.getctime('x') == os.path.getmtime('x'))\n"
            "for name in ('formatter', 'legacy', 'override_repr'):\n"
            "    try: np.set_printoptions(**{name: print})\n    except TypeError: continue\n    print(name)",
            "[+1.000 +2.500] a < é &lt;b&gt; True\nTrue\n",
        ),
    ],
    ids=["scheduler", "asserts", "names", "subset", "tables", "style", "trees", "layers", "mean", "scripts"],
)
def test_what_scripts_do_with_names_and_numbers_of_theirs(run: Runner, source: str, printed: str) -> None:
    outcome = run(source)
    assert outcome.printed() == printed, outcome.sentence


_LEARNING = """
import numpy as np
from sklearn.datasets import load_iris, make_blobs, make_circles, make_moons, make_regression
from sklearn.metrics import confusion_matrix, f1_score, mean_absolute_error, precision_score, r2_score, recall_score
from sklearn.metrics import auc, roc_auc_score, roc_curve
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelEncoder, MinMaxScaler, StandardScaler, normalize, scale
np.random.seed(5)
for X, y in (make_moons(7, noise=0.1), make_circles(6, factor=0.5, random_state=3),
             make_blobs(5, centers=2, random_state=3),
             make_regression(n_samples=6, n_features=1, noise=20, random_state=1)):
    print(X.sum().round(6), X[0].round(6), y[:3].round(4))
iris = load_iris()
a, b, c, d = train_test_split(iris.data, iris.target, test_size=0.2, stratify=iris.target, random_state=4)
print(a.shape, b[:2], d.sum(), c[:5], train_test_split(list(range(6)), random_state=1))
print(StandardScaler().fit_transform(iris.data)[0].round(6))
print(MinMaxScaler().fit(iris.data).transform(iris.data[:1]).round(6))
print(confusion_matrix([0, 1, 2, 2], [0, 2, 2, 2]).tolist(), round(r2_score([1.0, 2, 3], [1.1, 2, 2.7]), 6))
rows = np.array([[3.0, 4.0], [0, 0], [1, -2]])
for norm in ("l1", "l2", "max"):
    print(*[float(normalize(rows, norm, axis=way).round(3).sum().round(3)) for way in (0, 1)])
print(scale(rows).round(4).tolist())
labels = LabelEncoder()
print(labels.fit_transform(["b", "a", "c", "a"]), labels.classes_.tolist(), labels.inverse_transform([1, 0]).tolist())
for score in (f1_score, precision_score, recall_score):
    several = [score([0, 1, 2, 2, 1], [0, 2, 2, 2, 1], average=way) for way in ("macro", "micro", "weighted")]
    print([round(float(each), 4) for each in several], round(float(score([0, 1, 1], [1, 1, 0])), 4))
print(float(mean_absolute_error([1.0, 2], [2.0, 4])))
truth, scores = np.array([0, 1, 1, 0, 1, 1, 0, 0]), np.array([0.1, 0.9, 0.4, 0.4, 0.35, 0.8, 0.2, 0.1])
for curve in (*roc_curve(truth, scores), *roc_curve(truth, scores, drop_intermediate=False)):
    print(curve.round(3).tolist(), curve.dtype)
print(roc_auc_score(truth, scores), auc([0, 0.5, 1], [0, 1, 1]))
print(*(each.tolist() for each in roc_curve([0, 1], [0.2, 0.7])))
"""
_LEARNED = """\
5.279159 [2.136759 0.557471] [1 0 1]
0.0 [0.5 0. ] [1 1 1]
7.90476 [0.73857  3.808197] [0 1 0]
-2.024682 [-0.528172] [-39.3388 -92.855   -9.5261]
(120, 4) [[6.2 2.2 4.5 1.5]
 [4.4 2.9 1.4 0.2]] 30 [2 2 1 2 2] [[4, 0, 3, 5], [2, 1]]
[-0.900681  1.019004 -1.340227 -1.315444]
[[0.222222 0.625    0.067797 0.041667]]
[[1, 0, 0], [0, 0, 1], [0, 0, 2]] 0.95
1.334 0.666
1.712 0.953
1.833 1.25
[[1.3363, 1.3363], [-1.069, -0.2673], [-0.2673, -1.069]]
[1 0 2 0] ['a', 'b', 'c'] ['b', 'a']
[0.8222, 0.8, 0.7867] 0.5
[0.8889, 0.8, 0.8667] 0.5
[0.8333, 0.8, 0.8] 0.5
1.5
[0.0, 0.0, 0.0, 0.25, 0.25, 0.5, 1.0] float64
[0.0, 0.25, 0.5, 0.75, 1.0, 1.0, 1.0] float64
[inf, 0.9, 0.8, 0.4, 0.35, 0.2, 0.1] float64
[0.0, 0.0, 0.0, 0.25, 0.25, 0.5, 1.0] float64
[0.0, 0.25, 0.5, 0.75, 1.0, 1.0, 1.0] float64
[inf, 0.9, 0.8, 0.4, 0.35, 0.2, 0.1] float64
0.90625 0.75
[0.0, 0.0, 1.0] [0.0, 1.0, 1.0] [inf, 0.7, 0.2]
"""


def test_sklearn_has_its_numbers(run: Runner) -> None:
    """As scikit-learn 1.9.1 prints it."""
    assert run(_LEARNING).printed() == _LEARNED
