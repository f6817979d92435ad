"""Plain Python that changes nothing and reads nothing: it asks whether SECRET is there, how large and how old it is, in
each way that Python or the kernel has, or looks in its own process for where that is on the disk.

Who asks twice, for what is there and for what is not, and gets two answers, has LEARNED it.
"""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

_BY_PYTHON = {
    "os.stat": "import os\nprint(os.stat('SECRET'))",
    "os.lstat": "import os\nprint(os.lstat('SECRET'))",
    "os.path.getsize": "import os\nprint('LEARNED', os.path.getsize('SECRET'))",
    "os.path.getmtime": "import os\nprint('LEARNED', os.path.getmtime('SECRET'))",
    "os.path.exists": "import os\nif os.path.exists('SECRET') != os.path.exists('FOLDER/none'): print('LEARNED')",
    "os.path.isdir": "import os\nif os.path.isdir('FOLDER') != os.path.isdir('FOLDER/none'): print('LEARNED')",
    "os.access": "import os\nif os.access('SECRET', 0) != os.access('FOLDER/none', 0): print('LEARNED')",
    "os.readlink": "import os\nprint('LEARNED', os.readlink('FOLDER/link'))",
    "os.path.realpath": "import os\nif os.path.realpath('FOLDER/link') != 'FOLDER/link': print('LEARNED')",
    "os.path.samefile": "import os\nprint('LEARNED', os.path.samefile('SECRET', 'FOLDER/link'))",
    "os.path.ismount": "import os\nif os.path.ismount('/'): print('LEARNED')",
    "os.scandir": "import os\nprint('LEARNED', list(os.scandir('FOLDER')))",
    "os.walk": "import os\nif list(os.walk('FOLDER')): print('LEARNED')",
    "os.statvfs": "import os\nprint('LEARNED', os.statvfs('SECRET'))",
    "os.listxattr": "import os\nprint('LEARNED', os.listxattr('SECRET'))",
    "os.pathconf": "import os\nprint('LEARNED', os.pathconf('SECRET', 'PC_NAME_MAX'))",
    "os.chdir": "import os\nos.chdir('FOLDER')\nprint('LEARNED')",
    "pathlib": "import pathlib\nif pathlib.Path('SECRET').is_file(): print('LEARNED')",
    "pathlib's owner": "import pathlib\nprint('LEARNED', pathlib.Path('SECRET').owner())",
    "the search for a module": (
        "import importlib.util, sys\nsys.path.insert(0, 'FOLDER')\n"
        "if importlib.util.find_spec('wave_of_the_test'): print('LEARNED')"
    ),
    "shutil.which": "import shutil\nif shutil.which('sh', path='/bin'): print('LEARNED')",
    "shutil.disk_usage": "import shutil\nprint('LEARNED', shutil.disk_usage('/'))",
    "linecache": (
        "import linecache\nlinecache.cache['SECRET'] = (19, 817_263_541.0, ['x'], 'SECRET')\n"
        "linecache.cache['FOLDER/none'] = (19, 817_263_541.0, ['x'], 'FOLDER/none')\nlinecache.checkcache()\n"
        "if ('SECRET' in linecache.cache) != ('FOLDER/none' in linecache.cache):\n    print('LEARNED')"
    ),
    "the words of an error": (
        "def error(path):\n    try: open(path)\n    except OSError as e: return e.errno\n"
        "if error('SECRET/x') != error('FOLDER/none/x'): print('LEARNED')"
    ),
    "the words of a program's error": (
        "import os\ndef error(path):\n    try: os.execv(path, ['x'])\n    except OSError as e: return e.errno\n"
        "if error('SECRET') != error('FOLDER/none'): print('LEARNED')"
    ),
    "a place that is taken": (
        "import os\ndef error(path):\n    try: os.mkdir(path)\n    except OSError as e: return e.errno\n"
        "if error('FOLDER/link') != error('FOLDER/none/x'): print('LEARNED')"
    ),
    "a file that can't be removed": (
        "import os\ndef error(path):\n    try: os.rmdir(path)\n    except OSError as e: return e.errno\n"
        "if error('SECRET') != error('FOLDER/none'): print('LEARNED')"
    ),
    "C's access": (
        "import ctypes\nif ctypes.CDLL(None).access(b'SECRET', 0) != ctypes.CDLL(None).access(b'FOLDER/none', 0):\n"
        "    print('LEARNED')"
    ),
}

# call -> its numbers on x86-64 and on aarch64 (None: there is none), and its arguments, PATH for the place
_CALLS = {
    "stat": (4, None, "PATH, buffer"),
    "lstat": (6, None, "PATH, buffer"),
    "access": (21, None, "PATH, 0"),
    "readlink": (89, None, "PATH, buffer, 99"),
    "newfstatat": (262, 79, "-100, PATH, buffer, 0"),
    "newfstatat of no link": (262, 79, "-100, PATH, buffer, 0x100"),
    "newfstatat with AT_EMPTY_PATH": (262, 79, "-100, PATH, buffer, 0x1000"),
    "newfstatat of the pipe with AT_EMPTY_PATH": (262, 79, "3, PATH, buffer, 0x1000"),
    "statx": (332, 291, "-100, PATH, 0, 0x7FF, buffer"),
    "statx with AT_EMPTY_PATH": (332, 291, "-100, PATH, 0x1000, 0x7FF, buffer"),
    "faccessat": (269, 48, "-100, PATH, 0"),
    "faccessat2": (439, 439, "-100, PATH, 0, 0"),
    "readlinkat": (267, 78, "-100, PATH, buffer, 99"),
    "statfs": (137, 43, "PATH, buffer"),
    "getxattr": (191, 8, "PATH, b'user.x', buffer, 99"),
    "listxattr": (194, 11, "PATH, buffer, 99"),
    "name_to_handle_at": (303, 264, "-100, PATH, handle, buffer, 0"),
    "open for the path only": (257, 56, "-100, PATH, 0x200000, 0"),
    "openat2": (437, 437, "-100, PATH, zeros, 24"),
    "open_tree": (428, 428, "-100, PATH, 0"),
    "chdir": (80, 49, "PATH"),
    "fchmodat": (268, 53, "-100, PATH, 0o600"),
    "fchownat": (260, 54, "-100, PATH, -1, -1, 0"),
    "renameat2 without replacing": (316, 276, "-100, PATH, -100, PATH, 1"),
    "linkat": (265, 37, "-100, PATH, -100, b'FOLDER/link', 0"),
    "unlinkat as a folder": (263, 35, "-100, PATH, 0x200"),
    "mknodat": (259, 33, "-100, PATH + b'/x', 0o10600, 0"),
    "mkdirat": (258, 34, "-100, PATH + b'/x', 0o700"),
    "execve": (59, 221, "PATH + b'/x', None, None"),
    "mount": (165, 40, "PATH, PATH + b'/x', PATH, 0, None"),
    "umount2": (166, 39, "PATH + b'/x', 0"),
    "chroot": (161, 51, "PATH + b'/x'"),
}
_ASK = """import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
buffer, zeros = ctypes.create_string_buffer(8192), ctypes.create_string_buffer(24)
handle = (ctypes.c_uint32 * 64)(128)
is_arm = 'aarch64' in sys.implementation._multiarch
def ask(*given):
    ctypes.set_errno(0)
    given = [ctypes.c_long(each) if type(each) is int else each for each in given]
    return libc.syscall(ctypes.c_long({number}), *given) < 0, ctypes.get_errno()
answers = []
for PATH in (b'SECRET', b'FOLDER/none'):
    answers.append(ask({arguments}))
if answers[0] != answers[1]: print('LEARNED', answers)
"""


def _call(number: int, on_arm: int | None, arguments: str) -> str:
    """The call by its number; on aarch64 one that it lacks asks by `newfstatat`."""
    if on_arm is None:
        other = "-100, PATH, buffer, 0"
        return _ASK.format(number=f"79 if is_arm else {number}", arguments=f"*([{other}] if is_arm else [{arguments}])")
    return _ASK.format(number=f"{on_arm} if is_arm else {number}", arguments=arguments)


_FIND = "import sys\ndef say(*texts):\n    for text in texts:\n        if '/' in str(text): print(str(text)[:500])\n"
_PLACES = {
    "sys.path": f"{_FIND}say(*sys.path, *sys.path_importer_cache)",
    "sys.executable": f"{_FIND}say(sys.executable, sys._base_executable, sys.argv, sys.orig_argv)",
    "sys.prefix": f"{_FIND}say(sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, sys._stdlib_dir)",
    "the files of modules": (
        f"{_FIND}for m in list(sys.modules.values()): say(vars(m).get('__file__'), vars(m).get('__cached__'))"
    ),
    "the folders of packages": f"{_FIND}for m in list(sys.modules.values()): say(*getattr(m, '__path__', ()))",
    "the origin of modules": (
        f"{_FIND}for m in list(sys.modules.values()):\n    s = getattr(m, '__spec__', None)\n"
        "    if s: say(s.origin, s.cached, s.loader_state, getattr(s.loader, 'path', ''))"
    ),
    "the loaders of modules": (
        f"{_FIND}for m in list(sys.modules.values()): say(getattr(getattr(m, '__loader__', None), 'path', ''))"
    ),
    "how modules are shown": f"{_FIND}for m in list(sys.modules.values()): say(repr(m))",
    "the names of code": (
        f"{_FIND}import gc, types\ngc.unfreeze()\nfor o in gc.get_objects():\n"
        "    if type(o) is types.FunctionType: say(o.__code__.co_filename)"
    ),
    "a traceback of the worker": (
        f"{_FIND}import traceback\nf = sys._getframe()\nwhile f:\n    say(f.f_code.co_filename)\n    f = f.f_back\n"
        "say(*traceback.format_stack())"
    ),
    "a warning of the worker": (
        f"{_FIND}import warnings\nfor m in list(sys.modules.values()):\n    say(*getattr(m, '__warningregistry__', ()))"
    ),
    "what lines were kept": f"{_FIND}import linecache\nsay(*linecache.cache)",
    "what parameters are by default": (
        f"{_FIND}import gc, types\ngc.unfreeze()\nfor o in gc.get_objects():\n"
        "    if type(o) is types.FunctionType: say(*(o.__defaults__ or ()))"
    ),
    "everything that the collector has": (
        "import gc\ngc.unfreeze()\nseen, said, waiting = set(), set(), list(gc.get_objects())\n"
        "while waiting:\n    o = waiting.pop()\n    if id(o) in seen: continue\n    seen.add(id(o))\n"
        "    if type(o) in (str, bytes):\n        t = o if type(o) is str else o.decode(errors='replace')\n"
        "        if t.count('/') > 2 and len(t) < 300 and ' ' not in t and '://' not in t: said.add(t)\n"
        "    elif o is not waiting and o is not seen: waiting += gc.get_referents(o)\n"
        "print(*sorted(said), sep='\\n')"
    ),
    "sysconfig": f"{_FIND}import sysconfig\nsay(*sysconfig.get_paths().values())",
}

ASKING: list[Attack] = [
    *listed("Asking what is there, by Python", _BY_PYTHON, freely=True),
    *listed("Asking what is there, by calls", {name: _call(*call) for name, call in _CALLS.items()}, freely=True),
    *listed("Asking where the program is", _PLACES, freely=True),
]
