"""The `.gradviz` file: what goes in comes back to the bit, what is broken is named and costs nothing else, what a newer
version has written is kept."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import fastjsonschema
import pytest

from gradviz.document import shaping
from gradviz.document.documents import SUFFIX, Contents, text_of
from gradviz.document.drawing import BackwardCall, Comment, Drawing, Group, Leaf, Operation, Ref
from gradviz.document.errors import UserError
from gradviz.document.files import gradviz_file, opening
from gradviz.document.files.gradviz_file import read, write
from gradviz.document.snippet import Snippet
from tests.document.one_of_everything import everything, with_its_view

FILES = Path(__file__).parent / "files"


def written(contents: Contents) -> str:
    return write(contents).decode("utf-8")


def changed(old: str, new: str) -> Contents:
    """The drawing's file with one text in it replaced by another."""
    text = written(with_its_view())
    assert text.count(old) == 1, old
    return read(text.replace(old, new).encode(), "net.gradviz")


def test_a_drawing_goes_to_the_file_and_back() -> None:
    assert read(write(with_its_view()), "net.gradviz") == with_its_view()
    assert repr(read(write(with_its_view()), "net.gradviz")) == repr(with_its_view()), "1, 1.0, True and -0.0 differ"


@pytest.mark.parametrize("text", ["", "x = 1\n", "a = 'ä → ∂ \u2028'\n\n\tb\x0c = 2", "]\n}\n"])
def test_a_snippet_goes_to_the_file_and_back(text: str) -> None:
    contents = Contents(Snippet(text, "\r\n"), "Look here.")
    assert read(write(contents), "a.gradviz") == contents


def test_the_file_fits_its_schema() -> None:
    check = fastjsonschema.compile(gradviz_file.schema())
    for contents in (with_its_view(), Contents(Snippet("x = 1\n")), Contents(Drawing())):
        assert check(json.loads(write(contents)))


def test_each_part_stands_on_a_line_so_that_differences_can_be_read() -> None:
    before = written(with_its_view()).split("\n")
    drawing = everything()
    moved = replace(drawing, nodes=(replace(drawing.nodes[0], x=99.0), *drawing.nodes[1:]))
    after = written(replace(with_its_view(), document=moved)).split("\n")
    assert len(before) == len(after)
    assert sum(one != other for one, other in zip(before, after, strict=True)) == 1


def test_unknown_fields_are_kept_and_written_back() -> None:
    record = json.loads(write(with_its_view()))
    record["colours"] = {"deep": [1, None, "∂"]}
    for name in ("nodes", "comments", "groups", "backward"):
        record[name][0]["mood"] = name
    record["view"]["camera"] = [1.5, 2]
    read_once = read(json.dumps(record).encode(), "net.gradviz")
    assert not read_once.dropped
    again = json.loads(write(read_once))
    assert again == record
    assert json.loads(write(read(write(Contents(Snippet("x", extra='{"later": 1}'))), "a")))["later"] == 1


def test_a_version_of_thousands_of_digits_is_said_in_a_short_sentence() -> None:
    data = b'{"format": "gradviz", "version": %b, "kind": "snippet", "text": []}' % (b"9" * 4000)
    assert 50 < len(read(data, "net.gradviz").sentence("net.gradviz")) < 150


def test_a_file_of_a_newer_version_opens_and_says_so() -> None:
    contents = changed('"version": 1', '"version": 7')
    assert contents.document == everything()
    assert contents.sentence("net.gradviz") == (
        "net.gradviz is from a newer GradViz (format 7): parts that this version does not know are kept but not shown."
    )


def test_files_of_every_version_open() -> None:
    files = sorted(FILES.glob("version_*.gradviz"))
    assert [path.stem for path in files] == [f"version_{number}" for number in range(1, gradviz_file.VERSION + 1)]
    for path in files:
        assert opening.load(path) == with_its_view()


def test_a_file_of_an_older_version_goes_through_its_migrations(monkeypatch: pytest.MonkeyPatch) -> None:
    def renamed(record: dict[str, object]) -> dict[str, object]:
        return {{"remarks": "comments"}.get(name, name): value for name, value in record.items()}

    text = written(with_its_view()).replace('"version": 1', '"version": 0').replace('"comments"', '"remarks"')
    with pytest.raises(UserError, match=r"has an unknown format version \(0\)"):
        read(text.encode(), "net.gradviz")
    monkeypatch.setitem(gradviz_file.MIGRATIONS, 0, renamed)
    assert read(text.encode(), "net.gradviz") == with_its_view()


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('"op": "mul"', '"op": "mull"', "node 5 (no operation 'mull')"),
        ('"data": 3.0', '"data": {"a": 1}', "node 1 (data is not understood)"),
        ('"data": 3.0', '"data": 1e999', "node 1 (data is not understood)"),
        ('"data": [[1.0, 0.1]', '"data": [[1.0]', "node 2 (Row 2 has 2 numbers, another has 1)"),
        ('"slider": [-1.0, 2.5]', f'"slider": [-1, {10**320}]', "node 1 (slider is not understood)"),
        ('"x": 10.0', '"x": "left"', "node 1 (x must be number)"),
        ('"x": 10.0', '"x": NaN', "node 1 (x must be number)"),
        ('"id": 9', '"id": true', "node number 5 (id must be integer)"),
        ('"id": 9, ', "", "node number 5 (no 'id')"),
        ('"id": 9', '"id": 2', "node 2 (the number 2 comes twice)"),
        ('"text": "what', '"text": 3, "was": "what', "comment 7 (text must be string)"),
        ('"members": [5, 6]', '"members": 5', "group 8 (members must be array)"),
        ('{"root": {"node": 11}, "create_graph"', '{"root": {"node": 77}, "create_graph"', "backward call 2"),
        ('"gradient": 1.0', '"gradient": "import os"', "gradient of backward call 1 ('import os' is no number"),
        ('"gradient": 1.0', '"gradient": [[1, 2], [3]]', "gradient of backward call 1 (Row 2 has 1 number"),
        ('{"node": 1}, {"node": 2}', '{"node": 1}, {"node": 44}', "a wire to node 5 (nothing begins at node 44)"),
        ('{"node": 1}, {"node": 2}', '{"node": 1}, {"node": 11}', "(it closes a cycle)"),
        ('"keepdim": false', '"keepdin": false', "'keepdin' of node 11 (no such parameter)"),
        ('"level": 2', '"level": "all"', "the view (level must be integer or null)"),
        ('"note": "Look at w."', '"note": []', "note (must be string)"),
    ],
)
def test_a_broken_part_does_not_lose_the_rest(old: str, new: str, named: str) -> None:
    contents = changed(old, new)
    assert named in contents.sentence("net.gradviz")
    assert isinstance(contents.document, Drawing)
    whole = everything()
    assert len(contents.document.nodes) >= len(whole.nodes) - 1
    assert len(contents.document.comments) + len(contents.document.groups) + len(contents.document.calls) >= 2
    assert read(write(contents), "net.gradviz").dropped == (), "what is left fits together"


def test_all_that_was_left_out_is_said_in_one_sentence() -> None:
    contents = Contents(Drawing(), dropped=("node 7 (no operation 'mull')", "comment 3"))
    assert contents.sentence("net.gradviz") == (
        "2 parts of net.gradviz could not be read and were left out: node 7 (no operation 'mull'), comment 3."
    )
    many = Contents(Drawing(), dropped=tuple(f"comment {number}" for number in range(9)))
    assert many.sentence("a").endswith("comment 0, comment 1, comment 2, comment 3 and 5 more.")


def test_of_a_file_that_was_cut_short_the_whole_lines_are_read() -> None:
    data = write(with_its_view())
    contents = read(data[: data.index(b'"id": 11')], "net.gradviz")
    assert isinstance(contents.document, Drawing)
    assert [node.id for node in contents.document.nodes] == [1, 2, 3, 4, 9, 10, 5, 6]
    assert contents.dropped == ("the end of the file",)


def test_of_a_file_with_a_damaged_line_the_others_are_read() -> None:
    contents = changed('{"id": 6, ', '{"id": 6" ')
    assert isinstance(contents.document, Drawing)
    assert [node.id for node in contents.document.nodes] == [1, 2, 3, 4, 9, 10, 5, 11, 12]
    assert len(contents.document.calls) == 2


@pytest.mark.parametrize("bound", ["MOST_LINES", "MOST_DAMAGED"])
def test_of_a_damaged_file_so_many_lines_are_read(bound: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = write(with_its_view()).replace(b'{"id"', b'{"id')
    assert read(data, "net.gradviz").dropped
    monkeypatch.setattr(gradviz_file, bound, 5)
    with pytest.raises(UserError, match="is damaged too much"):
        read(data, "net.gradviz")


def test_a_file_has_so_many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    data = write(with_its_view())
    monkeypatch.setattr(gradviz_file, "MOST_PARTS", 5)
    contents = read(data, "net.gradviz")
    assert isinstance(contents.document, Drawing)
    assert len(contents.document.nodes) <= 5
    assert "beyond the first 5" in contents.sentence("net.gradviz")


def test_a_drawing_has_so_many_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each may be a wire, and half a million of them took a minute to be painted."""
    data = write(with_its_view())
    monkeypatch.setattr(gradviz_file, "MOST_INPUTS", 1)
    contents = read(data, "net.gradviz")
    assert isinstance(contents.document, Drawing)
    wires = [one for node in contents.document.nodes if isinstance(node, Operation) for one in node.inputs if one]
    assert len(wires) == 1
    assert "a drawing has 1 at most" in contents.sentence("net.gradviz")
    with pytest.raises(UserError, match="10,000 nodes, 1 inputs and"):
        write(with_its_view())


def test_unknown_fields_have_few_lists_in_lists() -> None:
    deep = "[" * 200 + "]" * 200
    contents = changed('"kind": "drawing"', f'"later": {deep}, "kind": "drawing"')
    assert contents.dropped == ("'later' (too many lists in lists)",)


def test_a_node_keeps_out_of_a_second_group() -> None:
    drawing = replace(everything(), groups=(Group(8, "one", frozenset({5, 6})), Group(13, "two", frozenset({6, 77}))))
    read_back = read(write(Contents(drawing)), "a").document
    assert isinstance(read_back, Drawing)
    assert read_back.groups == (Group(8, "one", frozenset({5, 6})),)


def test_a_circle_of_ten_thousand_nodes_is_opened() -> None:
    count = 9_999
    nodes = tuple(Operation(at, "neg", (Ref(at % count + 1),), names=(f"a{at}",)) for at in range(1, count + 1))
    contents = read(write(Contents(Drawing(nodes, next_id=count + 1))), "a")
    assert contents.dropped == ("a wire to node 9999 (it closes a cycle)",) or len(contents.dropped) == 1
    assert isinstance(contents.document, Drawing)
    assert len(contents.document.nodes) == count


def test_names_are_made_good() -> None:
    nodes = (Leaf(1, "w"), Leaf(2, "w"), Leaf(3, "import"), Leaf(4, "a b\n"), Leaf(5, ""))
    document = read(write(Contents(Drawing(nodes, next_id=6))), "a").document
    assert isinstance(document, Drawing)
    names = [node.name for node in document.nodes if isinstance(node, Leaf)]
    assert len(set(names)) == 5 and all(name.isidentifier() for name in names)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "was not written by GradViz"),
        (b"\x89PNG\r\n\x1a\n\xff", "it is not UTF-8 text"),
        (b"{}", "was not written by GradViz"),
        (b"[" * 100_000, "lists in lists"),
        (b'{"format": "gradviz"}', "has an unknown format version"),
        (b'{"format": "gradviz", "version": 1}', "neither a snippet nor a drawing"),
        (b'{"format": "gradviz", "version": true, "kind": "drawing"}', "has an unknown format version"),
        (b" " * 10_000_001, "10.0 MB; a .gradviz file may have 10 MB at most"),
    ],
)
def test_what_is_no_file_of_ours_gets_a_sentence(data: bytes, words: str) -> None:
    with pytest.raises(UserError, match=words) as caught:
        read(data, "thing.gradviz")
    assert "thing.gradviz" in str(caught.value)


def test_the_kind_of_file_is_told_by_its_name(tmp_path: Path) -> None:
    for name, contents in (("a.gradviz", with_its_view()), ("b.gradviz", Contents(Snippet("x = 1\n")))):
        opening.save(tmp_path / name, contents)
        assert opening.load(tmp_path / name) == contents
    opening.save(tmp_path / "c.py", with_its_view())
    code = text_of(everything())
    assert opening.load(tmp_path / "c.py").document == Snippet(code, "\r\n" if "\n" in code else "\n")


def test_what_is_written_can_be_anything_that_can_be_drawn() -> None:
    odd = Drawing(
        (Leaf(1, "w", float("nan"), x=float("nan"), y=float("inf")),),
        (Comment(2, "half a pair: \ud83d"),),
        calls=(BackwardCall(Ref(1), gradient=(float("nan"), 10**4000)),),
        next_id=3,
    )
    document = read(write(Contents(odd)), "a").document
    assert isinstance(document, Drawing)
    assert (document.nodes[0].x, document.nodes[0].y) == (0.0, 0.0)
    assert document.comments[0].text == "half a pair: "
    assert document.calls[0].gradient[1] == 10**4000  # type: ignore[index]


def test_numbers_near_the_largest_become_small_so_that_what_is_added_is_there_next_time() -> None:
    last = 2**53 - 2
    drawing = Drawing(
        (Leaf(last, "x", 2.0, requires_grad=True), Operation(last - 5, "neg", (Ref(last),), names=("y",))),
        (Comment(last + 1, "note"),),
        (Group(last - 1, "both", frozenset({last, last - 5})),),
        (BackwardCall(Ref(last - 5), inputs=(last,)),),
        next_id=2**53 - 1,
    )
    opened = read(write(Contents(drawing)), "a.gradviz")
    assert opened.dropped == () and isinstance(opened.document, Drawing)
    assert text_of(opened.document) == text_of(drawing)
    assert (opened.document.groups[0].members, opened.document.calls[0].root) == (frozenset({1, 2}), Ref(2))
    more = opened.document
    for _ in range(3):
        more, _ = shaping.new_operation(more, "tanh", 0, 0)
    again = read(write(Contents(more)), "a.gradviz")
    assert again.dropped == () and again.document == more


def test_an_operation_has_as_many_inputs_when_it_is_opened_again() -> None:
    stack = Operation(2, "stack", (Ref(1),) * 10_002, names=("y",))
    whole = Drawing((Leaf(1, "x", 1.0), stack), next_id=3)
    contents = read(write(Contents(whole)), "a.gradviz")
    assert contents.dropped == () and contents.document == whole


def test_the_desktop_knows_the_type_and_recognizes_what_is_written() -> None:
    packaging = Path(__file__).parents[2] / "packaging" / "linux"
    types = ElementTree.parse(packaging / "org.gradviz.GradViz.mime.xml").getroot()
    space = {"m": "http://www.freedesktop.org/standards/shared-mime-info"}
    described = types.find("m:mime-type", space)
    assert described is not None
    entry = (packaging / "org.gradviz.GradViz.desktop").read_text()
    assert f"MimeType={described.attrib['type']};" in entry
    assert [glob.attrib["pattern"] for glob in described.findall("m:glob", space)] == [f"*{SUFFIX}"]
    match = described.find("m:magic/m:match", space)
    assert match is not None
    first, last = map(int, match.attrib["offset"].split(":"))
    assert first <= written(with_its_view()).index(match.attrib["value"]) <= last


@pytest.mark.parametrize(
    ("op", "param"),
    [
        ("Tensor.__getitem__", ("index", "0]; import os; (")),
        ("Tensor.__getitem__", ("index", "__import__('os').system('id')")),
        ("nn.functional.mse_loss", ("reduction", "sum'); import os; ('")),
        ("sum", ("dtype", "float64); import os; (")),
        ("sum", ("dim", "0)\nimport os\n(")),
        ("einsum", ("equation", '"); import os; ("')),
    ],
)
def test_a_file_is_data_its_texts_never_become_code(op: str, param: tuple[str, str]) -> None:
    leaf = Leaf(1, "x; import os", (1.0, 2.0), dtype="float32); import os; (")
    nodes = (replace(leaf, dtype="float32"), Operation(2, op, (Ref(1),), (param,), ("y = 1; import os",)))
    document = read(write(Contents(Drawing(nodes, (Comment(4, "\nimport os\n"),), next_id=5))), "a").document
    tree = ast.parse(text_of(document))
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    assert set(names) <= {"torch", "torch.nn.functional"}
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "__import__"]
    dropped = read(write(Contents(Drawing((leaf,), next_id=2))), "a").dropped
    assert dropped == ("node 1 (dtype is not understood)",)
