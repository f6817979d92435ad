"""The second half of the snippet of `hostile_calls`: what is called with the objects of the first, `hostile_snippet`.
`one(seed)` is one try, and all that happens in it follows from the seed."""
# ruff: noqa
# mypy: ignore-errors

# --- what is tried ---

BUILTINS = [
    (f.__name__, f)
    for f in (
        abs,
        all,
        any,
        ascii,
        bin,
        bool,
        bytearray,
        bytes,
        callable,
        chr,
        complex,
        dict,
        divmod,
        enumerate,
        filter,
        float,
        format,
        frozenset,
        hex,
        int,
        isinstance,
        issubclass,
        iter,
        len,
        list,
        map,
        max,
        min,
        next,
        oct,
        ord,
        pow,
        property,
        range,
        repr,
        reversed,
        round,
        set,
        slice,
        sorted,
        staticmethod,
        classmethod,
        str,
        sum,
        tuple,
        zip,
        print,
        getattr,
        hasattr,
        setattr,
        delattr,
        vars,
        dir,
        hash,
        id,
        open,
    )
] + [("type", type)]
FUNCTIONS = [
    (f"{name}.{each}", getattr(module, each))
    for name, module in MODULES
    for each in dir(module)
    if callable(getattr(module, each, None))
    and f"{name}.{each}" not in ("time.sleep", "sys.exit", "timeit.timeit", "timeit.repeat")
]
ARRAYS = [
    (f"{name}.{each}", getattr(module, each))
    for name, module in (
        ("np", np),
        ("torch", torch),
        ("F", torch.nn.functional),
        ("np.linalg", np.linalg),
        ("np.random", np.random),
        ("Image", Image),
        ("transforms", torchvision.transforms),
    )
    for each in dir(module)
    if callable(getattr(module, each, None)) and each not in ("set_default_device", "seed")
]
EXCEPTIONS = [
    (f.__name__, f)
    for f in (
        BaseException,
        Exception,
        ValueError,
        KeyError,
        OSError,
        SyntaxError,
        UnicodeDecodeError,
        UnicodeEncodeError,
        UnicodeTranslateError,
        ImportError,
        StopIteration,
        SystemExit,
        AttributeError,
        NameError,
        ExceptionGroup,
        BaseExceptionGroup,
        BlockingIOError,
    )
]


def into(v, x):
    v[x] = thing()


def out_of(v, x):
    del v[x]


def part(v, x):
    v[x : thing() : thing()] = thing()


def no_part(v, x):
    del v[x : thing()]


def added(v, x):
    v += x
    return v


def multiplied(v, x):
    v *= x
    return v


def joined(v, x):
    v |= x
    return v


def met_with(v, x):
    v &= x
    return v


def differing(v, x):
    v ^= x
    return v


def less(v, x):
    v -= x
    return v


def unpacked(v, x):
    a, *b = v
    return b


def matched(v, x):
    match v:
        case [a, *b]:
            return b
        case {"a": a, **b}:
            return b
        case Point(a, b) | Pair(a, b):
            return a
        case int() | str() | list():
            return 1
        case _:
            return x


def raised(v, x):
    try:
        raise v from x
    except Exception as e:
        return e


def called(v, x):
    def f(*given, **named):
        return given, named

    return f(*v, **x) if below(2) else f(*x, **v)


def within(v, x):
    with v as each:
        return each


def thrown(v, x):
    g = generated()
    next(g)
    return g.throw(v)


def delegated(v, x):
    def go():
        return (yield from v)

    return [each for each, _ in zip(go(), range(9))]


OPERATORS = [
    ("v + x", lambda v, x: v + x),
    ("v - x", lambda v, x: v - x),
    ("v * x", lambda v, x: v * x),
    ("v / x", lambda v, x: v / x),
    ("v // x", lambda v, x: v // x),
    ("v % x", lambda v, x: v % x),
    ("v @ x", lambda v, x: v @ x),
    ("v | x", lambda v, x: v | x),
    ("v & x", lambda v, x: v & x),
    ("v ^ x", lambda v, x: v ^ x),
    ("v == x", lambda v, x: v == x),
    ("v != x", lambda v, x: v != x),
    ("v < x", lambda v, x: v < x),
    ("v >= x", lambda v, x: v >= x),
    ("x in v", lambda v, x: x in v),
    ("v[x]", lambda v, x: v[x]),
    ("v[x:]", lambda v, x: v[x : thing() : thing()]),
    ("v[x] =", into),
    ("del v[x]", out_of),
    ("v[x:] =", part),
    ("del v[x:]", no_part),
    ("v += x", added),
    ("v *= x", multiplied),
    ("v |= x", joined),
    ("v &= x", met_with),
    ("v ^= x", differing),
    ("v -= x", less),
    ("a, *b = v", unpacked),
    ("match v", matched),
    ("raise v", raised),
    ("f(*v)", called),
    ("with v", within),
    ("throw", thrown),
    ("yield from", delegated),
    ("f-string", lambda v, x: f"{v!r:{x}} {v} {x!s}"),
    ("str of", lambda v, x: "%s %r %5.2f" % (v, x, v)),
    ("format", lambda v, x: "{0} {1!r} {0:{1}}".format(v, x)),
    ("*", lambda v, x: [*v, *x]),
    ("{*}", lambda v, x: {*v, *x}),
    ("{**}", lambda v, x: {**v, **x}),
    ("join", lambda v, x: ",".join(v)),
    ("bytes join", lambda v, x: bytearray(b",").join(v)),
    ("hash", lambda v, x: hash((v, x))),
    ("not", lambda v, x: not v),
    ("-v", lambda v, x: -v),
    ("for", lambda v, x: [each for each, _ in zip(v, range(9))]),
    ("nested ==", lambda v, x: [v, x] == [x, v]),
    ("nested <", lambda v, x: (v, x) < (x, v)),
    ("nested repr", lambda v, x: repr([v, {1: x}, (v,)])),
    ("== of tables", lambda v, x: {1: v} == {1: x}),
    ("set of", lambda v, x: {v, x} == {x, v}),
    ("x in tables", lambda v, x: {v: 1}.get(x)),
    ("sort", lambda v, x: put([v, x, v]).sort(key=pick((None, function)))),
    ("% of", lambda v, x: x % v),
    ("items", lambda v, x: {1: v}.items() & {1: x}.items()),
    ("keys", lambda v, x: {v: 1}.keys() | x),
    ("views", lambda v, x: {1: v}.values() == x),
    ("isdisjoint", lambda v, x: {v: 1}.keys().isdisjoint(x)),
]
NAMED = [
    lambda f: f(thing(), key=function),
    lambda f: f(thing(), thing(), default=thing()),
    lambda f: f(thing(), thing(), strict=thing()),
    lambda f: f(*thing(), **{"a": thing()}),
    lambda f: f(thing(), default=function, indent=thing(), sort_keys=thing()),
    lambda f: f(thing(), sep=thing(), end=thing(), file=thing()),
    lambda f: f(thing(), key=function, reverse=thing()),
    lambda f: f(iterable=thing(), maxlen=thing()),
]


def leaf_or_same(n):
    return pick((hostile, H0, lambda: new_list(), lambda: running(iter(new_list()))))()


def arguments():
    return [pick((thing, thing, leaf_or_same))(0) for _ in range(pick((0, 1, 1, 1, 2, 2, 2, 3, 3, 4)))]


def chosen():
    """What is done, as a text and a function without arguments."""
    kind = below(10)
    if kind < 2:
        name, f = pick(BUILTINS if below(4) else EXCEPTIONS)
    elif kind < 4:
        name, f = pick(FUNCTIONS)
    elif kind == 4 and below(2):
        name, f = pick(ARRAYS)
    elif kind < 8:
        maker = pick(CONTAINERS)
        v, x = maker(0), pick((maker, thing, leaf_or_same))(0)
        name, f = pick(OPERATORS)
        return f"{name} of {type(v).__name__} and {type(x).__name__}", lambda: f(v, x)
    else:
        v = pick(CONTAINERS)(0)
        names = [each for each in dir(v) if callable(getattr(v, each, None))]
        if not names:
            return "nothing", lambda: None
        name = pick(names)
        f, name = getattr(v, name), f"{type(v).__name__}.{name}"
        if below(2):
            v = None
    if below(8) == 0:
        way = pick(NAMED)
        return f"{name} with names", lambda: way(f)
    given = arguments()
    return f"{name}({', '.join(type(each).__name__ for each in given)})", lambda: f(*given)


def use(found, level=0):
    look(found)
    if level > 1:
        return
    for way in (
        repr,
        iter,
        lambda r: next(r),
        lambda r: next(r),
        lambda r: r == r,
        hash,
        len,
        lambda r: list(zip(r, range(4))),
        lambda r: copy.copy(r),
    ):
        try:
            look(way(found))
        except Exception:
            pass
    for _ in range(2):
        try:
            names = [each for each in dir(found)]
            method = getattr(found, pick(names))
            look(method)
            if callable(method):
                use(method(*arguments()), level + 1)
        except Exception:
            pass


def look(found):
    """An address, or an object of what lies behind."""
    if type(found) is int:
        if found == hash(frozenset()) or 0 <= time.monotonic_ns() - found < 10_000_000_000:  # a clock
            return
        if 0x500000000000 < found < 0x800000000000 or 0x50000000000 < found < 0x80000000000:
            tell("an address", found)
    elif type(found) is str:
        for each in re.findall("0x([0-9a-f]{6,})", found[:3000]):
            if not 0x10000000000 <= int(each, 16) < 0x10010000000:
                tell("an address in a text", found[:200])
    elif type(found) in (tuple, list):
        for each in found[:5]:
            look(each)
    else:
        try:
            kind = f"{type(found).__module__}.{type(found).__name__}"
        except TypeError:
            return tell("an object of NumPy's own")
        inside = kind.startswith(("gradviz.engine.kernel", "gradviz.engine.run", "gradviz.trace"))
        if inside or kind in ("builtins.frame", "builtins.code", "builtins.module", "builtins.traceback"):
            tell("an object", kind)


def tell(*what):
    told.append(" ".join(map(str, what)))


told = []


def one(seed, say):
    global state, met, depth, when, every, deeds, active
    state, active, met, depth = seed * 2654435761 + 12345, False, 0, 0
    for _ in range(3):
        below(2)
    containers.clear()
    iterators.clear()
    endless.clear()
    told.clear()
    kept.clear()
    when, every = 1 + below(pick((1, 3, 6))), pick([1, 2, 10**9, 10**9])
    deeds = [pick(DEEDS)] + ([pick(DEEDS)] if below(3) == 0 else []) + [fill]
    try:
        name, call = chosen()
    except Exception as error:
        return "none", []
    if say is not None:
        say(f"{name}; {[each.__name__ for each in deeds]} at {when}, {every}")
    again[0] = lambda: call()
    active = True
    try:
        use(call())
    except Exception:
        pass
    active = False
    return name, list(told)
