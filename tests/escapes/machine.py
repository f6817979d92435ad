"""Plain Python that does harm where nothing holds it: it reads SECRET, changes FOLDER, connects to PORT, ends VICTIM.

The harness puts real things in these places and looks at them afterwards, so an attack need not say that it succeeded,
but by LEARNED that it knows something of the world outside. All but one are tried where nothing is locked, too.
"""

from __future__ import annotations

from tests.escapes.attack import Attack, listed

_FILES = {
    "read": "print(open('SECRET').read())",
    "read by io": "import io\nprint(io.open('SECRET').read())",
    "read by a descriptor": "import os\nprint(os.read(os.open('SECRET', os.O_RDONLY), 99))",
    "read by pathlib": "import pathlib\nprint(pathlib.Path('SECRET').read_text())",
    "read by codecs": "import codecs\nprint(codecs.open('SECRET').read())",
    "read by linecache": "import linecache\nprint(linecache.getlines('SECRET'))",
    "read by fileinput": "import fileinput\nprint(list(fileinput.input('SECRET')))",
    "read by tokenize": "import tokenize\nprint(tokenize.open('SECRET').read())",
    "read by a loader": (
        "import importlib.machinery as m\nprint(m.SourceFileLoader('x', 'SECRET').get_data('SECRET'))"
    ),
    "read by mmap": "import mmap, os\nprint(mmap.mmap(os.open('SECRET', 0), 0, prot=1)[:])",
    "read by way of the own process": "print(open('/proc/self/rootSECRET').read())",
    "run a file": "import runpy\nprint(runpy.run_path('FOLDER/wave_of_the_test.py')['word'])",
    "list a folder": "import os\nprint('LEARNED', os.listdir('FOLDER'))",
    "find files": "import glob\nassert glob.glob('FOLDER/*')\nprint('LEARNED')",
    "write": "open('FOLDER/new', 'w').write('x')",
    "append": "open('SECRET', 'a').write('x')",
    "truncate": "import os\nos.truncate('SECRET', 0)",
    "remove": "import os\nos.remove('SECRET')",
    "rename": "import os\nos.rename('SECRET', 'FOLDER/other')",
    "link": "import os\nos.symlink('SECRET', 'FOLDER/other')",
    "hard link": "import os\nos.link('SECRET', 'FOLDER/hard')",
    "make a folder": "import os\nos.makedirs('FOLDER/a/b')",
    "remove a tree": "import shutil\nshutil.rmtree('FOLDER')",
    "copy": "import shutil\nshutil.copy('SECRET', 'FOLDER/copy')",
    "change the mode": "import os\nos.chmod('SECRET', 0o777)",
    "a pipe with a name": "import os\nos.mkfifo('FOLDER/fifo')",
    "a temporary file": "import tempfile\ntempfile.NamedTemporaryFile(dir='FOLDER', delete=False).write(b'x')",
    "a database": "import sqlite3\nsqlite3.connect('FOLDER/db').execute('create table t (x)')",
    "a log file": "import logging\nlogging.basicConfig(filename='FOLDER/log')\nlogging.error('x')",
    "an archive": "import zipfile\nzipfile.ZipFile('FOLDER/z.zip', 'w').writestr('a', 'b')",
    "a core dump": "import faulthandler\nfaulthandler.dump_traceback(open('FOLDER/trace', 'w'))",
}
_PROCESSES = {
    "a program": "import subprocess\nsubprocess.run(['touch', 'FOLDER/made'])",
    "a shell": "import os\nos.system('touch FOLDER/made')",
    "a shell's output": "import os\nprint(os.popen('cat SECRET').read())",
    "fork": "import os\nif os.fork() == 0:\n    open('FOLDER/child', 'w'); os._exit(0)\nprint('LEARNED')",
    "a fork bomb": "import os\nfor _ in range(3): os.fork()\nprint('LEARNED')",
    "a fork bomb that catches": (
        "import os\nn = 0\nfor _ in range(3):\n    try: os.fork(); n += 1\n    except Exception: pass\n"
        "if n: print('LEARNED')"
    ),
    "vfork and exec": "import os\nos.waitpid(os.posix_spawn('/bin/touch', ['touch', 'FOLDER/made'], {}), 0)",
    "replace the process": (  # its pipe stays open and its timer silent, else it may end before it does anything
        "import os, signal\nfrom contextlib import suppress\n"
        "with suppress(Exception): signal.signal(signal.SIGALRM, signal.SIG_IGN)\nfor pipe in range(64):\n"
        "    with suppress(OSError): os.set_inheritable(pipe, True)\nos.execv('/bin/touch', ['touch', 'FOLDER/made'])"
    ),
    "multiprocessing": (
        "import multiprocessing as m\np = m.get_context('fork').Process(target=open, args=('FOLDER/m', 'w'))\n"
        "p.start(); p.join()"
    ),
    "a pool of processes": (
        "import concurrent.futures as c\n"
        "with c.ProcessPoolExecutor(1) as p: print('LEARNED', p.submit(abs, 1).result())"
    ),
    "a terminal": "import pty\npty.fork()\nprint('LEARNED')",
    "C's system()": "import ctypes\nctypes.CDLL(None).system(b'touch FOLDER/made')",
    "end a process": "import os\nos.kill(VICTIM, 9)",
    "end a process by its descriptor": "import os, signal\nsignal.pidfd_send_signal(os.pidfd_open(VICTIM), 9)",
    "end a process by C": "import ctypes\nctypes.CDLL(None).kill(VICTIM, 9)",
    "stop a process": "import os, signal\nos.kill(VICTIM, signal.SIGSTOP)",
    "end every process": "import os\nos.kill(-1, 0)\nprint('LEARNED')",
    "end the program": "import os\nos.kill(os.getppid(), 0)\nprint('LEARNED')",
    "slow a process down": "import os\nos.setpriority(os.PRIO_PROCESS, VICTIM, 19)\nprint('LEARNED')",
    "look into a process": "import ctypes\nif ctypes.CDLL(None).ptrace(16, VICTIM, 0, 0) == 0: print('LEARNED')",
    "read a process's memory": (
        "memory = open('/proc/VICTIM/mem', 'rb', 0)\n"
        "memory.seek(int(open('/proc/VICTIM/maps').readline().split('-')[0], 16))\nprint('LEARNED', memory.read(4))"
    ),
    "how long a process has computed": "import time\nprint('LEARNED', time.clock_gettime((~VICTIM << 3) | 2))",
}
_THREADS = {
    "a thread": "import threading\nt = threading.Thread(target=print, args=('ESCAPED',))\nt.start(); t.join()",
    "a bare thread": (
        "import _thread\nlock = _thread.allocate_lock()\nlock.acquire()\n"
        "_thread.start_new_thread(lambda: (print('ESCAPED'), lock.release()), ())\nlock.acquire(timeout=5)"
    ),
    "a thousand threads": (
        "import threading, time\nfor _ in range(1000): threading.Thread(target=time.sleep, args=(9,)).start()\n"
        "print('ESCAPED')"
    ),
    "a timer": "import threading\nt = threading.Timer(0, print, ('ESCAPED',))\nt.start(); t.join()",
    "a pool of threads": (
        "from concurrent.futures import ThreadPoolExecutor as P\n"
        "with P(1) as p: print(p.submit(str, 'ESCAPED').result())"
    ),
    "a loop of events": (
        "import asyncio\nasync def f(): return await asyncio.to_thread(str, 'ESCAPED')\nprint(asyncio.run(f()))"
    ),
}
_SIGNALS = {
    "deaf to the end": "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass",
    "deaf to the clock": "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True: pass",
    "an alarm without end": "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0)\nwhile True: pass",
    "end oneself": "import os\nos.kill(os.getpid(), 9)",
    "stop oneself": "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\nwhile True: pass",
    "leave without a word": "import os\nos._exit(0)",
    "crash": "import ctypes\nctypes.string_at(0)",
    "crash by faulthandler": "import faulthandler\nfaulthandler._sigsegv()",
    "abort": "import os\nos.abort()",
}
_NETWORK = {
    "connect": "import socket\nsocket.create_connection(('127.0.0.1', PORT), 1)",
    "connect by a descriptor": "import socket\nsocket.socket().connect_ex(('127.0.0.1', PORT))",
    "a datagram": "import socket\nsocket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', PORT))",
    "listen": "import socket\ns = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()\nprint('LEARNED')",
    "a local socket": "import socket\nsocket.socket(socket.AF_UNIX).bind('FOLDER/socket')",
    "an abstract socket": "import socket\nsocket.socket(socket.AF_UNIX).bind('\\0gradviz-test')\nprint('LEARNED')",
    "a raw socket": "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_RAW, 1)\nprint('LEARNED')",
    "a pair of sockets": "import socket\nsocket.socketpair()\nprint('ESCAPED')",
    "fetch a page": "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:PORT', timeout=1)",
    "fetch by http": "import http.client\nhttp.client.HTTPConnection('127.0.0.1', PORT, timeout=1).request('GET', '/')",
    "ask for an address": "import socket\nprint('LEARNED', socket.gethostbyname('localhost'))",
    "C's socket()": "import ctypes\nif ctypes.CDLL(None).socket(2, 1, 0) >= 0: print('ESCAPED')",
}
_ENVIRONMENT = {
    "environment": "import os\nprint(dict(os.environ))",
    "environment of a process": "print(open('/proc/VICTIM/environ').read())",
    "own environment as a file": "print(open('/proc/self/environ').read())",
    "command line of the program": "print('LEARNED', open('/proc/PARENT/cmdline').read())",
    "the user's name": "import getpass\nprint('LEARNED', getpass.getuser())",
    "the user's number": "import os\nprint('LEARNED', os.getuid()) if os.getuid() >= 0 else 0",
    "the user's home": "import os\nif os.path.expanduser('~root') != '~root': print('LEARNED')",
    "the password file": "import pwd\nprint('LEARNED', pwd.getpwuid(0))",
    "the machine's name": "print('LEARNED', open('/proc/sys/kernel/hostname').read())",
    "the machine's name by a call": "import os\nprint('LEARNED', os.uname())",
    "the machine's name by a socket": "import socket\nprint('LEARNED', socket.gethostname())",
    "the machine's name by what was kept": (
        "import platform\nif platform.uname_result and platform._uname_cache and platform._uname_cache.node:\n"
        "    print('LEARNED', platform._uname_cache)"
    ),
    "another user": "import os\nos.setuid(65534)\nprint('ESCAPED')",
    "another root": "import os\nos.chroot('FOLDER')\nprint('ESCAPED')",
    "higher limits": "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))\nprint('ESCAPED')",
    "the clipboard": "import tkinter\nprint('LEARNED', tkinter.Tk().clipboard_get())",
    "a module from a folder": (
        "import sys\nsys.path.insert(0, 'FOLDER')\nimport wave_of_the_test\nprint(wave_of_the_test.word)"
    ),
}
_PICKLES = {
    "a pickle that calls": ("import pickle\npickle.loads(b\"cos\\nsystem\\n(S'touch FOLDER/made'\\ntR.\")\n"),
    "a pickle that opens": "import pickle\nprint(pickle.loads(b\"cio\\nopen\\n(S'SECRET'\\ntR.\").read())",
    "an object that is copied": (
        "import copy\nclass A:\n    def __reduce__(self): return (open, ('FOLDER/made', 'w'))\ncopy.copy(A())"
    ),
    "an object that is saved": (
        "import pickle\nclass A:\n    def __reduce__(self): return (open, ('FOLDER/made', 'w'))\n"
        "pickle.loads(pickle.dumps(A()))"
    ),
    "marshalled code": (
        "import marshal, types\n"
        "code = marshal.loads(marshal.dumps(compile(\"open('FOLDER/made', 'w')\", 'x', 'exec')))\n"
        "types.FunctionType(code, {})()"
    ),
    "a shelf": "import shelve\nshelve.open('FOLDER/shelf')['a'] = 1",
    "torch.load of a pickle": (
        "import torch, io\nprint(torch.load(io.BytesIO(b\"cio\\nopen\\n(S'SECRET'\\ntR.\"), weights_only=False).read())"
    ),
    "torch.save to a disk": "import torch\ntorch.save([1], 'FOLDER/made')\nprint(open('FOLDER/made').read())",
    "torch.load of a file": "import torch\nprint(torch.load('SECRET', weights_only=False))",
}
_WALKS = {
    "os by the subclasses": (
        "for c in ().__class__.__base__.__subclasses__():\n    if c.__name__ == '_wrap_close':\n"
        "        c.__init__.__globals__['system']('touch FOLDER/made')\nprint('ESCAPED')"
    ),
    "open by the builtins of a function": (
        "def f(): pass\nprint(f.__globals__['__builtins__']['open']('SECRET').read())"
    ),
    "open by a frame": (
        "def g(): yield 1\nf = g().gi_frame\nprint('ESCAPED', f.f_globals)\n"
        "print(f.f_builtins['open']('SECRET').read())"
    ),
    "the caller's variables": (
        "import sys\nf = sys._getframe()\nwhile f: last, f = f, f.f_back\nprint('ESCAPED', last.f_globals)"
    ),
    "code that was changed": (
        "def f(): return 1\nf.__code__ = f.__code__.replace(co_consts=(None, 2))\nprint('ESCAPED', f())"
    ),
    "the collector's objects": "import gc\nprint('ESCAPED', len(gc.get_objects()))",
    "memory by ctypes": "import ctypes\nprint('ESCAPED', ctypes.string_at(id('a'), 8))",
    "memory written by ctypes": "import ctypes\nctypes.memset(id(12345678) + 24, 1, 1)\nprint('ESCAPED')",
    "memory by NumPy": (
        "import numpy as np\n"
        "class A: __array_interface__ = dict(shape=(8,), typestr='|u1', data=(id('a'), True), version=3)\n"
        "print('ESCAPED', np.array(A()))"
    ),
    "memory by strides": (
        "import numpy as np\nprint('ESCAPED', np.lib.stride_tricks.as_strided(np.ones(1), (9,), (8,)))"
    ),
    "globals by a format string": "def f(): pass\nprint('ESCAPED', '{0.__globals__}'.format(f))",
    "hooks of every step": (
        "import sys\nsys.settrace(lambda *a: None)\nsys.setprofile(lambda *a: None)\nprint('ESCAPED')"
    ),
    "a hook for the end": "import atexit\natexit.register(open, 'FOLDER/made', 'w')\nprint('ESCAPED')",
}
_NUMPY = {
    "np.load": "import numpy as np\nprint(np.load('FOLDER/secret.npy', allow_pickle=True).tobytes().decode())",
    "np.fromfile": "import numpy as np\nprint(np.fromfile('SECRET', 'u1').tobytes().decode())",
    "np.loadtxt": "import numpy as np\nprint(np.loadtxt('SECRET', dtype=str))",
    "np.loadtxt of a file": "import numpy as np\nprint(np.loadtxt(open('SECRET'), dtype=str))",
    "np.memmap": "import numpy as np\nprint(bytes(np.memmap('SECRET', 'u1', 'r')).decode())",
    "np.save": "import numpy as np\nnp.save('FOLDER/made', [1])",
    "np.savez": "import numpy as np\nnp.savez('FOLDER/made', [1])",
    "np.savetxt": "import numpy as np\nnp.savetxt('FOLDER/made', [1])",
    "tofile of an array": "import numpy as np\nnp.ones(3).tofile('FOLDER/made')",
    "dump of an array": "import numpy as np\nnp.ones(3).dump('FOLDER/made')",
    "a library by NumPy": (
        "import numpy as np\n"
        "np.ctypeslib.load_library('libc.so.6', '/lib/x86_64-linux-gnu').system(b'touch FOLDER/made')"
    ),
}  # fmt: skip

_HARMFUL = {"set the clock": "import time\ntime.clock_settime(time.CLOCK_REALTIME, 0)\nprint('LEARNED')"}

MACHINE: list[Attack] = [
    *listed("Files", _FILES, freely=True),
    *listed("Processes and fork bombs", _PROCESSES, freely=True),
    *listed("Threads", _THREADS, freely=True),
    *listed("Signals and sudden ends", _SIGNALS, True),
    *listed("Network", _NETWORK, freely=True),
    *listed("Environment and the system", _ENVIRONMENT, freely=True),
    *listed("Environment and the system", _HARMFUL),
    *listed("Pickles", _PICKLES, freely=True),
    *listed("Walks to what does harm", _WALKS, freely=True),
    *listed("NumPy's files", _NUMPY, freely=True),
]
