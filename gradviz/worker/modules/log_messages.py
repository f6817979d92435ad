"""`import logging` for scripts that report their progress with it: messages go where print's text goes.

Loggers, levels, and the % style of formats exist here; files, servers and configuration by text do not. Python's own
module keeps loggers for the whole process, so nothing of it is used. At the end, `import wandb`, whose log stays in the
run. Next: `standard_modules`, which offers both."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from gradviz.worker.language.guard import Guard
from gradviz.worker.language.stand_in import stand_in
from gradviz.worker.modules.plots.facade import accept
from gradviz.worker.objects.arguments import keep_methods

LEVELS = {"CRITICAL": 50, "FATAL": 50, "ERROR": 40, "WARNING": 30, "WARN": 30, "INFO": 20, "DEBUG": 10, "NOTSET": 0}
_NAMES = {50: "CRITICAL", 40: "ERROR", 30: "WARNING", 20: "INFO", 10: "DEBUG", 0: "NOTSET"}
_FORMAT = "%(levelname)s:%(name)s:%(message)s"
_TIME = "%Y-%m-%d %H:%M:%S"
Writer = Callable[[str, str], None]


class Formatter:
    """The format of a message."""

    __slots__ = ("_format", "_times")

    def __init__(self, fmt: str | None = None, datefmt: str | None = None, style: str = "%") -> None:
        if style != "%":
            raise ValueError("only the % style of formats is available in GradViz snippets")
        self._format = str.__str__(fmt or "%(message)s")
        self._times = None if datefmt is None else str.__str__(datefmt)

    def text(self, logger: str, level: int, message: str) -> str:
        """Return the line to print."""
        now = time.time()
        stamp = time.strftime(self._times or _TIME, time.localtime(now))
        return self._format % {
            "message": message,
            "name": logger,
            "levelname": _NAMES.get(level, f"Level {level}"),
            "levelno": level,
            "asctime": stamp if self._times else f"{stamp},{int(now % 1 * 1000):03d}",
            "module": "snippet",
            "filename": "snippet.py",
            "funcName": "<module>",
            "lineno": 0,
            "process": 0,
        }


@keep_methods
class StreamHandler:
    """Where messages go: the error stream, or the given stream."""

    __slots__ = ("_formatter", "_level", "_send")

    def __init__(self, send: Callable[[str], object], formatter: Formatter | None = None) -> None:
        self._send = send
        self._formatter = formatter or Formatter()
        self._level = 0

    def setFormatter(self, fmt: Formatter) -> None:
        """Format messages with this formatter."""
        if isinstance(fmt, Formatter):
            self._formatter = fmt

    def setLevel(self, level: object) -> None:
        """Ignore messages below this level."""
        self._level = _number(level)

    def take(self, logger: str, level: int, message: str) -> None:
        """Print a message if its level is high enough."""
        if level >= self._level:
            self._send(self._formatter.text(logger, level, message) + "\n")


class Logger:
    """A logger by name; without a level or handler of its own, it uses the root's."""

    __slots__ = ("_fallback", "_handlers", "_level", "_root", "name", "propagate")

    def __init__(self, name: str, root: Logger | None, fallback: StreamHandler) -> None:
        self.name = name
        self.propagate = True
        self._root = root
        self._fallback = fallback
        self._level = 0 if root else LEVELS["WARNING"]
        self._handlers: list[StreamHandler] = []

    def setLevel(self, level: object) -> None:
        """Ignore messages below this level."""
        self._level = _number(level)

    def getEffectiveLevel(self) -> int:
        """Return the level that applies: its own, or else the root's."""
        return self._level or (self._root._level if self._root else 0)

    def isEnabledFor(self, level: object) -> bool:
        """Whether a message of this level is printed."""
        return _number(level) >= self.getEffectiveLevel()

    def addHandler(self, handler: object) -> None:
        """Send messages there, too."""
        if isinstance(handler, StreamHandler):
            self._handlers.append(handler)

    def removeHandler(self, handler: object) -> None:
        """Stop sending messages there."""
        self._handlers = [each for each in self._handlers if each is not handler]

    @property
    def handlers(self) -> list[StreamHandler]:
        """Where messages go."""
        return list(self._handlers)

    def hasHandlers(self) -> bool:
        """Whether messages go anywhere."""
        return bool(self._handlers or (self._root and self._root._handlers))

    def log(self, level: object, msg: object, *args: object, exc_info: object = None) -> None:
        """Log a message at a level."""
        number = _number(level)
        if number < self.getEffectiveLevel():
            return
        by_name = len(args) == 1 and type(args[0]) is dict and args[0]
        text = str(msg) % (by_name or args) if args else str(msg)
        passed_on = self._root._handlers if self._root and self.propagate else []
        for handler in [*self._handlers, *passed_on] or [self._fallback]:
            handler.take(self.name, number, str.__str__(text))

    def debug(self, msg: object, *args: object, exc_info: object = None) -> None:
        """Log a message for debugging."""
        self.log(10, msg, *args)

    def info(self, msg: object, *args: object, exc_info: object = None) -> None:
        """Log a message that confirms normal operation."""
        self.log(20, msg, *args)

    def warning(self, msg: object, *args: object, exc_info: object = None) -> None:
        """Log a message that something may be wrong."""
        self.log(30, msg, *args)

    warn = warning

    def error(self, msg: object, *args: object, exc_info: object = None) -> None:
        """Log a message that something is wrong."""
        self.log(40, msg, *args)

    exception = error

    def critical(self, msg: object, *args: object, exc_info: object = None) -> None:
        """Log a message that the program can't continue."""
        self.log(50, msg, *args)

    fatal = critical


for _class in (Formatter, StreamHandler, Logger):
    _class.__module__ = "logging"


def _number(level: Any) -> int:
    if isinstance(level, str):
        if str.__str__(level) not in LEVELS:
            raise ValueError(f"Unknown level: {str.__str__(level)!r}")
        return LEVELS[str.__str__(level)]
    return int(level)


def logging_module(guard: Guard, write: Writer) -> object:
    """Return the stand-in for logging for one run."""
    own: type[Logger] = guard.adopt(type("Logger", (Logger,), {"__module__": "logging"}))

    def to_errors(text: str) -> None:
        write("err", text)

    root = own("root", None, StreamHandler(to_errors))
    others: dict[str, Logger] = {}

    def stream_handler(stream: Any = None) -> StreamHandler:
        return StreamHandler(to_errors if stream is None else stream.write)

    def get_logger(name: str | None = None) -> Logger:
        if not name:
            return root
        plain = str.__str__(name)
        return others.setdefault(plain, own(plain, root, StreamHandler(to_errors)))

    def basic_config(
        *,
        level: object = None,
        format: str | None = None,
        datefmt: str | None = None,
        stream: object = None,
        handlers: Any = None,
        force: bool = False,
        filename: str | None = None,
        style: str = "%",
    ) -> None:
        if filename is not None:
            raise PermissionError("a log file is not available in GradViz snippets; leave filename out")
        if force:
            root._handlers.clear()
        if not root._handlers:
            for handler in handlers or [stream_handler(stream)]:
                if handlers is None or format is not None:
                    handler.setFormatter(Formatter(format or _FORMAT, datefmt, style))
                root.addHandler(handler)
            if level is not None:
                root.setLevel(level)

    def through_root(name: str) -> Callable[..., None]:
        def call(*given: object, **options: object) -> None:
            if not root._handlers:
                basic_config()
            getattr(root, name)(*given, **options)

        return call

    shorthands = "debug info warning error exception critical fatal log".split()
    names: dict[str, object] = {**LEVELS, **{name: through_root(name) for name in shorthands}}
    names |= {"getLogger": get_logger, "basicConfig": basic_config, "StreamHandler": stream_handler}
    names |= {"Formatter": Formatter, "Logger": own, "NullHandler": lambda: StreamHandler(lambda text: None)}
    names |= {
        "getLevelName": lambda level: _NAMES.get(level, f"Level {level}"),
        "captureWarnings": lambda capture: None,
    }
    return stand_in("logging", names)


# --- a log of experiments ---

_LOG = "log finish watch log_artifact log_code save alert define_metric login mark_preempting unwatch"
_LOGGED = "Image Histogram Table Video Html Audio Artifact Object3D"
_KEPT_HERE = "wandb sends nothing here: what is logged stays in the run, and GradViz shows it step by step.\n"


class LogSettings(dict[str, object]):
    """`wandb.config`: a table whose keys are also attributes."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("_") or not dict.__contains__(self, name):
            raise AttributeError(f"wandb.config has no {name}")
        return dict.__getitem__(self, name)

    def __setattr__(self, name: str, value: object) -> None:
        dict.__setitem__(self, str.__str__(name), value)


class LogRun:
    """What `wandb.init` returns."""

    def __init__(self, config: object, summary: object) -> None:
        self.config, self.summary = config, summary
        self.id = self.name = "run"
        self.url, self.dir = "", "wandb"

    def __enter__(self) -> LogRun:
        return self

    def __exit__(self, *error: object) -> None:
        pass


for _name in _LOG.split():
    setattr(LogRun, _name, staticmethod(accept))


def experiments_module(guard: Guard, write: Writer) -> object:
    """Return `wandb`, which accepts everything, sends nothing, and says so once."""
    kinds = [guard.adopt(type(each.__name__, (each,), {"__module__": "wandb"})) for each in (LogSettings, LogRun)]
    table = kinds[0]()
    run = kinds[1](table, kinds[0]())
    said: list[bool] = []

    def init(*given: object, config: object = None, **how: object) -> object:
        if not said:
            said.append(True)
            write("err", _KEPT_HERE)
        if config is not None:
            dict.update(table, config if isinstance(config, dict) else guard.vars(config))
        return run

    names = dict.fromkeys(f"{_LOG} {_LOGGED}".split(), accept)
    return stand_in("wandb", names | {"config": table, "summary": run.summary, "init": init, "run": run})
