"""What tables of pandas might let in: NumPy's own arrays behind columns, the engine's tables by methods of "
"others, real
files, and texts that are code."""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

_TABLES = {
    "methods of a table on other objects": (
        "import torch, pandas as pd\nimport numpy as np\nx = torch.ones(2)\n"
        "class A:\n    _index = x\n    _columns = {'a': x}\n    _title = ''\n"
        "names = [n for n in dir(pd.Series) + dir(pd.DataFrame)] + ['__add__', '__eq__', '__rsub__', "
        "'__getitem__', '__iter__', "
        "'__invert__', '__radd__', '__repr__', '__setitem__', '__contains__', '__len__']\n"
        "for kind in (pd.Series, pd.DataFrame):\n    for n in names:\n        for thing in (x, A(), np.ones(2), "
        "torch.nn, 'a'):\n"
        "            try: found = getattr(kind, n)(thing, 'a') if n[:3] != '__i' else getattr(kind, n)(thing)\n"
        "            except (TypeError, AttributeError, ValueError, KeyError): continue\n"
        "            if found is not NotImplemented and type(found) is not bool: print('ESCAPED', kind, n, "
        "thing, found)"
    ),
    "what a table hands out": (
        "import pandas as pd\nimport numpy as np\nd = pd.DataFrame({'a': [1, 2], 'b': [.5, 1.5], 'c': ['u', 'v']})\n"
        "for f in (lambda: d.values, lambda: d['a'].values, lambda: d.to_numpy(), lambda: d['c'].unique(), lambda: "
        "d.iloc[0].values, lambda: d.columns.values, lambda: d['a'].iloc[0], lambda: d['a'].sum(), lambda: "
        "d.describe()['a'].values, lambda: d.loc[0, 'c'], lambda: list(d.iterrows())[0][1]['a']):\n"
        "    found = f()\n"
        "    for n in ('__array_interface__', 'ctypes', 'data', 'base', 'tofile', 'setflags', '__array_struct__'):\n"
        "        if isinstance(found, (int, float, str)): break\n"
        "        try: print('ESCAPED', n, getattr(found, n))\n        except (AttributeError, TypeError): pass\n"
        "before = d.values.copy()\nd['a'].values[:] = 7\nd.iloc[0].values[:] = '7'\nd.columns.values[:] = 'x'\n"
        "if (d.values != before).any(): print('ESCAPED')"
    ),
    "columns that snippet's functions see": (
        "import pandas as pd\nseen = []\nd = pd.Series([1, 2]); c = pd.Series(['a', 'b'])\n"
        "class K:\n    def __eq__(self, o): seen.append(o); return True\n    def __hash__(self): return 1\n"
        "    def __radd__(self, o): seen.append(o); return 1\n    __rmul__ = __rand__ = __lt__ = __radd__\n"
        "    def __index__(self): seen.append(0); return 0\n    def __len__(self): return 1\n"
        "    def __getitem__(self, k): seen.append(k); raise IndexError\n"
        "for act in (lambda: d.map(seen.append), lambda: c.apply(seen.append), lambda: d + K(), lambda: d == "
        "K(), lambda: "
        "d[K()], lambda: pd.DataFrame({K(): [1]}), lambda: pd.DataFrame({'a': K()}), lambda: d.iloc[K()], lambda: "
        "d.loc[K()], lambda: pd.concat(K()), lambda: d.fillna(K()), lambda: pd.Series(K()), lambda: "
        "d.head(K()), lambda: "
        "c.map({K(): 1})):\n    try: act()\n    except (TypeError, ValueError, KeyError, AttributeError, "
        "IndexError): pass\n"
        "for each in seen:\n    if type(each) not in (int, str, slice): print('ESCAPED', type(each))"
    ),
    "real files by read_csv": (
        "import pandas as pd, io\nclass S(str):\n    def __str__(self): return 'SECRET'\n"
        "class F:\n    def read(self): return S('SECRET')\n    def write(self, t): return open('SECRET').read()\n"
        "d = pd.DataFrame({'a': [1]})\n"
        "for act in (lambda: pd.read_csv('SECRET'), lambda: pd.read_csv(S('x')), lambda: pd.read_csv(F()), lambda: "
        "pd.read_csv('file://SECRET'), lambda: pd.read_csv('/etc/passwd', sep=':'), lambda: pd.read_csv(0), lambda: "
        "d.to_csv('FOLDER/made') or open('FOLDER/made').read(), lambda: d.to_csv(F())):\n"
        "    try: print(act())\n    except (OSError, TypeError, ValueError, AttributeError, StopIteration): pass"
    ),
    "classes of tables": (
        "import pandas as pd\nd = pd.DataFrame({'a': [1]})\n"
        "for act in (lambda: type('x', (pd.Series,), {}), lambda: type(d.iloc)(d, print), lambda: "
        "type(d.columns)((1,)), "
        "lambda: pd.Series.__init__(d, 1), lambda: setattr(pd.Series, 'head', print), lambda: setattr(d, "
        "'_columns', {}), "
        "lambda: d._columns, lambda: d.a._data, lambda: d.iloc._of, lambda: d.columns._labels, lambda: d.__getattr__("
        "'_columns'), lambda: pd.DataFrame.__getattr__(d, '_index')):\n"
        "    try: print('ESCAPED', act())\n    except (TypeError, AttributeError): pass\n"
        "try:\n    class D(pd.DataFrame): pass\n    print('ESCAPED')\nexcept TypeError: pass"
    ),
    "groups of a table": (
        "import pandas as pd, torch\nimport numpy as np\nd = pd.DataFrame({'a': [1, 1, 2], 'b': [.5, 1.5, 2.5]})\n"
        "seen = []\nclass S(str):\n    def __str__(self): return '__class__'\n"
        "class K(dict):\n    def items(self): return [(S('b'), S('__class__'))]\n"
        "g = d.groupby('a')\nfor act in (lambda: g.agg(S('sum')), lambda: g.agg([S('sum')]), lambda: g.agg(K()), "
        "lambda: g[S('b')].sum().name, lambda: d.groupby(S('a')), lambda: g.get_group(S('1')), "
        "lambda: g.agg({'b': '__class__'}), lambda: g.b.agg('_data'), lambda: g.apply(seen.append), "
        "lambda: [seen.append(key) for key, part in g], lambda: seen.append(g.sum().iloc[0, 0]), "
        "lambda: seen.append(g['b'].mean().iloc[0])):\n"
        "    try: found = act()\n    except (TypeError, ValueError, KeyError, AttributeError, IndexError): continue\n"
        "    if type(found) is type: print('ESCAPED', found)\n"
        "own = int, float, str, type(d), type(d.a), type(np.float64(1)), type(np.int64(1))\n"
        "for each in seen:\n    if type(each) not in own: print('ESCAPED', each)\n"
        "for name in ('_table', '_by', '_only', '_keys', '_made'):\n"
        "    try: print('ESCAPED', getattr(g, name))\n    except AttributeError: pass\n"
        "class A:\n    _table = d\n    _by = 'a'\n    _only = None\n    _as_index = True\n"
        "for name in dir(type(g)) + ['__iter__', '__len__', '__getitem__']:\n"
        "    for thing in (torch.ones(2), A(), np.ones(2), d):\n"
        "        try: print('ESCAPED', name, getattr(type(g), name)(thing, 'b'))\n"
        "        except (TypeError, AttributeError, ValueError, KeyError): pass\n"
        "try: type(g)(); print('ESCAPED')\nexcept TypeError: pass"
    ),
    "a table that is too large": (
        "import pandas as pd\nopen('a.csv', 'w').write('a,b\\n' + '1,2\\n' * 600_000)\n"
        "try: print('ESCAPED', len(pd.read_csv('a.csv')))\nexcept MemoryError: pass"
    ),
}

TABLES: list[Attack] = listed("Stand-ins: pandas", _TABLES)
