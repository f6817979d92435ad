"""What a run leaves in tables, classes and caches is gone in the next run of the same worker; nothing of the snippet is
asked when its error is put into words."""

from __future__ import annotations

from typing import Any

import pytest

from gradviz.worker.process.limits import Limits
from tests.worker.conftest import run_in

LEFT = {
    "a formula for a pair of distributions": (
        "from torch.distributions import Normal, kl_divergence, register_kl\n"
        "@register_kl(Normal, Normal)\ndef f(p, q): return 'left'\n",
        "from torch.distributions import Normal, kl_divergence\nprint(kl_divergence(Normal(0., 1.), Normal(0., 1.)))",
        "tensor(0.)\n",
    ),
    "distributions that check nothing": (
        "import torch\ntorch.distributions.Distribution.set_default_validate_args(False)",
        "import torch\ntry: torch.distributions.Normal(0., -1.)\nexcept ValueError: print('checked')",
        "checked\n",
    ),
    "NumPy's errors": (
        "import numpy as np\nnp.errstate(divide='raise').__enter__()",
        "import numpy as np\nwith np.errstate(invalid='ignore'): print(np.float64(1) / np.zeros(1))",
        "[inf]\n",
    ),
    "a hook of all modules": (
        "import torch\ntorch.nn.modules.module.register_module_forward_hook(lambda m, a, o: o * 0)",
        "import torch\nprint(torch.nn.Identity()(torch.ones(1)))",
        "tensor([1.])\n",
    ),
    "a table of textwrap's": (
        "import textwrap\nclass S(str):\n    def expandtabs(self, size): return self\n    def translate(self, table):\n"
        "        table[ord('A')] = 'left'\n        return 'x'\ntextwrap.fill(S('x'))",
        "import textwrap\nprint(textwrap.fill('A'))",
        "A\n",
    ),
    "a table of re's": (
        "import re\nclass S(str):\n    def translate(self, table):\n        table[ord('A')] = 'left'\n"
        "        return 'x'\nre.escape(S('x'))",
        "import re\nprint(re.escape('A'))",
        "A\n",
    ),
    "a table of textwrap's by bytes": (
        "import textwrap\nclass T(bytes):\n    def expandtabs(self, size): return self\n"
        "    def translate(self, table):\n"
        "        table[ord('A')] = 'left'\n        return 'x'\ntry: textwrap.fill(T())\nexcept TypeError: pass",
        "import textwrap\nprint(textwrap.fill('A'))",
        "A\n",
    ),
    "what einops reduces with": (
        "import torch\nfrom einops import reduce\n"
        "reduce(torch.ones(2, 3), 'a b -> a', lambda x, axes: x.sum(dim=axes))",
        "print('another')",
        "another\n",
    ),
    "a class that is no tensor": (
        "import torch, collections\nclass M:\n    _parameters, _buffers = {'a': collections.ChainMap}, {}\n"
        "    def children(self): return []\ntry: torch.nn.Module._apply(M(), lambda x: 5)\nexcept TypeError: pass",
        "import collections\nprint(hasattr(collections.ChainMap, 'data'))",
        "False\n",
    ),
    "a class that is decorated": (
        "import torch, collections\ntry: torch.no_grad.__call__(lambda init: lambda *a: print('left'), "
        "collections.ChainMap)\nexcept TypeError: pass\ntry: torch.no_grad()(collections.ChainMap)\n"
        "except TypeError: pass",
        "import collections\nprint(collections.ChainMap({1: 2})[1])",
        "2\n",
    ),
    "a class as the object of a context": (
        "import torch, collections\nfor kind in (torch.no_grad, torch.autograd.detect_anomaly):\n"
        "    try: kind.__enter__(collections.ChainMap)\n    except TypeError: pass",
        "import collections\nprint(hasattr(collections.ChainMap, 'previous'))",
        "False\n",
    ),
    "what an abstract class is": (
        "import typing, contextlib, collections\n"
        "for kind in (typing.Sized, contextlib.ExitStack, collections.ChainMap):\n"
        "    try: kind.register(int)\n    except AttributeError: pass",
        "import typing, contextlib, collections\n"
        "print(isinstance(5, (typing.Sized, contextlib.ExitStack, collections.ChainMap)))",
        "False\n",
    ),
    "what fields without metadata share": (
        "import dataclasses\nclass E:\n    def __eq__(self, o):\n        o['left'] = 1\n        return True\n"
        "assert dataclasses.field().metadata == E()",
        "import dataclasses\nprint(dict(dataclasses.field().metadata))",
        "{}\n",
    ),
    "a class's new attribute by a method of another": (
        "import torch\nfor call in (lambda: torch.nn.Module.train(torch.nn.Linear, False),\n"
        "    lambda: torch.autograd.function.FunctionCtx.mark_dirty(torch.relu, 1)):\n"
        "    try: call()\n    except TypeError: pass",
        "import torch\nprint(hasattr(torch.nn.Linear, 'training'), hasattr(torch.relu, 'dirty'))",
        "False False\n",
    ),
    "what a class of functions keeps for all": (
        "import torch\nC = torch.autograd.function.FunctionCtx\ntry: C.set_materialize_grads(C, False)\n"
        "except TypeError: pass",
        "import torch\nclass F(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x): return x * 1, x * 2\n"
        "    @staticmethod\n    def backward(ctx, a, b):\n        print(b)\n        return a\n"
        "F.apply(torch.ones(1, requires_grad=True))[0].sum().backward()",
        "tensor([0.])\n",
    ),
    "a transform for a constraint": (
        "from torch.distributions import biject_to, constraints, transform_to\n"
        "for registry in (biject_to, transform_to): registry.register(constraints.real, lambda each: 'left')",
        "from torch.distributions import biject_to, constraints, transform_to\n"
        "print(biject_to(constraints.real), transform_to(constraints.real))",
        "ComposeTransform(\n    \n) ComposeTransform(\n    \n)\n",
    ),
    "a setting of a part of a part of torch": (
        "import torch\ntorch.backends.cuda.matmul.allow_tf32 = True\ntorch.backends.cuda.matmul.left = 1",
        "import torch\nprint(torch.backends.cuda.matmul.allow_tf32, hasattr(torch.backends.cuda.matmul, 'left'))",
        "False False\n",
    ),
    "a number in the engine's cache": (
        "import torch\nclass F(float):\n    __hash__ = float.__hash__\n    def __eq__(self, o): print('left')\n"
        "torch.ones(1) + F(3.5)",
        "import torch\nprint(torch.ones(1) + 3.5)",
        "tensor([4.5000])\n",
    ),
    "a member of a flag": (
        "import re\nclass I(int): left = 'left'\ntype(re.I)(I(1 << 22))",
        "import re\nprint(hasattr(type(re.I)(1 << 22).value, 'left'))",
        "False\n",
    ),
    "what a generator does at its end": (
        "import torch\ndef wait():\n    try: yield\n    finally:\n        print('left')\n"
        "        torch.set_default_dtype(torch.float64)\nwaiting = wait()\nnext(waiting)",
        "import torch\nlarge = torch.zeros(150_000_000)\n"
        "for _ in range(300_000):\n    each = []\n    each.append(each)\nprint('so', torch.get_default_dtype())",
        "so torch.float32\n",
    ),
    "what one generator leaves to another": (
        "import re, torch\ndef wait(depth):\n    try: yield\n    finally:\n        if depth:\n"
        "            class I(int): left = wait(depth - 1)\n            next(I.left)\n"
        "            type(re.I)(I(1 << 22))\n"
        "        torch.set_default_dtype(torch.float64)\nwaiting = wait(2)\nnext(waiting)",
        "import re, torch\nprint(torch.get_default_dtype(), hasattr(type(re.I)(1 << 22).value, 'left'))",
        "torch.float32 False\n",
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_nothing_is_left_for_the_next_run(make_pool: Any, name: str) -> None:
    first, second, printed = LEFT[name]
    pool = make_pool(reuse=True)
    assert run_in(pool, first).status == "ok"
    assert run_in(pool, second).printed().endswith(printed)


KEPT = {
    "typing": "import typing\ndef make(x):\n    @typing.overload\n    def f(given=x): ...\nmake(large)",
    "strptime": (
        "from datetime import datetime\nclass S(str): pass\nform = S('%Y, large')\nform.large = large\n"
        "datetime.strptime('2026, large', form)"
    ),
    "a warning about a line that is not the snippet's": (
        "import warnings\nclass W(UserWarning): kept = large\nwarnings.simplefilter('default')\n"
        "for level in range(1, 40): warnings.warn('left', W, stacklevel=level)"
    ),
    "recorded warnings": (
        "import warnings\nclass W(UserWarning): kept = large\nwarnings.catch_warnings(record=True).__enter__()\n"
        "warnings.warn('left', W)"
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_nothing_that_python_keeps_takes_memory_of_the_next_run(make_pool: Any, name: str) -> None:
    pool = make_pool(Limits(memory_mb=500), reuse=True)
    source = f"import torch\nlarge = torch.ones(80_000_000)\n{KEPT[name]}\nprint('there was room')"
    for _ in range(2):
        assert run_in(pool, source).printed() == "there was room\n"


def test_an_error_of_syntax_that_the_snippet_filled_is_told(make_pool: Any) -> None:
    source = (
        "class T(str):\n    def __str__(self): print('asked')\n    def strip(self, *a): print('asked')\n"
        "class N(int):\n    def __lt__(self, o): print('asked')\n    def __gt__(self, o): print('asked')\n"
        "raise SyntaxError('m', (T('f'), N(1), N(1), T('text'), N(1), N(2)))"
    )
    outcome = run_in(make_pool(), source)
    assert outcome.status == "raised"
    assert "asked" not in outcome.printed()
