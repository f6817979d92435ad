"""A run as a page, its pieces, and the graph as data: what they say is what the window says."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import Counter
from functools import cache
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise, product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import av
import networkx
import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImageReader, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QApplication

from gradviz.document.documents import text_of
from gradviz.document.drawing import BackwardCall, Drawing, Leaf, Operation, Ref
from gradviz.document.errors import UserError
from gradviz.document.graph_data import dot_bytes, graphml_bytes, json_bytes
from gradviz.session.inspect.inspection import inspect
from gradviz.session.state import Selection, State
from gradviz.trace.table.trace import Trace
from gradviz.trace.words.explain import explain_fold
from gradviz.ui import look
from gradviz.ui.canvas.content import TensorContent, content
from gradviz.ui.canvas.edge_painter import CURVE, CURVES_AT_ONCE, FURTHER, LINE, MOVE, draw_boxes, path_of
from gradviz.ui.sharing.export import Options, finish, write, writing
from gradviz.ui.sharing.film import _fitted
from gradviz.ui.sharing.page import PageWriter
from gradviz.ui.sharing.picture import Shown
from gradviz.ui.sharing.svg import LONG_PATH, Sheet, path_text, svg_file
from gradviz.ui.theme import LIGHT, THEMES
from tests.trace.running import run
from tests.trace.sample import sample_trace
from tests.ui.canvas_fixtures import ARRAYS, LOOP, NOT_FINITE, RECURRENCE, STALE

pytestmark = pytest.mark.usefixtures("qapp")
HOSTILE = """import torch
w = torch.tensor(2., requires_grad=True)
names = {"</script><script>document.title='owned'</script>": w * 3, "<img src=x onerror=alert(1)>": w}
y = names["</script><script>document.title='owned'</script>"] * names["<img src=x onerror=alert(1)>"]
print("</script><script>document.title='owned'</script> \\x1b[31m \\u2028 <!-- & \\" '")
y.backward()
raise ValueError("</script><b>&amp;")
"""
COMPLEX = """import torch
z = torch.tensor([1+2j, float('nan')+0j], requires_grad=True)
loss = (z * z.conj()).real.sum() / 0
loss.backward()
print(z.grad)
"""
UNEQUAL = """import torch
w = torch.tensor(3., requires_grad=True)
for epoch in range(3):
    loss = (w * 2 - 1) ** 2
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad.zero_()
"""
SNIPPETS = {
    "loop": LOOP, "recurrence": RECURRENCE, "arrays": ARRAYS, "not finite": NOT_FINITE, "stale": STALE,
    "hostile": HOSTILE, "complex": COMPLEX, "unequal": UNEQUAL,
}  # fmt: skip


class Page(HTMLParser):
    """What a browser makes of a page: its elements, the text of the pieces, the data of the run."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: Counter[str] = Counter()
        self.pieces: dict[str, list[str]] = {}
        self.hidden: set[str] = set()
        self.code: list[str] = []
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self._piece = self._in = ""
        self.feed(text)
        self.run = json.loads(self.scripts[0])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        given = {name: value or "" for name, value in attrs}
        self.attributes.update(given.keys())
        name = given.get("id", "")
        if tag == "g" and re.fullmatch(r"p\d+", name):
            self._piece = name
            self.pieces[name] = []
            if given.get("class") == "off":
                self.hidden.add(name)
        self._in = "" if tag == "section" else self._in
        self._in = tag if tag in ("text", "script", "style") else "code" if tag == "li" else self._in

    def handle_endtag(self, tag: str) -> None:
        if tag in ("text", "script", "style", "li"):
            self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in == "text":
            self.pieces[self._piece].append(data)
        if self._in in ("script", "style", "code"):
            {"script": self.scripts, "style": self.styles, "code": self.code}[self._in].append(data)

    def seen_at(self, stop: int) -> Counter[str]:
        """The words and numbers of the picture at a stop."""
        found: Counter[str] = Counter()
        for index, spans in enumerate(self.run["spans"]):
            if any(begin <= stop < end for begin, end in zip(spans[::2], spans[1::2], strict=True)):
                found.update(self.pieces[f"p{index}"])
        return found


def page_of(trace: Trace, **how: Any) -> tuple[PageWriter, str]:
    writer = PageWriter(Shown(trace, len(trace), "snippet.py", trace.source, **how))
    assert list(writer.work())[-1] == 1.0
    return writer, writer.text()


@cache
def known(name: str) -> tuple[Trace, Page]:
    """A run of one of the snippets, and its page. The tests of one are neighbours (`scope`), in one process."""
    trace = run(SNIPPETS[name])
    return trace, Page(page_of(trace)[1])


def texts(svg: str) -> Counter[str]:
    return Counter(node.text or "" for node in ElementTree.fromstring(svg).iter() if node.tag.endswith("text"))


def told(page: Page, key: str, stop: int) -> dict[str, str] | None:
    """The rows of a thing at a stop, as the script of the page looks them up."""
    rows = [row for row in page.run["things"].get(key, []) if row[0] <= stop]
    if not rows or len(rows[-1]) < 2:
        return None
    return {label: text for _, lines in rows[-1][2] for label, text, _ in map(page.run["rows"].__getitem__, lines)}


@pytest.mark.parametrize("name", SNIPPETS, scope="module")
def test_a_page_shows_at_each_stop_what_a_picture_shows_there(name: str, tmp_path: Path) -> None:
    trace, page = known(name)
    stops = [step["cursor"] for step in page.run["steps"]]
    assert stops == [0, *trace.folds.ends.tolist()]
    for stop in {*range(0, len(stops), max(1, len(stops) // 6)), len(stops) - 1}:
        write(trace, stops[stop], tmp_path / "graph.svg")
        assert page.seen_at(stop) == texts((tmp_path / "graph.svg").read_text(encoding="utf-8")), stops[stop]
    visible = {f"p{index}" for index in range(len(page.pieces))} - page.hidden
    start = page.run["start"]
    assert Counter(word for name in visible for word in page.pieces[name]) == page.seen_at(start)


@pytest.mark.parametrize("name", SNIPPETS, scope="module")
def test_the_words_and_numbers_of_a_page_are_those_of_the_window(name: str) -> None:
    trace, page = known(name)
    assert page.run["things"]
    for stop, step in enumerate(page.run["steps"]):
        found = explain_fold(trace, step["cursor"])
        assert (step["title"], step["sentence"], step["next"]) == (found.title, found.sentence, found.next)
        state = State(trace=trace, steps=len(trace), cursor=step["cursor"])
        for key in page.run["things"]:
            kind, index = key.split()
            rows = told(page, key, stop)
            now = inspect(state, Selection(kind, int(index)))
            if rows is None:
                continue
            assert now is not None
            for label in ("value", ".grad", "∇ passing", "shape", "why None"):
                assert rows.get(label, "") == now.find(label), (step["cursor"], key)


def test_a_page_runs_one_script_and_fetches_nothing() -> None:
    text = page_of(run(HOSTILE))[1]
    page = Page(text)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    allowed = unescape(policy[1])
    assert allowed.startswith("default-src 'none'; script-src 'sha256-")
    for kind, found in (("script", page.scripts[1:]), ("style", page.styles)):
        assert len(found) == 1
        assert f"{kind}-src 'sha256-{b64encode(sha256(found[0].encode()).digest()).decode()}'" in allowed
    assert page.tags["script"] == 2 and not page.tags["img"] and not page.tags["b"]
    assert not [name for name in page.attributes if name.startswith("on") or name in ("src", "style")]
    assert set(re.findall(r"(?:https?:)?//[\w.]+", text)) <= {"http://www.w3.org"}
    assert "innerHTML" not in page.scripts[1] and "eval" not in page.scripts[1]


def test_what_is_hostile_is_shown_as_it_is_written() -> None:
    trace = run(HOSTILE)
    page = Page(page_of(trace)[1])
    assert "".join(page.code).rstrip("\n") == trace.source.rstrip("\n")
    printed = "".join(text for _, _, text in page.run["printed"])
    assert "</script><script>document.title='owned'</script>" in printed and "\x1b" not in printed
    assert "</script><b>&amp;" in page.run["steps"][-1]["sentence"]
    assert page.run["steps"][-1]["phase"] == "error"


def test_a_small_page_is_small_and_begins_with_the_gradients() -> None:
    writer, text = page_of(sample_trace())
    assert len(text.encode()) < 150_000
    run = Page(text).run
    assert run["steps"][run["start"]]["phase"] == "backward"
    assert run["steps"][run["start"] - 1]["phase"] == "forward"
    assert not writer.left_out


def test_a_page_has_the_colours_of_its_theme() -> None:
    for name, theme in THEMES.items():
        writer = PageWriter(Shown(sample_trace(), 0), name)
        assert list(writer.work())
        page = Page(writer.text())
        side = page.styles[0].partition("@media")[0 if not theme.dark else 2]
        assert f"--canvas:{theme.canvas};" in side and f"--gradient:{theme.gradient};" in side
        assert f'data-theme="{"dark" if theme.dark else "light"}"' in writer.text()


def test_a_page_may_stop_at_every_step() -> None:
    trace = run(UNEQUAL)
    assert len(trace.folds) < len(trace)
    steps = Page(page_of(trace, every_step=True)[1]).run["steps"]
    assert [step["cursor"] for step in steps] == list(range(len(trace) + 1))


def test_a_page_that_would_be_too_large_says_where_it_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("gradviz.ui.sharing.page.MOST_CHARACTERS", 30_000)
    trace = run(LOOP)
    (said,) = write(trace, 0, tmp_path / "run.html")
    stops = len(trace.folds) + 1
    found = re.fullmatch(rf"run\.html: it has the first (\d+) of {stops} steps: .*", said)
    assert found is not None and 0 < int(found[1]) < stops
    text = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert len(Page(text).run["steps"]) == int(found[1])
    assert f"It has the first {found[1]} of {stops} steps" in text


def test_very_much_output_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradviz.ui.sharing.page.MOST_PRINTED", 1000)
    trace = run("import torch\nw = torch.ones(1)\nfor i in range(20):\n    print('x' * 99)\nw = w * 2\n")
    printed = Page(page_of(trace)[1]).run["printed"]
    assert sum(text.count("x") for *_, text in printed) == 1000 - 10
    assert printed[-1][2].endswith("(the page has no more of it)")


def test_a_drawing_is_a_page_at_its_places() -> None:
    leaves = Leaf(1, "w", 3.0, requires_grad=True, x=-300.0), Leaf(2, "x", 2.0, y=200.0)
    product = Operation(3, "mul", (Ref(1), Ref(2)), names=("y",), x=240.0)
    drawing = Drawing((*leaves, product), calls=(BackwardCall(Ref(3)),), next_id=4)
    trace = run(text_of(drawing))
    page = Page(page_of(trace, drawing=drawing)[1])
    last = page.seen_at(len(page.run["steps"]) - 1)
    assert last["w"] and last["MulBackward0"] and last["6"]
    assert all(box[1] < -300 for box in page.run["extents"])


def test_the_gradient_of_a_card_is_in_the_page(tmp_path: Path) -> None:
    """Each number of each card at each stop, from the words of the card."""
    trace = run(UNEQUAL)
    what = Shown(trace, 0, "snippet.py", trace.source)
    page = Page(page_of(trace)[1])
    scene = what.scene(LIGHT)
    for stop, step in enumerate(page.run["steps"]):
        scene.move_to(step["cursor"])
        seen = page.seen_at(stop)
        for item, is_seen in enumerate(scene.moment.items.tolist()):
            says = content(scene.placed.diagram, scene.moment.frame, item) if is_seen else None
            if isinstance(says, TensorContent):
                assert seen[says.value.text], (step["cursor"], says)
                assert says.grad is None or seen[says.grad.text], (step["cursor"], says)


# -- films


def test_a_film_has_a_frame_for_each_stop_as_long_as_it_takes_to_read_it(tmp_path: Path) -> None:
    trace = run(UNEQUAL)
    stops = len(trace.folds)
    assert write(trace, 0, tmp_path / "run.webp") == ()
    reader = QImageReader(str(tmp_path / "run.webp"))
    assert (reader.supportsAnimation(), reader.imageCount()) == (True, stops)
    images, delays = [], []
    for _ in range(stops):
        images.append(reader.read())
        delays.append(reader.nextImageDelay())
    assert len({(image.width(), image.height()) for image in images}) == 1
    assert all(one != other for one, other in pairwise(images))
    words = [len(" ".join(explain_fold(trace, at).sentence.split())) for at in trace.folds.ends.tolist()]
    assert delays[:-1] == [min(9000, 1100 + 45 * count) for count in words[:-1]]
    assert delays[-1] >= 3000


def test_words_below_a_film_are_whole_at_any_size(qapp: QApplication) -> None:
    for make, pixels in product((look.sans, look.mono), range(8, 60)):
        font = make(LIGHT, 15)
        font.setPixelSize(pixels)
        metrics = QFontMetrics(font)
        for lines, text in ((1, "Step 9 of 17 · w (gy)"), (2, "one two three four five six seven eight nine ten")):
            room = QRect(0, 0, metrics.horizontalAdvance(text) * 2 // (lines + 1) + 40, lines * metrics.lineSpacing())
            assert _fitted(text, metrics, room) == text, (pixels, lines)
            assert _fitted(text * 9, metrics, room).endswith("…")


@pytest.mark.parametrize(("name", "empty"), [("loop", 1), ("arrays", 1), ("stale", 1)])
def test_a_film_begins_with_the_first_step_that_shows_something(name: str, empty: int, tmp_path: Path) -> None:
    trace = run(SNIPPETS[name])
    write(trace, 0, tmp_path / "run.webp")
    first = QImageReader(str(tmp_path / "run.webp")).read()
    graph = first.copy(0, 0, first.width(), first.height() // 3)
    colours = {graph.pixel(x, y) for x in range(graph.width()) for y in range(graph.height())}
    assert len(colours) > 2, "a card, not an empty canvas"
    assert QImageReader(str(tmp_path / "run.webp")).imageCount() == len(trace.folds) + 1 - empty


def test_a_gif_and_an_mp4_show_the_same_run(tmp_path: Path) -> None:
    trace = run(STALE)
    stops = len(trace.folds)
    for name in ("run.gif", "run.mp4", "run.webp"):
        assert write(trace, 0, tmp_path / name) == ()
    still = QImageReader(str(tmp_path / "run.webp")).size()
    with Image.open(tmp_path / "run.gif") as gif:
        assert (gif.n_frames, gif.size) == (stops, (still.width(), still.height()))
        gif.seek(stops - 1)
        assert len(gif.convert("RGB").getcolors(100_000) or ()) > 20
    with av.open(str(tmp_path / "run.mp4")) as video:
        stream = video.streams.video[0]
        frames = [frame.to_ndarray(format="rgb24") for frame in video.decode(stream)]
        assert (stream.width, stream.height) == (still.width(), still.height())
    assert len(frames) > 5 * stops, "each stop is seen for more than a second, at five pictures a second"
    assert (abs(frames[0].astype(int) - frames[-1]) > 40).any()


def test_a_film_of_very_many_steps_says_where_it_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("gradviz.ui.sharing.film.MOST_FRAMES", 4)
    trace = run(LOOP)
    (said,) = write(trace, 0, tmp_path / "run.webp")
    assert said == f"run.webp: it has the first 4 of {len(trace.folds)} steps."
    assert QImageReader(str(tmp_path / "run.webp")).imageCount() == 4


def test_a_library_that_is_missing_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("gradviz.ui.sharing.export.find_spec", lambda _: None)
    for name, library in (("run.gif", "Pillow"), ("run.mp4", "PyAV")):
        with pytest.raises(UserError, match=rf"{library}.*pip install 'gradviz\[film\]'"):
            write(sample_trace(), 0, tmp_path / name)
    assert not list(tmp_path.iterdir())


# -- the device


def test_a_long_path_is_written_like_its_parts() -> None:
    parts = []
    for number in range(LONG_PATH):
        part = QPainterPath()
        if number % 3 == 0:
            part.addRect(number / 3, -0.001, 10.5, 1e6)
        elif number % 3 == 1:
            part.addRoundedRect(7, number, 40, 20.25, 3, 3)
        else:
            part.moveTo(1, 1)
            part.cubicTo(2, 3, number, 5.125, 6, 7)
            part.lineTo(1, 1)
            part.lineTo(number, 2)
        parts.append(part)
    long = QPainterPath()
    for part in parts:
        assert part.elementCount() < LONG_PATH
        long.addPath(part)
    assert path_text(long) == "".join(map(path_text, parts))


def test_very_many_boxes_are_few_shapes() -> None:
    count = CURVES_AT_ONCE + 10
    boxes = np.column_stack((np.arange(count), np.zeros(count), np.full((count, 2), 0.5)))
    marks = painted(lambda painter: draw_boxes(painter, boxes)).marks
    assert [mark.shape.count("M") for mark in marks] == [CURVES_AT_ONCE, 10]
    assert marks[1].shape.endswith(f'M{count - 1},0L{count - 0.5},0L{count - 0.5},0.5L{count - 1},0.5L{count - 1},0Z"')


def test_a_path_of_elements_is_the_path_that_is_drawn_step_by_step() -> None:
    path = QPainterPath()
    path.setFillRule(Qt.FillRule.WindingFill)
    path.moveTo(1, 2)
    path.lineTo(0.1, -3)
    path.moveTo(5, 5)
    path.cubicTo(6, 5, 7, 8, 9, 1e6)
    points = np.array([(1, 2), (0.1, -3), (5, 5), (6, 5), (7, 8), (9, 1e6)])
    kinds = np.array((MOVE, LINE, MOVE, CURVE, FURTHER, FURTHER))
    made = path_of(kinds, points, Qt.FillRule.WindingFill)
    assert made == path
    made.lineTo(0, 0)  # goes on with the last of its parts
    path.lineTo(0, 0)
    made.closeSubpath()
    path.closeSubpath()
    assert made == path
    assert made != path_of(kinds, points, Qt.FillRule.OddEvenFill)


def painted(paint: Any) -> Sheet:
    sheet = Sheet()
    with QPainter(sheet) as painter:
        paint(painter)
    return sheet


def test_what_is_clipped_stays_clipped() -> None:
    def paint(painter: QPainter) -> None:
        painter.save()
        painter.setClipRect(QRectF(0, 0, 50, 10), Qt.ClipOperation.IntersectClip)
        painter.fillRect(QRectF(0, 0, 50, 80), QColor("red"))
        painter.setPen(QPen(QColor("blue"), 2))
        painter.drawLine(QPointF(0, 0), QPointF(50, 80))
        painter.restore()
        painter.fillRect(QRectF(0, 0, 50, 80), QColor("green"))

    filled, line, after = painted(paint).marks
    assert filled.shape == 'path d="M0,0L50,0L50,10L0,10L0,0Z"' and not filled.around
    assert line.around == ('svg x="0" y="0" width="50" height="10" viewBox="0 0 50 10"',)
    assert "80" in after.shape and not after.around


def test_lines_of_one_look_are_one_path_whatever_is_between_two_looks() -> None:
    def paint(painter: QPainter) -> None:
        for colour in ("red", "blue"):
            painter.setPen(QPen(QColor(colour), 2))
            for x in (0, 5, 9):
                painter.drawLine(QPointF(x, 0), QPointF(x, 8))

    sheet = painted(paint)
    for _ in range(2):
        red, blue = sheet.marks
        assert red.shape == blue.shape == 'path d="M0,0L0,8M5,0L5,8M9,0L9,8"'


def test_a_text_keeps_its_width_and_its_signs() -> None:
    sheet = painted(lambda painter: painter.drawText(QPointF(3, 20), "a <b> & \x00 c"))
    (mark,) = sheet.marks
    width = re.search(r'textLength="([\d.]+)"', mark.shape)
    assert width is not None and float(width[1]) > 20
    svg = svg_file(sheet.marks, (0, 0, 100, 40), 1.0, ("<title>", "&"))
    assert texts(svg) == Counter(["a <b> & \ufffd c"])


def test_what_fails_in_the_device_is_an_error_and_not_the_end_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradviz.ui.sharing.svg.path_text", lambda _: 1 / 0)
    sheet = painted(lambda painter: painter.drawRect(QRectF(0, 0, 4, 4)))
    with pytest.raises(ZeroDivisionError):
        _ = sheet.marks


# -- data


def test_the_graph_as_data_has_the_values_of_its_step() -> None:
    trace = run(UNEQUAL)
    early, late = (networkx.node_link_graph(json.loads(json_bytes(trace.frame(at))), edges="edges") for at in (3, 9))
    assert len(early) < len(late)
    (w,) = [data for _, data in late.nodes(data=True) if data["label"] == "w"]
    assert (w["kind"], w["value"], w["shape"], w["dtype"]) == ("leaf", 3.0, [], "float32")
    assert {data["label"] for _, data in late.nodes(data=True)} >= {"MulBackward0", "PowBackward0", "loss"}
    assert networkx.is_directed_acyclic_graph(late)
    again = networkx.read_graphml(__import__("io").BytesIO(graphml_bytes(trace.frame(9))), force_multigraph=True)
    assert set(again.nodes) == set(late.nodes) and sorted(again.edges()) == sorted(late.edges())


def test_dot_quotes_names() -> None:
    text = dot_bytes(run(HOSTILE).frame(3)).decode()
    assert text.startswith("digraph gradviz {") and text.endswith("}\n\n") is False
    for line in text.splitlines()[2:-1]:
        assert re.fullmatch(r'  [tn]\d+ (\[.*label="(?:[^"\\]|\\.)*"\];|-> [tn]\d+;)', line), line


@pytest.mark.parametrize("name", SNIPPETS, scope="module")
@pytest.mark.parametrize("suffix", [".json", ".dot", ".graphml"])
def test_any_graph_can_be_written_as_data(name: str, suffix: str, tmp_path: Path) -> None:
    trace, _ = known(name)
    assert write(trace, len(trace), tmp_path / f"graph{suffix}") == ()
    assert (tmp_path / f"graph{suffix}").stat().st_size > 300


# -- files


def test_nothing_is_written_when_it_is_left_in_the_middle(tmp_path: Path) -> None:
    trace = run(LOOP)
    work = writing(Shown(trace, 0, "a.py", trace.source), tmp_path / "run.html", Options())
    assert 0 < next(work) < 1
    work.close()
    assert not list(tmp_path.iterdir())


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    trace = sample_trace()
    with pytest.raises(UserError, match="no space left on device"):
        finish(writing(Shown(trace, 0, "a.py", trace.source), tmp_path / "run.html", Options()))
    assert not list(tmp_path.iterdir())
