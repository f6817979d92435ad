"""The first half of the snippet of `hostile_calls`: objects, containers of them, and what they do at a bad moment. It is
not imported: it runs in a worker's language, with the classes of hostile objects in place of the line that says so."""
# ruff: noqa
# mypy: ignore-errors

state = 1


def below(n):
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 18446744073709551616
    return (state >> 33) % n


def pick(options):
    return options[below(len(options))]


containers, iterators, endless, met, depth, when, every, deeds, again, active, kept = (
    [],
    [],
    [],
    0,
    0,
    1,
    1,
    [],
    [None],
    False,
    [],
)


class Refused(Exception):
    pass


def act():
    global met, depth
    if not active:
        return
    met += 1
    if met > 300:
        raise Refused
    if depth >= 2 or (met != when and met % every):
        return
    depth += 1
    try:
        for deed in deeds:
            deed()
    except Exception:
        pass
    finally:
        depth -= 1


def answer(kind, self):
    act()
    if active and below(60) == 0:
        raise pick([Refused, ValueError, KeyError, IndexError, TypeError, StopIteration])
    told = pick(kind)
    return told(self) if told in MADE else told


def itself(self):
    return self


def another(self):
    return H0()


def other(self):
    return thing(2)


def some(self):
    return iter([H0(), H0(), 1])


def steps(self):
    return Steps()


def pairs(self):
    return iter([(H0(), H0()), (1, H0())])


def a_pair(self):
    return (H0(), H0())


def a_text(self):
    return "x" * below(90)


def stop(self):
    raise StopIteration


def out(self):
    raise IndexError if below(3) else KeyError


def a_list(self):
    return new_list()


MADE = (itself, another, other, some, steps, pairs, a_pair, a_text, stop, out, a_list)
LENGTHS = [0, 1, 2, 3, 3, 3, 50]
PLACES = [0, 0, 1, 1, 2, 2, 3, -1, 5, 65, 70]
TRUTHS = [True, False, False, True, False, False, NotImplemented, NotImplemented, another]
HASHES = [1] * 12 + [2, 2**61]
TEXTS = ["h", a_text, "", "x,y", a_text]
NUMBERS = [1.5, 0.0, float("nan"), 1, itself, another]
SUMS = [itself, another, another, 1, NotImplemented, NotImplemented, a_list]
MANY = [itself, some, steps, pairs, some, steps]
NEXT = [another, another, another, a_pair, 1, stop]
ITEMS = [another, another, out, a_pair, 1, out, other, a_list, steps, some]
NOTHING = [None, None, False, True]


class Steps:
    def __init__(self):
        self.left = below(6)

    def __iter__(self):
        return self

    def __len__(self):
        return answer(LENGTHS, self)

    def __next__(self):
        act()
        self.left -= 1
        if self.left < 0:
            raise StopIteration
        return pick(
            [H0, H1, lambda: (H0(), H0()), lambda: 1, lambda: "a", lambda: b"b", lambda: [H0()], lambda: (1, 2)]
        )()


# HERE ARE THE CLASSES
def hostile():
    return pick(CLASSES)() if below(3) else pick((H0, H1))()


def function(*given, **named):
    act()
    return pick((True, False, None, 1, 0, "a", H0, H1))() if False else answer(ITEMS, None)


def put(made):
    containers.append(made)
    return made


def running(made):
    iterators.append(made)
    return made


def going_on(made):
    endless.append(made)
    return itertools.islice(made, 30)


def new_list():
    return put([H0(), H1(), H0()])


def generated():
    for each in (H0(), H1(), 1, 2):
        act()
        yield each


LEAVES = [
    H0,
    H0,
    H0,
    H1,
    H1,
    hostile,
    hostile,
    hostile,
    Steps,
    lambda: function,
    lambda: below(4),
    lambda: pick((-1, 5, 65, 70)),
    lambda: pick(("", "a", "abc", "x,y", "%s %d", "{} {!r:>{}}", "h", "utf-8", "w", "r", "a.b", "(a)|b*")),
    lambda: pick((b"", b"a", b"abc" * 9)),
    lambda: None,
    lambda: pick((1.5, float("inf"), float("nan"))),
    lambda: 2j,
    lambda: pick((int, str, list, dict, H0, H1, ValueError)),
    lambda: Ellipsis,
    lambda: NotImplemented,
    lambda: True,
    lambda: pick(containers) if containers else [],
    lambda: pick(iterators) if iterators else iter(()),
]


def leaf():
    return pick(LEAVES)()


CONTAINERS = [
    lambda n: put([thing(n), H0(), H1()]),
    lambda n: put([H0(), H0(), H0(), H0()]),
    lambda n: put([3, 1, thing(n), 2]),
    lambda n: put({H0(): thing(n), 1: H1()}),
    lambda n: put({1: thing(n), "a": H0()}),
    lambda n: put({"a": 1, "b": thing(n)}),
    lambda n: put({H0(), H1(), 5}),
    lambda n: put(set([H0(), H0()])),
    lambda n: frozenset([H0(), H1(), 1]),
    lambda n: (thing(n), H0()),
    lambda n: (H0(), thing(n), 1),
    lambda n: put(collections.deque([H0(), thing(n), 2], 5)),
    lambda n: put(collections.deque([H0(), H1(), H0()])),
    lambda n: put(collections.OrderedDict([(H0(), thing(n)), (1, 2)])),
    lambda n: put(collections.defaultdict(function, {1: thing(n)})),
    lambda n: put(collections.Counter([H0(), 1, 1])),
    lambda n: put(collections.ChainMap({1: thing(n)}, {H0(): 2})),
    lambda n: put(bytearray(b"A" * (30 + below(90)))),
    lambda n: put(io.StringIO("a\nb,c\nd" * below(20))),
    lambda n: put(io.BytesIO(b"ab\nc" * below(20))),
    lambda n: put([bytearray(b"B" * 70), bytearray(b"C")]),
    lambda n: put([["b", thing(n)], [1, 2]]),
    lambda n: running(iter(new_list())),
    lambda n: running(map(function, new_list())),
    lambda n: going_on(iter(function, thing(n))),
    lambda n: running(filter(pick((function, None)), new_list())),
    lambda n: running(zip(new_list(), [1, 2, 3], strict=True)),
    lambda n: running(enumerate(new_list(), thing(n) if below(4) == 0 else 0)),
    lambda n: running(reversed(new_list())),
    lambda n: running(generated()),
    lambda n: running(iter(put({H0(): 1, 2: H0()}))),
    lambda n: running(iter(put({H0(), 1}))),
    lambda n: running(iter(put(collections.deque([H0(), 1])))),
    lambda n: running(iter(put({1: H0()}).items())),
    lambda n: going_on(iter(hostile())),
    lambda n: running(reversed(hostile())),
    lambda n: running(reversed(put({H0(): 1}))),
    lambda n: put({H0(): thing(n), 1: 2}).keys(),
    lambda n: put({1: thing(n), H0(): H0()}).values(),
    lambda n: put({1: thing(n)}).items(),
    lambda n: slice(thing(n), H0(), thing(n)),
    lambda n: functools.partial(function, thing(n), k=H0()),
    lambda n: functools.lru_cache(2)(function),
    lambda n: functools.lru_cache(None)(function),
    lambda n: functools.cmp_to_key(function)(thing(n)),
    lambda n: put([functools.cmp_to_key(function)(H0()) for _ in range(3)]),
    lambda n: operator.itemgetter(thing(n), 1),
    lambda n: operator.attrgetter("a"),
    lambda n: operator.methodcaller("pop", thing(n)),
    lambda n: types.SimpleNamespace(a=thing(n), b=H0()),
    lambda n: ValueError(thing(n), H0()),
    lambda n: KeyError(thing(n)),
    lambda n: OSError(1, "a", thing(n), None, H0()),
    lambda n: SyntaxError("a", (thing(n), 1, 2, "a")),
    lambda n: StopIteration(thing(n)),
    lambda n: UnicodeDecodeError("a", b"abc", 0, 1, "b"),
    lambda n: ImportError(thing(n), name=H0(), path=H0()),
    lambda n: ExceptionGroup("a", [ValueError(thing(n)), KeyError(H0())]),
    lambda n: AttributeError(thing(n), name="a", obj=H0()),
    lambda n: property(function, function),
    lambda n: staticmethod(hostile()),
    lambda n: classmethod(function),
    lambda n: list[thing(n)],
    lambda n: dict[H0(), thing(n)],
    lambda n: int | list[thing(n)],
    lambda n: typing.List[int],
    lambda n: re.compile("(a)|(?P<n>b)"),
    lambda n: re.match("(a)(?P<n>b)?", "ab"),
    lambda n: datetime.datetime(2020, 1, 2, tzinfo=Zone()),
    lambda n: datetime.date(2020, 1, 2),
    lambda n: datetime.time(1, 2, tzinfo=Zone()),
    lambda n: datetime.timedelta(1, 2),
    lambda n: Zone(),
    lambda n: datetime.timezone(datetime.timedelta(1), "a"),
    lambda n: random.Random(below(9)),
    lambda n: time.gmtime(0),
    lambda n: range(below(9), 70, 3),
    lambda n: range(3),
    lambda n: 5,
    lambda n: "a,b%s{}",
    lambda n: b"ab,c",
    lambda n: 2.5,
    lambda n: 1 + 2j,
    lambda n: True,
    lambda n: running(itertools.chain(new_list(), hostile())),
    lambda n: running(itertools.islice(new_list(), 2)),
    lambda n: going_on(itertools.cycle(new_list())),
    lambda n: running(itertools.tee(new_list())[0]),
    lambda n: running(itertools.tee(Steps(), 3)[1]),
    lambda n: running(itertools.groupby(new_list(), function)),
    lambda n: running(itertools.product(new_list(), [1])),
    lambda n: running(itertools.permutations(new_list())),
    lambda n: running(itertools.combinations(new_list(), 2)),
    lambda n: running(itertools.combinations_with_replacement(new_list(), 2)),
    lambda n: running(itertools.starmap(function, [(1, 2), (H0(),)])),
    lambda n: running(itertools.compress(new_list(), new_list())),
    lambda n: running(itertools.dropwhile(function, new_list())),
    lambda n: running(itertools.takewhile(function, new_list())),
    lambda n: running(itertools.filterfalse(function, new_list())),
    lambda n: running(itertools.accumulate(new_list(), function)),
    lambda n: running(itertools.zip_longest(new_list(), Steps(), fillvalue=H0())),
    lambda n: going_on(itertools.count(H0(), thing(n))),
    lambda n: running(itertools.repeat(thing(n), 3)),
    lambda n: running(itertools.pairwise(new_list())),
    lambda n: running(csv.reader(Steps())),
    lambda n: csv.writer(io.StringIO()),
    lambda n: running(csv.DictReader(["a,b", "1,2"])),
    lambda n: contextlib.ExitStack(),
    lambda n: contextlib.suppress(H0),
    lambda n: string,
    lambda n: np.arange(4.0),
    lambda n: np.array([H0(), 1], dtype=object) if below(2) else np.float64(1.5),
    lambda n: torch.ones(3),
    lambda n: torch.nn.Linear(1, 1).state_dict(),
    lambda n: super,
    lambda n: function,
    lambda n: len,
    lambda n: [].append,
    lambda n: hostile().__repr__,
    lambda n: put([]).__len__,
    lambda n: H0,
    lambda n: Color.RED,
    lambda n: Point(thing(n), 1),
    lambda n: Pair(thing(n), H0()),
    lambda n: memo(hostile()),
    lambda n: open("a", "w"),
    lambda n: pathlib.Path("a"),
    lambda n: argparse.ArgumentParser(),
    lambda n: typing.TypeVar("T"),
    lambda n: Image.new("L", (2, 2)),
]


class Zone(datetime.tzinfo if hasattr(datetime, "tzinfo") else H0):
    pass


class Color(enum.Enum):
    RED = 1
    BLUE = 2


Pair = collections.namedtuple("Pair", "a b")


@dataclasses.dataclass(order=True, unsafe_hash=True)
class Point:
    a: object
    b: object


def memo(key):
    made = functools.lru_cache(2)(lambda *given: function())
    try:
        made(key)
    except Exception:
        pass
    return made


def thing(n=0):
    if n >= 2 or below(3) == 0:
        return leaf()
    return pick(CONTAINERS)(n + 1)


# --- deeds ---


def wipe(each):
    for way in (lambda: each.clear(), lambda: each.truncate(0), lambda: each.close()):
        try:
            return way()
        except Exception:
            pass


def wipe_all():
    for each in list(containers):
        wipe(each)


def grow(each):
    for n in range(40):
        for way in (
            lambda: each.append(H0() if n % 2 else 65),
            lambda: each.add(n),
            lambda: each.__setitem__(n + 100, H0()),
            lambda: each.write("x" * 50),
        ):
            try:
                way()
                break
            except Exception:
                pass


def grow_all():
    for each in list(containers):
        grow(each)


def replace_all():
    for each in list(containers):
        try:
            for n in range(len(each)):
                each[n] = 5
        except Exception:
            pass


def fill():
    for n in (0, 8, 24, 32, 40, 64, 70, 100):
        kept.append([bytes(n) for _ in range(30)])
    kept.append([(1, n) for n in range(30)])
    kept.append([[n] for n in range(30)])
    kept.append([{n: 1} for n in range(9)])
    kept.append([float(n) for n in range(40)])
    if len(kept) > 40:
        kept.clear()


def drop():
    containers.clear()
    iterators.clear()
    endless.clear()


def step():
    for each in iterators + endless:
        next(each, None)


def run_out():
    for each in iterators + endless:
        for _ in range(9):
            next(each, None)


def enter():
    again[0]()


def pop_one():
    for each in list(containers):
        try:
            each.pop()
        except Exception:
            pass


def sort():
    for each in list(containers):
        try:
            each.sort()
        except Exception:
            pass


def swap():
    for each in list(containers):
        try:
            each.update({n: n for n in range(30)})
            each.pop(0)
        except Exception:
            pass


def restart():
    for each in list(containers):
        try:
            each[:] = [H0() for _ in range(2)]
        except Exception:
            pass


DEEDS = [
    wipe_all,
    wipe_all,
    wipe_all,
    grow_all,
    replace_all,
    drop,
    step,
    step,
    run_out,
    enter,
    enter,
    pop_one,
    swap,
    restart,
    sort,
]
